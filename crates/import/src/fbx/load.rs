//! Loads an FBX file: ufbx's scene to a glTF document.

use std::borrow::Cow;

use serde_json::json;
use ufbx::{Node, Scene, SceneRoot, WarningType};

use super::curves::ScaleInstants;
use super::mesh_nodes::{self, MeshNodes};
use super::rig::Rig;
use super::stack::Stack;
use super::takes::Shown;
use super::{facts, light, material, scene, takes, text, unlike};
use crate::converted::{self, Origin};
use crate::draft::Draft;
use crate::fault::{ImportError, Warnings};
use crate::files::Folder;
use crate::options::ImportOptions;
use crate::text_encoding::text_of;
use rigview_model::Loaded;
use rigview_model::{Budget, Container, WarningCode};

/// The smallest error of keys that is asked for, in metres.
const SMALLEST_BOUND: f64 = 1e-7;

/// Loads an FBX file from its bytes. Pictures are read from the folder.
pub(crate) fn load(
    bytes: Vec<u8>,
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let budget = Budget::new(options.decoded_limit);
    budget.grow(bytes.len());
    let plain = plain(&bytes, &mut warnings);
    if let Cow::Owned(text) = &plain {
        budget.grow(text.len());
    }
    if !scene::is_binary(&plain) {
        text::check(&plain, &mut warnings)?;
    }
    let scene = scene::read(&plain, &budget, folder.progress)?;
    drop(plain);
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
    warn_of_defects(scene, warnings);
    check_unit(scene, warnings)?;
    let stacks = Stack::all(scene)?;
    let scales = ScaleInstants::new(&stacks);
    let rig = Rig::new(scene, |node, look| scales.look(node, look));
    rig.write(scene, draft)?;
    material::write(scene, folder, draft, warnings)?;
    let MeshNodes { morphed, apart } =
        mesh_nodes::write(scene, &stacks, &rig, draft, folder.progress, warnings)?;
    light::write(scene, &stacks, &rig, draft, warnings);
    let shown: Vec<Shown> = own_visibility(scene, &rig).chain(apart).collect();
    let parts = takes::Parts { rig: &rig, morphed: &morphed, shown: &shown, bound };
    let written = takes::write(scene, &stacks, parts, draft, folder.progress, warnings)?;
    takes::warn_of_others(&stacks, warnings);
    takes::warn_of_fading(scene, &stacks, warnings);
    unlike::warn(scene, &stacks, warnings);
    join_roots(draft);
    let container = if scene.metadata.ascii { Container::Text } else { Container::Binary };
    let (format, generator) = (facts::format(scene), facts::generator(scene));
    let (facts, frame_rate) =
        (facts::facts(scene, &stacks, &written.left_out), scene.settings.frames_per_second);
    let curve_error = written.curve_error;
    Ok(Origin { format, container, generator, facts, curve_error, frame_rate })
}

/// Warns of what ufbx found wrong with a file.
fn warn_of_defects(scene: &Scene, warnings: &mut Warnings) {
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
}

/// Refuses a file whose unit is no number, and warns of one that is no length.
fn check_unit(scene: &Scene, warnings: &mut Warnings) -> Result<(), ImportError> {
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
    Ok(())
}

/// Returns a text file in the form that is parsed: 8-bit characters without a byte order mark, lines that end with a line
/// feed, and nothing after the last one. A binary file stays as it is.
fn plain<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Cow<'a, [u8]> {
    if scene::is_binary(bytes) {
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

/// Returns the nodes of the document that FBX nodes are.
fn own_visibility<'a>(scene: &'a Scene, rig: &'a Rig) -> impl Iterator<Item = Shown> + 'a {
    let shown = |node: &'a Node| {
        let by = vec![node.element.typed_id as usize];
        rig.index(node).map(|index| Shown { index, by })
    };
    scene.nodes.iter().filter_map(move |node| shown(node))
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
