//! The facts of each kind of part: the file, nodes, joints, meshes, cameras, lights, skins, vertices, clips, textures and
//! materials.

use egui::{Rect, RichText, Sense, Vec2};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::page::Page;
use super::thumbnails::{Channel, Thumbnails};
use crate::text::{counted, one_line};
use crate::{shortcuts, theme};
use rigview_look::{Look, Pass};
use rigview_model::{FileVertex, RootMotion, Stage};
use rigview_report::{
    CameraFacts, ChannelInfo, ClipChannels, DrivingChannel, JointFacts, LightFacts, MaterialFacts,
    MeshFacts, ModelInfo, NodeFacts, PosedJoint, PosedNode, PrimitiveFacts, SkinFacts,
    TextureFacts, TextureUse, VertexFacts, WeightFault,
};
use rigview_session::{
    CameraAction, Document, FileCamera, Item, LookAction, PlaybackAction, SelectionAction,
};

pub(super) fn file_ui(page: &mut Page<'_>, document: &Document, info: &ModelInfo) {
    page.section("File", |page| {
        page.text("Format", &format!("{}, {}", info.format, info.container));
        if let Some(generator) = &info.generator {
            page.text("Generator", generator);
        }
        if let Some(copyright) = &info.copyright {
            page.text("Copyright", copyright);
        }
        page.count("Nodes", info.nodes);
        if let Some(bounds) = &info.bounds {
            page.numbers("Lowest", &bounds.min, "m");
            page.numbers("Highest", &bounds.max, "m");
            page.numbers("Height", &[bounds.max[1] - bounds.min[1]], "m");
        }
    });
    if !document.warnings.is_empty() {
        page.section("Warnings of the import", |page| warnings_ui(page, document));
    }
    let lists = [
        ("Meshes", items(info.meshes.len(), Item::Mesh)),
        ("Skins", items(info.skins.len(), Item::Skin)),
        ("Materials", items(info.materials.len(), Item::Material)),
        ("Textures", items(info.textures.len(), Item::Texture)),
        ("Cameras", items(info.cameras.len(), Item::Camera)),
        ("Lights", items(info.lights.len(), Item::Light)),
        ("Animations", items(info.animations.len(), Item::Clip)),
    ];
    for (title, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        page.folded(&format!("{title} ({})", items.len()), |page| {
            page.links("", items.into_iter());
        });
    }
    if !info.metadata.is_empty() {
        page.folded("Metadata", |page| {
            for thing in &info.metadata {
                for (property, value) in &thing.properties {
                    let name = match thing.about.as_str() {
                        "/asset" => property.clone(),
                        about => format!("{about} {property}"),
                    };
                    page.text(&name, value);
                }
            }
        });
    }
    if !info.extensions.is_empty() {
        page.folded("Extensions", |page| {
            for extension in &info.extensions {
                page.text(extension.status, &extension.name);
            }
        });
    }
}

fn items(count: usize, item: fn(usize) -> Item) -> Vec<Item> {
    (0..count).map(item).collect()
}

fn warnings_ui(page: &mut Page<'_>, document: &Document) {
    for warning in &document.warnings {
        let place = if warning.pointer.is_empty() { "" } else { " at " };
        let line = one_line(&format!("{}{place}{}", warning.message, warning.pointer));
        let item = Item::at(&warning.pointer).filter(|item| item.is_in(page.model));
        let color = if warning.is_hint() {
            theme::colors(page.ui).weak
        } else {
            theme::colors(page.ui).warning
        };
        let text = RichText::new(&line).size(12.0).color(color);
        let Some(item) = item else {
            page.ui.add(egui::Label::new(text).wrap()).on_hover_text(warning.code.as_str());
            continue;
        };
        let button = page.ui.add(egui::Button::new(text).frame(false).wrap());
        if button.on_hover_text(format!("{}: select it", warning.code.as_str())).clicked() {
            page.actions.push(SelectionAction::Select(Some(item)).into());
        }
    }
}

