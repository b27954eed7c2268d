//! The meshes of the document, and the nodes that show them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::{Value, json};
use ufbx::{Node, Scene};

use super::geometric::{self, Geometric};
use super::mesh::Surface;
use super::rig::{self, Instant, Local, Rig};
use super::scene::NODE_VISIBILITY;
use super::skin::Bones;
use super::stack::Stack;
use super::takes::{Morphed, Shown};
use super::texture::UV_SETS;
use super::{curves, material, mesh, properties, scene, shapes, skin, visibility};
use crate::draft::Draft;
use crate::fault::{ImportError, Warnings};
use crate::progress::Progress;
use rigview_model::{WarningCode, quoted};

/// The nodes of the document that show meshes in a special way.
#[derive(Default)]
pub(super) struct MeshNodes {
    /// Those with morph targets.
    pub morphed: Vec<Morphed>,
    /// Those that are not below the FBX node that shows them.
    pub apart: Vec<Shown>,
}

/// Appends the meshes of all nodes, and has nodes of the document show them.
pub(super) fn write(
    scene: &Scene,
    stacks: &[Stack],
    rig: &Rig,
    draft: &mut Draft,
    progress: &Progress,
    warnings: &mut Warnings,
) -> Result<MeshNodes, ImportError> {
    let mut meshes = Meshes {
        stacks,
        rig,
        converted: HashMap::new(),
        written: HashMap::new(),
        plain: PlainMaterial(None),
        nodes: MeshNodes::default(),
    };
    for node in &scene.nodes {
        progress.check()?;
        if let (Some(index), Some(mesh)) = (rig.index(node), &node.mesh) {
            meshes.show(ShownMesh { mesh, node, index }, draft, warnings)?;
        }
    }
    Ok(meshes.nodes)
}

/// A mesh at a node that shows it.
#[derive(Clone, Copy)]
struct ShownMesh<'a> {
    mesh: &'a ufbx::Mesh,
    node: &'a Node,
    /// The node of the document that `node` is.
    index: usize,
}

/// A converted mesh of the file.
struct Converted {
    surfaces: Vec<Surface>,
    bones: Option<Bones>,
    /// The skin, if all nodes that show the mesh share it.
    skin: Option<usize>,
    /// Names of the morph targets.
    names: Vec<String>,
}

/// The material of surfaces without one, once it is needed.
struct PlainMaterial(Option<usize>);

/// The meshes that were converted so far.
struct Meshes<'a> {
    stacks: &'a [Stack<'a>],
    rig: &'a Rig,
    /// By typed ID.
    converted: HashMap<u32, Converted>,
    /// Meshes of the document by typed ID and materials: nodes may replace the materials.
    written: HashMap<(u32, Vec<usize>), usize>,
    plain: PlainMaterial,
    nodes: MeshNodes,
}

impl Meshes<'_> {
    /// Has a node of the document show a mesh: its own node, or one that is added for it.
    fn show(
        &mut self,
        shown: ShownMesh,
        draft: &mut Draft,
        warnings: &mut Warnings,
    ) -> Result<(), ImportError> {
        let ShownMesh { mesh, node, .. } = shown;
        let id = mesh.element.typed_id;
        let converted = match self.converted.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(convert_mesh(mesh, self.rig, draft, warnings)?),
        };
        if converted.surfaces.is_empty() {
            return Ok(());
        }
        let materials = self.plain.own_or_plain(&converted.surfaces, shown, draft);
        let written = self.written.entry((id, materials)).or_insert_with_key(|(_, materials)| {
            draft.push("meshes", converted.item(shown, materials))
        });
        let skin = converted.skin(node, self.rig, draft)?;
        let index = match skin {
            None if geometric::is_apart(mesh, node) => geometry_node(node, shown.index, draft),
            None => shown.index,
            Some(_) if !converted.is_partial() && is_plain(self.stacks, node) => shown.index,
            Some(_) => {
                let index = own_node(node, draft);
                let by = rig::line(node).map(|node| node.element.typed_id as usize).collect();
                self.nodes.apart.push(Shown { index, by });
                index
            }
        };
        let item = draft.item("nodes", index);
        item["mesh"] = (*written).into();
        if let Some(skin) = skin {
            item["skin"] = skin.into();
        }
        if !converted.names.is_empty() {
            self.nodes.morphed.push(Morphed { index, mesh: id as usize });
        }
        Ok(())
    }
}

impl PlainMaterial {
    /// Returns the material of each surface: that of the node, of the mesh, or the plain one.
    fn own_or_plain(
        &mut self,
        surfaces: &[Surface],
        ShownMesh { mesh, node, .. }: ShownMesh,
        draft: &mut Draft,
    ) -> Vec<usize> {
        let of_surface = |surface: &Surface| {
            let own = node.materials.get(surface.material);
            let material = own.or_else(|| mesh.materials.get(surface.material));
            match material {
                Some(material) => material.element.typed_id as usize,
                // The material that glTF gives to surfaces without one is a metal.
                None => *self.0.get_or_insert_with(|| draft.push("materials", material::plain())),
            }
        };
        surfaces.iter().map(of_surface).collect()
    }
}

