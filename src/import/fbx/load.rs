//! Loads an FBX file: ufbx's scene to a glTF document.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::json;
use ufbx::{Node, Scene, SceneRoot, WarningType};

use super::curves::{self, ScaleInstants};
use super::geometric::{self, Geometric};
use super::mesh::Surface;
use super::rig::{self, Instant, Local, Rig};
use super::scene::NODE_VISIBILITY;
use super::skin::Bones;
use super::stack::Stack;
use super::takes::{Morphed, Shown};
use super::texture::UV_SETS;
use super::{facts, light, material, mesh, properties, scene, shapes, skin, takes, visibility};
use crate::import::assemble::Loaded;
use crate::import::converted::{self, Origin};
use crate::import::draft::Draft;
use crate::import::fault::{ImportError, Warnings};
use crate::import::options::ImportOptions;
use crate::import::text_encoding::text_of;
use crate::import::uri::Folder;
use crate::import::warning_code::WarningCode;
use crate::model::quoted;
use crate::model::{Budget, Container};

/// The smallest error of keys that is asked for, in metres.
const SMALLEST_BOUND: f64 = 1e-7;

/// Loads an FBX file from its bytes. Pictures are read from the folder.
pub(in crate::import) fn load(
    bytes: Vec<u8>,
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let budget = Budget::new(options.decoded_limit);
    budget.grow(bytes.len());
    let text = plain(&bytes, &mut warnings);
    if let Cow::Owned(text) = &text {
        budget.grow(text.len());
    }
    let scene = scene::read(&text, &budget, folder.progress)?;
    drop(text);
    drop(bytes);
    let mut draft = Draft::new(&budget);
    let bound = options.curve_bound.max(SMALLEST_BOUND);
    let origin = convert(&scene, folder, bound, &mut draft, &mut warnings)?;
    drop(scene);
    converted::load(draft, origin, folder, options, warnings)
}