pub(super) fn node_ui(page: &mut Page<'_>, facts: &NodeFacts, posed: &PosedNode, can_pose: bool) {
    page.section("Node", |page| {
        page.count("Index", facts.index);
        let links = [
            ("Parent", facts.parent.map(Item::Node)),
            ("Mesh", facts.mesh.map(Item::Mesh)),
            ("Skin", facts.skin.map(Item::Skin)),
            ("Camera", facts.camera.map(Item::Camera)),
            ("Light", facts.light.map(Item::Light)),
        ];
        for (label, item) in links {
            item.into_iter().for_each(|item| page.link(label, item));
        }
        if facts.instances > 0 {
            page.count("Instances", facts.instances);
        }
        page.links("Children", facts.children.iter().map(|node| Item::Node(*node)));
    });
    let pose = &posed.pose;
    // The numbers of a node that can be posed are in its fields.
    if !can_pose {
        page.section("Local", |page| {
            page.numbers("Translation", &pose.translation.unwrap_or_default(), "");
            page.numbers("Rotation", &pose.rotation.unwrap_or_default(), "");
            page.numbers(&format!("Euler {}", posed.euler.order), &posed.euler.degrees, "°");
            page.numbers("Scale", &pose.scale.unwrap_or_default(), "");
        });
    }
    page.section("World", |page| page.matrix("Matrix", &pose.world));
}

/// Shows the channels that drive the node. The keys before and after the present time go there.
pub(super) fn channels_ui(page: &mut Page<'_>, channels: &[DrivingChannel]) {
    if channels.is_empty() {
        page.ui.weak("No channel of this clip drives it.");
    }
    for channel in channels {
        let path = channel.path;
        page.text(path, &format!("{}, {} keys", channel.interpolation, channel.keys));
        page.row("keys", |page, _| {
            for (verb, at) in [("previous", channel.previous), ("next", channel.next)] {
                let Some(secs) = at else { continue };
                let text = match verb {
                    "next" => format!("{secs:.3} s ›"),
                    _ => format!("‹ {secs:.3} s"),
                };
                let button = page.ui.small_button(text);
                let button = button.accessible_name(format!("Key {verb} of {path}"));
                if button.on_hover_text(format!("Go to the {verb} key")).clicked() {
                    page.actions.push(PlaybackAction::Seek(f64::from(secs)).into());
                }
            }
        });
    }
}

pub(super) fn joint_ui(page: &mut Page<'_>, facts: &JointFacts, posed: &PosedJoint) {
    page.link("Skin", Item::Skin(facts.place.skin));
    page.count("Number", facts.place.joint);
    page.count("Vertices", facts.vertices);
    page.numbers("Largest weight", &[facts.largest_weight], "");
    match facts.rest_to_bind_mm.zip(facts.rest_to_bind_degrees) {
        Some((mm, degrees)) => {
            page.numbers("Rest to bind", &[mm as f32], "mm");
            page.numbers("Turned from bind", &[degrees as f32], "°");
        }
        None => page.text("Rest to bind", "no bind pose"),
    }
    page.matrix("Inverse bind matrix", &facts.inverse_bind);
    page.matrix("Joint matrix", &posed.joint_matrix);
}

/// Shows the button that shows the weights of the selected joint, or the shaded picture again.
pub(super) fn weights_ui(page: &mut Page<'_>, look: &Look) {
    let text = if look.pass == Pass::Weights { "Show the surface" } else { "Show its weights" };
    let hint = shortcuts::JOINT_WEIGHTS.hint(page.ui, text);
    if page.ui.small_button(text).on_hover_text(hint).clicked() {
        page.actions.push(LookAction::ToggleWeights.into());
    }
}

pub(super) fn mesh_ui(page: &mut Page<'_>, facts: &MeshFacts, stage: &Stage) {
    page.section("Mesh", |page| {
        page.count("Index", facts.index);
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
    });
    for (i, primitive) in facts.primitives.iter().enumerate() {
        page.section(&format!("Primitive {i}"), |page| show_primitive(page, primitive));
    }
    if facts.morph_targets.is_empty() {
        return;
    }
    page.section("Morph targets", |page| {
        // The weights are those of the first node that draws the mesh.
        let node = facts.nodes.first();
        let weights = node.map_or(&[][..], |node| stage.local.weights(*node));
        for (i, target) in facts.morph_targets.iter().enumerate() {
            let name =
                if target.name.is_empty() { format!("target {i}") } else { target.name.clone() };
            page.numbers(&name, &[weights.get(i).copied().unwrap_or(target.default_weight)], "");
        }
    });
}