impl Converted {
    /// Whether each node that shows the mesh needs a skin of its own.
    fn is_partial(&self) -> bool {
        self.bones.as_ref().is_some_and(Bones::is_partial)
    }

    /// Returns the skin of the mesh at a node; `None` if the mesh has none.
    fn skin(
        &mut self,
        node: &Node,
        rig: &Rig,
        draft: &mut Draft,
    ) -> Result<Option<usize>, ImportError> {
        let Some(bones) = &self.bones else { return Ok(None) };
        if self.skin.is_some() {
            return Ok(self.skin);
        }
        let skin = Some(bones.put(node, rig, draft)?);
        if !bones.is_partial() {
            self.skin = skin;
        }
        Ok(skin)
    }

    /// Returns the mesh of the document, with a material per surface.
    fn item(&self, ShownMesh { mesh, node, .. }: ShownMesh, materials: &[usize]) -> Value {
        let pairs = self.surfaces.iter().zip(materials);
        let primitives: Vec<_> = pairs.map(|(s, m)| s.primitive(*m)).collect();
        let mut item = json!({ "name": mesh_name(mesh, node), "primitives": primitives });
        properties::put(&mut item, &mesh.element);
        if !self.names.is_empty() {
            item["weights"] = json!(rest_weights(mesh));
            item["extras"]["targetNames"] = json!(self.names);
        }
        item
    }
}

fn convert_mesh(
    mesh: &ufbx::Mesh,
    rig: &Rig,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Converted, ImportError> {
    let is_skinned = skin::deformers(mesh).next().is_some();
    let geometric = if is_skinned { None } else { Geometric::of(mesh) };
    let mut surfaces = mesh::surfaces(mesh, geometric, draft, warnings)?;
    let loose = mesh.num_point_faces + mesh.num_line_faces;
    if loose > 0 {
        let name = quoted(&mesh.element.name);
        let message = format!("mesh {name}: {loose} polygons of one or two corners are not shown");
        warnings.add(WarningCode::NotShown, "", message);
    }
    let sets = [
        (mesh.uv_sets.len(), UV_SETS, "texture coordinates"),
        (mesh.color_sets.len(), 1, "colours"),
    ];
    for (count, kept, what) in sets {
        if count > kept {
            let name = quoted(&mesh.element.name);
            let message = format!("mesh {name} keeps {kept} of {count} sets of {what}");
            warnings.add(WarningCode::NotShown, "", message);
        }
    }
    let bones = skin::write(mesh, rig, &mut surfaces, draft, warnings)?;
    shapes::write(mesh, geometric, &mut surfaces, draft, warnings)?;
    Ok(Converted { surfaces, bones, skin: None, names: shapes::names(mesh) })
}

/// Returns the name of a mesh: its own, or that of the first node that shows it.
fn mesh_name(mesh: &ufbx::Mesh, node: &Node) -> String {
    let own = &*mesh.element.name;
    if own.is_empty() { node.element.name.to_string() } else { own.to_owned() }
}

fn rest_weights(mesh: &ufbx::Mesh) -> Vec<f32> {
    let mut weights = Vec::new();
    shapes::channels(mesh).for_each(|channel| shapes::mix(channel, channel.weight, &mut weights));
    weights.into_iter().map(|weight| scene::finite(weight, &mut 0)).collect()
}

/// Whether a skinned mesh may hang on its own node: at the top, where nothing moves it, as glTF asks for.
fn is_plain(stacks: &[Stack], node: &Node) -> bool {
    let at_top = node.parent.as_ref().is_some_and(|parent| parent.is_root);
    let local = Instant::REST;
    at_top && local.is_identity(node) && !curves::is_moved(stacks, node)
}

/// Whether a node or one above it is hidden.
fn is_hidden(node: &Node) -> bool {
    rig::line(node).any(|node| !visibility::is_shown(node, None))
}

/// Adds a node at the top for a skinned mesh, whose own node moves, but not the mesh. The mesh of a hidden node
/// stays hidden.
fn own_node(node: &Node, draft: &mut Draft) -> usize {
    let mut item = json!({ "name": format!("{} (skin)", &*node.element.name) });
    if is_hidden(node) {
        let visibility = draft.uses(NODE_VISIBILITY);
        item["extensions"] = json!({ visibility: { "visible": false } });
    }
    let new = draft.push("nodes", item);
    let scene = draft.item("scenes", 0);
    if let Some(roots) = scene.get_mut("nodes").and_then(serde_json::Value::as_array_mut) {
        roots.push(new.into());
    }
    new
}

/// Adds a node below another for a mesh that several nodes show, which has a geometric transform there.
fn geometry_node(node: &Node, parent: usize, draft: &mut Draft) -> usize {
    let mut item = json!({ "name": format!("{} (geometry)", &*node.element.name) });
    rig::put_transform(&mut item, Local::new(&node.geometry_transform));
    let new = draft.push("nodes", item);
    draft.add_child(parent, new);
    new
}
