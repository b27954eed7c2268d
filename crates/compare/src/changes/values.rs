//! What a file says beside its vertices and keys, as JSON: one value per node, mesh, skin, material, scene and part of an avatar.
//! References to other entries are their names in A, so that equal values mean the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::pairing::lists::{ModelPairs, Tokens, tokens};
use crate::pairing::pairs::given;
use rigview_anim::Clip;
use rigview_model::{Constraint, ConstraintKind, Model, Primitive, TextureSlot, Vrm};

/// Names for references to the entries of two models.
pub(crate) struct References {
    pub nodes: Tokens,
    pub meshes: Tokens,
    pub skins: Tokens,
    pub materials: Tokens,
    pub images: Tokens,
    pub variants: Tokens,
    pub scenes: Tokens,
    pub cameras: Tokens,
    pub lights: Tokens,
}

impl References {
    pub fn new(models: [&Model; 2], pairs: &ModelPairs) -> Self {
        fn names<T>(list: &[T], name: impl Fn(&T) -> Option<String>) -> Vec<Option<String>> {
            list.iter().map(name).collect()
        }
        Self {
            nodes: tokens(&pairs.nodes, models.map(|m| names(&m.nodes, |of| of.name.clone()))),
            meshes: tokens(&pairs.meshes, models.map(|m| names(&m.meshes, |of| of.name.clone()))),
            skins: tokens(&pairs.skins, models.map(|m| names(&m.skins, |of| of.name.clone()))),
            materials: tokens(
                &pairs.materials,
                models.map(|m| names(&m.materials, |of| of.name.clone())),
            ),
            images: tokens(&pairs.images, models.map(|m| names(&m.images, |of| of.name.clone()))),
            variants: tokens(
                &pairs.variants,
                models.map(|m| names(&m.variants, |of| Some(of.clone()))),
            ),
            scenes: tokens(&pairs.scenes, models.map(|m| names(&m.scenes, |of| of.name.clone()))),
            cameras: tokens(
                &pairs.cameras,
                models.map(|m| names(&m.cameras, |of| of.name.clone())),
            ),
            lights: tokens(&pairs.lights, models.map(|m| names(&m.lights, |of| of.name.clone()))),
        }
    }
}

/// Names the clips of two models.
pub(crate) fn clip_names(models: [&Model; 2]) -> [Vec<Option<String>>; 2] {
    models.map(|model| {
        let name = |clip: &Clip| clip.name().filter(|name| !name.is_empty()).map(str::to_owned);
        model.clips.iter().map(name).collect()
    })
}

/// One of two models, to be put into JSON.
#[derive(Clone, Copy)]
pub(crate) struct Described<'a> {
    pub model: &'a Model,
    /// 0 for A, 1 for B.
    pub side: usize,
    pub references: &'a References,
}

/// Returns a set as an object.
fn set<'v>(entries: impl IntoIterator<Item = &'v String>) -> Value {
    Value::Object(entries.into_iter().map(|entry| (entry.clone(), Value::Bool(true))).collect())
}

fn reference(tokens: &[String], entry: Option<usize>) -> Value {
    entry.map_or(Value::Null, |entry| json!(tokens[entry]))
}