fn show_primitive(page: &mut Page<'_>, facts: &PrimitiveFacts) {
    page.text("Mode", facts.mode);
    page.count("Vertices", facts.vertices as usize);
    page.count("Triangles", facts.triangles);
    match facts.material {
        Some(material) => page.link("Material", Item::Material(material)),
        None => page.text("Material", "default"),
    }
    page.text("Attributes", &facts.attributes.join(", "));
    if facts.influences.is_empty() {
        return;
    }
    page.count("Draws", facts.draws);
    let most = facts.influences.iter().copied().max().unwrap_or(1).max(1);
    for (joints, count) in facts.influences.iter().enumerate().filter(|(_, count)| **count > 0) {
        page.row(&counted(joints, "joint"), |page, name| {
            let share = *count as f32 / most as f32;
            let (rect, _) = page.ui.allocate_exact_size(Vec2::new(52.0, 8.0), Sense::hover());
            let bar = Rect::from_min_size(rect.min, Vec2::new((52.0 * share).max(1.0), 8.0));
            page.ui.painter().rect_filled(bar, 2.0, theme::colors(page.ui).range);
            page.copied(name, &counted(*count, "vertex"), &count.to_string());
        });
    }
}

pub(super) fn camera_ui(page: &mut Page<'_>, facts: &CameraFacts) {
    page.section("Camera", |page| {
        page.count("Index", facts.index);
        page.text("Projection", facts.kind);
        facts.fov_y_degrees.iter().for_each(|fov| page.numbers("Field of view", &[*fov], "°"));
        facts.aspect.iter().for_each(|aspect| page.numbers("Aspect", &[*aspect], ""));
        facts.half_size.iter().for_each(|half| page.numbers("Half size", half, ""));
        page.numbers("Near", &[facts.near], "m");
        match facts.far {
            Some(far) => page.numbers("Far", &[far], "m"),
            None => page.text("Far", "infinite"),
        }
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
        if page.ui.small_button("Look through it").clicked() {
            page.actions
                .push(CameraAction::SelectCamera(Some(FileCamera::First(facts.index))).into());
        }
    });
}

pub(super) fn light_ui(page: &mut Page<'_>, facts: &LightFacts) {
    page.section("Light of the file", |page| {
        page.count("Index", facts.index);
        page.text("Type", facts.kind);
        page.color("Color", &facts.color);
        page.numbers("Intensity", &[facts.intensity], facts.unit);
        match facts.range {
            Some(range) => page.numbers("Range", &[range], "m"),
            None => page.text("Range", "unlimited"),
        }
        facts.cone_degrees.iter().for_each(|cone| page.numbers("Cone", cone, "°"));
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
    });
}

pub(super) fn skin_ui(page: &mut Page<'_>, facts: &SkinFacts) {
    page.section("Skin", |page| {
        page.count("Index", facts.index);
        page.count("Number of joints", facts.joints.len());
        page.text("Bind matrices", if facts.bound { "in the file" } else { "none" });
        page.links("Nodes", facts.nodes.iter().map(|node| Item::Node(*node)));
    });
    page.section("Joints", |page| {
        page.links("Joint", facts.joints.iter().map(|joint| Item::Node(*joint)));
    });
}