fn convert(
    scene: &SceneRoot,
    folder: &Folder,
    bound: f64,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Origin, ImportError> {
    for said in &scene.metadata.warnings {
        let times = if said.count > 1 { format!(" ({} times)", said.count) } else { String::new() };
        let what = match said.type_ {
            WarningType::BadUnicode => {
                "text that is not valid UTF-8 is read with U+FFFD in place of other bytes"
            }
            _ => &said.description,
        };
        let message = format!("{what}{times}");
        warnings.add(WarningCode::FileDefect, "", message);
    }
    let unit = scene.settings.unit_meters;
    if !unit.is_finite() {
        let what = format!("the FBX file's unit of {unit} m is no length; export it again");
        return Err(ImportError::container(what));
    }
    if unit <= 0.0 {
        let message = format!(
            "the file's unit of {unit} m is no length: lengths are read as metres; `rigview convert --scale` \
             multiplies them"
        );
        warnings.add(WarningCode::FileDefect, "", message);
    }
    let stacks = Stack::all(scene)?;
    let scales = ScaleInstants::new(&stacks);
    let rig = Rig::new(scene, |node, look| scales.look(node, look));
    rig.write(scene, draft)?;
    material::write(scene, folder, draft, warnings)?;
    let Shapes { morphed, apart } =
        Meshes::default().write(scene, &stacks, &rig, draft, folder, warnings)?;
    light::write(scene, &stacks, &rig, draft, warnings);
    let shown: Vec<Shown> = own_visibility(scene, &rig).chain(apart).collect();
    let parts = takes::Parts { rig: &rig, morphed: &morphed, shown: &shown, bound };
    let curve_error = takes::write(scene, &stacks, parts, draft, folder.progress, warnings)?;
    takes::warn_of_others(&stacks, warnings);
    takes::warn_of_fading(scene, &stacks, warnings);
    join_roots(draft);
    let container = if scene.metadata.ascii { Container::Text } else { Container::Binary };
    let (format, generator) = (facts::format(scene), facts::generator(scene));
    let (facts, frame_rate) = (facts::facts(scene, &stacks), scene.settings.frames_per_second);
    Ok(Origin { format, container, generator, facts, curve_error, frame_rate })
}

/// Returns a text file in the form that is parsed: 8-bit characters without a byte order mark, lines that end with a line
/// feed, and nothing after the last one. A binary file stays as it is.
fn plain<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Cow<'a, [u8]> {
    if bytes.starts_with(b"Kaydara") {
        return Cow::Borrowed(bytes);
    }
    let mut text = match text_of(bytes).said(warnings) {
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
    };
    if text.contains(&b'\r') && !text.contains(&b'\n') {
        text.to_mut().iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
    }
    // Editors of DOS end a file with a control character.
    let end = text.iter().rposition(|byte| *byte != 0x1a).map_or(0, |last| last + 1);
    if end < text.len() {
        text.to_mut().truncate(end);
    }
    text
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

/// The nodes of the document that show meshes in a special way.
struct Shapes {
    /// Those with morph targets.
    morphed: Vec<Morphed>,
    /// Those that are not below the FBX node that shows them.
    apart: Vec<Shown>,
}

/// The meshes that were converted so far.
#[derive(Default)]
struct Meshes {
    /// By typed ID.
    converted: HashMap<u32, Converted>,
    /// Meshes of the document by typed ID and materials: nodes may replace the materials.
    written: HashMap<(u32, Vec<Option<usize>>), usize>,
    /// The material of surfaces without one.
    plain: Option<usize>,
}

impl Meshes {
    /// Appends the meshes of all nodes.
    fn write(
        mut self,
        scene: &Scene,
        stacks: &[Stack],
        rig: &Rig,
        draft: &mut Draft,
        folder: &Folder,
        warnings: &mut Warnings,
    ) -> Result<Shapes, ImportError> {
        let (mut morphed, mut apart) = (Vec::new(), Vec::new());
        for node in &scene.nodes {
            folder.progress.check()?;
            let (Some(index), Some(mesh)) = (rig.index(node), &node.mesh) else { continue };
            let id = mesh.element.typed_id;
            let converted = match self.converted.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(convert_mesh(mesh, rig, draft, warnings)?),
            };
            if converted.surfaces.is_empty() {
                continue;
            }
            let of_surface = |surface: &Surface| {
                let own = node.materials.get(surface.material);
                let material = own.or_else(|| mesh.materials.get(surface.material));
                material.map(|material| material.element.typed_id as usize)
            };
            let materials: Vec<_> = converted.surfaces.iter().map(of_surface).collect();
            if materials.contains(&None) && self.plain.is_none() {
                // The material that glTF gives to surfaces without one is a metal.
                self.plain = Some(draft.push("materials", material::plain()));
            }
            let plain = self.plain;
            let materials: Vec<_> = materials.into_iter().map(|m| m.or(plain)).collect();
            let written = *self.written.entry((id, materials.clone())).or_insert_with(|| {
                let pairs = converted.surfaces.iter().zip(&materials);
                let primitives: Vec<_> = pairs.map(|(s, m)| s.primitive(*m)).collect();
                let mut out = json!({ "name": mesh_name(mesh, node), "primitives": primitives });
                properties::put(&mut out, &mesh.element);
                if !converted.names.is_empty() {
                    out["weights"] = json!(rest_weights(mesh));
                    out["extras"]["targetNames"] = json!(converted.names);
                }
                draft.push("meshes", out)
            });
            let index = match &converted.bones {
                None => {
                    let index = match geometric::is_apart(mesh, node) {
                        true => geometry_node(node, index, draft),
                        false => index,
                    };
                    draft.item("nodes", index)["mesh"] = written.into();
                    index
                }
                Some(bones) => {
                    let skin = match converted.skin {
                        Some(skin) => skin,
                        None => bones.put(node, rig, draft)?,
                    };
                    if !bones.is_partial() {
                        converted.skin = Some(skin);
                    }
                    let may_stay = !bones.is_partial() && is_plain(stacks, node);
                    let index = match may_stay {
                        true => index,
                        false => {
                            let index = own_node(node, draft);
                            let line = rig::line(node);
                            let by = line.map(|node| node.element.typed_id as usize).collect();
                            apart.push(Shown { index, by });
                            index
                        }
                    };
                    let item = draft.item("nodes", index);
                    item["mesh"] = written.into();
                    item["skin"] = skin.into();
                    index
                }
            };
            if !converted.names.is_empty() {
                morphed.push(Morphed { index, mesh: id as usize });
            }
        }
        Ok(Shapes { morphed, apart })
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

/// Returns the nodes of the document that FBX nodes are.
fn own_visibility<'a>(scene: &'a Scene, rig: &'a Rig) -> impl Iterator<Item = Shown> + 'a {
    let shown = |node: &'a Node| {
        let by = vec![node.element.typed_id as usize];
        rig.index(node).map(|index| Shown { index, by })
    };
    scene.nodes.iter().filter_map(move |node| shown(node))
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

/// Puts all nodes below one if the joints of a skin have no other common root, which glTF requires.
fn join_roots(draft: &mut Draft) {
    let count = draft.count("nodes");
    let mut parents: Vec<Option<usize>> = vec![None; count];
    let mut is_skinned = vec![false; count];
    for (node, is_skinned) in is_skinned.iter_mut().enumerate() {
        *is_skinned = draft.item("nodes", node).get("skin").is_some();
        for child in draft.indices_in("nodes", node, "children") {
            parents[child] = Some(node);
        }
    }
    let mut top: Vec<Option<usize>> = vec![None; count];
    let mut root_of = |node: usize| {
        let mut path = vec![node];
        let mut at = node;
        while let (None, Some(parent)) = (top[at], parents[at]) {
            path.push(parent);
            at = parent;
        }
        let root = top[at].unwrap_or(at);
        path.into_iter().for_each(|node| top[node] = Some(root));
        root
    };
    let skins = draft.count("skins");
    let mut is_split = |skin: usize| {
        let joints = draft.indices_in("skins", skin, "joints");
        let mut roots = joints.into_iter().map(&mut root_of);
        let first = roots.next();
        roots.any(|root| Some(root) != first)
    };
    if !(0..skins).any(&mut is_split) {
        return;
    }
    let roots = draft.indices_in("scenes", 0, "nodes");
    let (skinned, below): (Vec<_>, Vec<_>) = roots.into_iter().partition(|root| is_skinned[*root]);
    let root = draft.push("nodes", json!({ "name": "root", "children": below }));
    let roots: Vec<usize> = skinned.into_iter().chain([root]).collect();
    draft.item("scenes", 0)["nodes"] = json!(roots);
}