impl Described<'_> {
    /// Returns what each node is and carries. Its transform is measured.
    pub fn nodes(self) -> Vec<Value> {
        let Self { model, side, references } = self;
        let mut inside = vec![false; model.nodes.len()];
        model.scene_nodes(model.default_scene).into_iter().for_each(|node| inside[node] = true);
        let constraints: BTreeMap<usize, &Constraint> =
            model.constraints.iter().map(|of| (of.node, of)).collect();
        let value = |i: usize| {
            let node = &model.nodes[i];
            let camera = node.camera.map(|camera| model.cameras[camera].projection);
            json!({
                "parent": reference(&references.nodes[side], model.hierarchy.parent(i)),
                "mesh": reference(&references.meshes[side], node.mesh),
                "skin": reference(&references.skins[side], node.skin),
                "camera": camera,
                "light": node.light.map(|light| {
                    let light = &model.lights[light];
                    json!({
                        "type": light.kind,
                        "color": light.color,
                        "intensity": light.intensity,
                        "range": light.range,
                    })
                }),
                "hidden": node.hidden,
                "instances": node.instances.len(),
                "constraint": constraints.get(&i).map(|constraint| self.constraint(constraint)),
                "in the scene": inside[i],
            })
        };
        (0..model.nodes.len()).map(value).collect()
    }

    fn constraint(self, constraint: &Constraint) -> Value {
        let axis = match constraint.kind {
            ConstraintKind::Roll(axis) | ConstraintKind::Aim(axis) => json!(axis),
            ConstraintKind::Rotation => Value::Null,
        };
        let source = reference(&self.references.nodes[self.side], Some(constraint.source));
        json!({"type": constraint.kind.name(), "source": source, "axis": axis, "weight": constraint.weight})
    }

    /// Returns what each mesh is made of. Materials of triangles that are drawn are compared at their places; `is_drawn` says which
    /// are. Names of morph targets that `partner_names` lacks are left out: some tools number them.
    pub fn meshes(self, is_drawn: &[bool], partner_names: impl Fn(usize) -> bool) -> Vec<Value> {
        let Self { model, side, references } = self;
        let value = |(i, mesh): (usize, &rigview_model::Mesh)| {
            let elements: usize = mesh.primitives.iter().map(Primitive::real_elements).sum();
            let kinds: BTreeSet<String> = mesh.primitives.iter().map(kind).collect();
            let attributes: BTreeSet<&String> =
                mesh.primitives.iter().flat_map(counted_attributes).collect();
            let materials = &references.materials[side];
            let own = mesh.primitives.iter().filter_map(|primitive| primitive.material);
            let own: Vec<&String> = own.map(|material| &materials[material]).collect();
            let mut variants: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
            // A mapping to the material that the primitive has anyway changes nothing.
            let mapped = mesh.primitives.iter().flat_map(|p| {
                p.variant_materials.iter().filter(|(_, material)| Some(*material) != p.material)
            });
            for (variant, material) in mapped {
                let variant = &references.variants[side][*variant];
                variants.entry(variant).or_default().insert(&materials[*material]);
            }
            let names = mesh.target_names.iter().zip(0..).filter(|_| partner_names(i));
            let names: Map<String, Value> =
                names.map(|(name, target)| (target.to_string(), json!(name))).collect();
            json!({
                "primitives": mesh.primitives.len(),
                "triangles": elements,
                "attributes": set(attributes),
                "kinds of primitives": kinds,
                "morph targets": mesh.target_count(),
                "names of morph targets": names,
                "materials": if is_drawn[i] { Value::Null } else { set(own) },
                "variants": variants.into_iter().map(|(of, all)| (of.clone(), set(all))).collect::<Map<_, _>>(),
            })
        };
        model.meshes.iter().enumerate().map(value).collect()
    }

    /// Returns the joints of each skin.
    pub fn skins(self) -> Vec<Value> {
        let nodes = &self.references.nodes[self.side];
        let joints = |skin: &rigview_anim::Skin| json!({"joints": set(skin.joints.iter().map(|joint| &nodes[*joint as usize]))});
        self.model.skins.iter().map(joints).collect()
    }

    /// Returns the properties of each material.
    pub fn materials(self) -> Vec<Value> {
        let images = &self.references.images[self.side];
        (0..self.model.materials.len()).map(|i| material_value(self.model, i, images)).collect()
    }

    /// Returns the roots of each scene. Where both scenes of a pair are the default ones, nodes themselves say whether they
    /// are in it.
    pub fn scenes(self, is_partner_default: impl Fn(usize) -> bool) -> Vec<Value> {
        let nodes = &self.references.nodes[self.side];
        let value = |(i, scene): (usize, &rigview_model::Scene)| {
            let is_default = i == self.model.default_scene;
            let roots = set(scene.roots.iter().map(|node| &nodes[*node]));
            let is_told_by_nodes = is_default && is_partner_default(i);
            json!({"default": is_default, "nodes": if is_told_by_nodes { Value::Null } else { roots }})
        };
        self.model.scenes.iter().enumerate().map(value).collect()
    }

    /// Returns the parts of the avatar by their names; `None` if the file has none.
    pub fn avatar(self) -> Option<BTreeMap<String, Value>> {
        let vrm = self.model.vrm.as_ref()?;
        let [nodes, materials] =
            [&self.references.nodes, &self.references.materials].map(|list| &list[self.side]);
        let mut parts = BTreeMap::new();
        parts.insert("meta".to_owned(), json!(vrm.meta));
        parts.insert("specVersion".to_owned(), json!(vrm.version));
        let bones = vrm.bones.iter().map(|(bone, node)| (bone.to_string(), json!(nodes[*node])));
        parts.insert("humanoid".to_owned(), Value::Object(bones.collect()));
        let seen = vrm.first_person.iter().map(|of| (nodes[of.node].clone(), json!(of.kind)));
        parts.insert("firstPerson".to_owned(), Value::Object(seen.collect()));
        let gaze = vrm.gaze.map(|node| &nodes[node]);
        parts.insert("lookAt".to_owned(), json!({"range": vrm.look_at, "node": gaze}));
        parts.insert("mtoon".to_owned(), set(vrm.mtoon.iter().map(|i| &materials[*i])));
        for expression in &vrm.expressions {
            let mut value = json!(expression);
            value["node"] = reference(nodes, expression.node);
            self.refer(&mut value);
            parts.insert(format!("expression \"{}\"", expression.name), value);
        }
        for spring in &vrm.springs {
            let Some(root) = spring.joints.first() else { continue };
            parts.insert(format!("spring of {}", nodes[root.node]), self.spring(vrm, spring));
        }
        Some(parts)
    }

    fn spring(self, vrm: &Vrm, spring: &rigview_model::Spring) -> Value {
        let colliders = spring.colliders.iter().filter_map(|collider| vrm.colliders.get(*collider));
        let mut value = json!({
            "center": reference(&self.references.nodes[self.side], spring.center),
            "joints": spring.joints,
            "colliders": colliders.collect::<Vec<_>>(),
        });
        self.refer(&mut value);
        value
    }

    /// Replaces the indices of nodes and materials in the value of a part of an avatar by references.
    fn refer(self, value: &mut Value) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(|value| self.refer(value)),
            Value::Object(map) => {
                for (key, value) in map {
                    let list = match key.as_str() {
                        "node" => &self.references.nodes[self.side],
                        "material" => &self.references.materials[self.side],
                        _ => {
                            self.refer(value);
                            continue;
                        }
                    };
                    if let Some(token) = value.as_u64().and_then(|index| list.get(index as usize)) {
                        *value = json!(token);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the attributes that count. Further sets of joints and weights don't: what moves a vertex is compared, in however many
/// sets it is stored.
fn counted_attributes(primitive: &Primitive) -> impl Iterator<Item = &String> {
    let is_further = |name: &str| {
        let set = name.strip_prefix("JOINTS_").or_else(|| name.strip_prefix("WEIGHTS_"));
        set.is_some_and(|set| set != "0")
    };
    primitive.attributes.iter().filter(move |name| !is_further(name))
}

/// Returns what vertices of a primitive have, and what they are the corners of.
fn kind(primitive: &Primitive) -> String {
    let mut attributes: Vec<&str> = counted_attributes(primitive).map(String::as_str).collect();
    attributes.sort_unstable();
    let corners = ["points", "lines", "triangles"][primitive.mode.topology().corners() - 1];
    format!("{corners} with {}", attributes.join(", "))
}

/// Returns the properties of a material without its name, with `images` as the references to images.
pub(crate) fn material_value(model: &Model, material: usize, images: &[String]) -> Value {
    let material = &model.materials[material];
    let mut value = json!(material);
    for slot in TextureSlot::ALL {
        let texture = material.textures[slot].map(|used| {
            let texture = &model.textures[used.texture];
            json!({
                "image": reference(images, texture.image),
                "sampler": texture.sampler,
                "texCoord": used.uv_set,
                "transform": used.transform,
            })
        });
        value[slot.name()] = json!(texture);
    }
    value
}

/// Returns a value without what says how the textures of a material read texture coordinates.
pub(crate) fn without_tex_coords(mut material: Value) -> Value {
    for slot in TextureSlot::ALL {
        if let Some(texture) = material[slot.name()].as_object_mut() {
            texture.remove("texCoord");
            texture.remove("transform");
        }
    }
    material
}

/// Whether a mesh has names of morph targets.
pub(crate) fn has_target_names(model: &Model, mesh: Option<usize>) -> bool {
    mesh.is_some_and(|mesh| !model.meshes[mesh].target_names.is_empty())
}

/// Returns the name of an entry if it has one that counts.
pub(crate) fn name(name: &Option<String>) -> Option<String> {
    given(name).map(str::to_owned)
}