pub(super) fn vertex_ui(page: &mut Page<'_>, facts: &VertexFacts) {
    page.count("Index", facts.index as usize);
    page.count("Primitive", facts.primitive);
    page.numbers("In the mesh", &facts.mesh_position, "");
    page.numbers("At rest", &facts.rest, "");
    page.numbers("Posed", &facts.posed, "");
    for morph in &facts.morph_deltas {
        let name = if morph.name.is_empty() {
            format!("target {}", morph.target)
        } else {
            morph.name.clone()
        };
        page.numbers(&format!("Morph {name}"), &morph.delta, "");
        page.numbers(&format!("Weight of {name}"), &[morph.weight], "");
    }
    if facts.joints.is_empty() {
        return;
    }
    page.numbers("Weight sum", &[facts.weight_sum], "");
    for (i, joint) in facts.joints.iter().enumerate() {
        page.link(&format!("Joint {i}"), Item::Node(joint.node));
        page.numbers(&format!("Weight {i}"), &[joint.weight], "");
        page.numbers(&format!("Adds {i}"), &joint.contribution.map(|x| x as f32), "");
    }
}

/// Maximum number of vertices with faulty weights that are listed.
const MOST_FAULTS: usize = 100;

/// Shows the vertices whose weights are not as they should be, if there are any; a click selects one.
pub(super) fn faults_ui(page: &mut Page<'_>, faults: &[WeightFault]) {
    if faults.is_empty() {
        return;
    }
    let unbound = faults.iter().filter(|fault| fault.is_unbound()).count();
    page.folded(&format!("Faulty weights ({})", faults.len()), |page| {
        page.count("Without weights", unbound);
        page.count("Sum is not 1", faults.len() - unbound);
        for fault in faults.iter().take(MOST_FAULTS) {
            let WeightFault { node, primitive, vertex, sum } = *fault;
            let name = page.model.node_name(node).into_owned();
            let text = format!("{name}, vertex {vertex}: sum {sum:.4}");
            let button = page.ui.add(egui::Button::new(text.as_str()).frame(false).truncate());
            if button.on_hover_text("Select the vertex").clicked() {
                let vertex = FileVertex::new(node, primitive, vertex);
                page.actions.push(SelectionAction::Pick(vertex).into());
            }
        }
        if faults.len() > MOST_FAULTS {
            page.ui.weak(format!("and {} more", faults.len() - MOST_FAULTS));
        }
    });
}

/// Maximum number of channels that are listed.
const MOST_CHANNELS: usize = 300;

/// Shows the clip. It can be played from here if the file's own clips are those that play.
pub(super) fn clip_ui(page: &mut Page<'_>, facts: &ClipChannels, plays: bool) {
    page.section("Clip", |page| {
        page.count("Index", facts.index);
        page.numbers("Start", &[facts.start], "s");
        page.numbers("Duration", &[facts.duration], "s");
        page.count("Number of channels", facts.channels.len());
        for (interpolation, count) in counts(facts, |channel| channel.interpolation) {
            page.count(interpolation, count);
        }
        for (path, count) in counts(facts, |channel| channel.path) {
            page.count(path, count);
        }
        if plays && page.ui.small_button("Play it").clicked() {
            page.actions.push(PlaybackAction::SelectClip(Some(facts.index)).into());
        }
    });
    page.folded("Channels", |page| {
        for channel in facts.channels.iter().take(MOST_CHANNELS) {
            if let Some(node) = channel.node {
                page.link(channel.path, Item::Node(node));
            } else {
                page.text(channel.path, channel.property.as_deref().unwrap_or_default());
            }
        }
        if facts.channels.len() > MOST_CHANNELS {
            page.ui.weak(format!("and {} more", facts.channels.len() - MOST_CHANNELS));
        }
    });
}

/// Shows the motion of the root over the clip.
pub(super) fn root_ui(page: &mut Page<'_>, motion: &RootMotion) {
    page.section("Root motion", |page| {
        page.link("Root", Item::Node(motion.node));
        page.numbers("Way over the ground", &[motion.distance as f32], "m");
        page.numbers("End from start", &[motion.drift() as f32], "m");
        page.numbers("Mean speed", &[motion.speed() as f32], "m/s");
    });
}

/// Returns the same as JSON.
pub(super) fn root_json(motion: &RootMotion) -> Value {
    json!({
        "root": motion.node,
        "distance": motion.distance,
        "drift": motion.drift(),
        "speed": motion.speed(),
    })
}

fn counts(
    facts: &ClipChannels,
    key: impl Fn(&ChannelInfo) -> &'static str,
) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    facts.channels.iter().for_each(|channel| *counts.entry(key(channel)).or_insert(0) += 1);
    counts
}

/// The largest side of the picture in points.
const LARGE_SIDE: f32 = 224.0;

pub(super) fn texture_ui(page: &mut Page<'_>, facts: &TextureFacts, thumbnails: &mut Thumbnails) {
    picture_ui(page, facts.index, thumbnails);
    page.section("Texture", |page| {
        page.count("Index", facts.index);
        match facts.image {
            Some(image) => page.text("Image", &format!("{image}")),
            None => page.text("Image", "none that can be read"),
        }
        if let Some(name) = &facts.image_name {
            page.text("Image name", name);
        }
        page.text("Type", &facts.mime);
        page.text("Size", &format!("{} x {}", facts.width, facts.height));
    });
    page.section("Sampler", |page| {
        page.text("Magnify", facts.sampler.mag);
        page.text("Minify", facts.sampler.min);
        page.text("Wrap U", facts.sampler.wrap_s);
        page.text("Wrap V", facts.sampler.wrap_t);
    });
    page.section("Used by", |page| {
        for (material, slot) in &facts.used_by {
            page.link(slot.strip_suffix("Texture").unwrap_or(slot), Item::Material(*material));
        }
    });
}

/// Shows the texture, and buttons to choose what of it.
fn picture_ui(page: &mut Page<'_>, texture: usize, thumbnails: &mut Thumbnails) {
    page.ui.horizontal(|ui| {
        for (channel, label, name) in Channel::ALL {
            let button = ui.selectable_label(thumbnails.channel == channel, label);
            if button.accessible_name(name).clicked() {
                thumbnails.channel = channel;
            }
        }
    });
    let side = LARGE_SIDE.min(page.ui.available_width());
    thumbnails.show(page.ui, texture, thumbnails.channel, side);
}

/// The side of a texture's picture in points.
const SIDE: f32 = 64.0;

pub(super) fn material_ui(page: &mut Page<'_>, facts: &MaterialFacts, thumbnails: &mut Thumbnails) {
    page.section("Material", |page| {
        page.count("Index", facts.index);
        page.text("Alpha mode", facts.alpha_mode);
        page.text("Sides", if facts.double_sided { "both" } else { "front" });
        if facts.unlit {
            page.text("Light", "none (unlit)");
        }
        page.links("Meshes", facts.meshes.iter().map(|mesh| Item::Mesh(*mesh)));
    });
    page.section("Factors", |page| {
        for factor in &facts.factors {
            let label = label_of(factor.name);
            match factor.value.len() {
                1 => page.numbers(&label, &factor.value, ""),
                _ => page.color(&label, &factor.value),
            }
        }
    });
    for used in &facts.textures {
        page.section(&label_of(used.slot), |page| {
            page.row("", |page, _| thumbnails.show(page.ui, used.texture, Channel::Color, SIDE));
            show_use(page, used);
        });
    }
}

fn show_use(page: &mut Page<'_>, used: &TextureUse) {
    page.link("Texture", Item::Texture(used.texture));
    page.text("Coordinates", &format!("TEXCOORD_{}", used.uv_set));
    if used.offset != [0.0; 2] || used.rotation_degrees != 0.0 || used.scale != [1.0; 2] {
        page.numbers("Offset", &used.offset, "");
        page.numbers("Rotation", &[used.rotation_degrees], "°");
        page.numbers("Scale", &used.scale, "");
    }
}

/// Returns a name of glTF as words: `baseColorFactor` becomes `Base color`.
fn label_of(name: &str) -> String {
    let name = name.strip_suffix("Factor").unwrap_or(name);
    let mut label = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            label.push(' ');
        }
        if label.is_empty() {
            label.extend(letter.to_uppercase())
        } else {
            label.extend(letter.to_lowercase())
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::label_of;

    #[test]
    fn names_of_gltf_become_words() {
        assert_eq!(label_of("baseColorFactor"), "Base color");
        assert_eq!(label_of("ior"), "Ior");
        assert_eq!(label_of("metallicRoughnessTexture"), "Metallic roughness texture");
    }
}
