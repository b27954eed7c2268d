//! The inspector: the numbers of the selected part of the file in the present pose, or of the file if nothing is
//! selected. Each number can be copied, also all at once as JSON, and each name selects what it names.

mod clip;
mod extras;
mod file;
mod file_objects;
mod hand;
mod joint;
mod material;
mod mesh;
mod node;
mod page;
mod table;
mod texture;
pub(super) mod thumbnails;
mod vertex;

use egui::{RichText, Ui};
use serde_json::{Value, json};

pub(super) use self::page::item_name;
use self::page::{Page, kind_name};
use self::thumbnails::{TextureCopy, TextureId, Thumbnails};
use super::list::{fitting, fitting_name};
use super::theme;
use rigview_model::{Model, RootMotion, Stage};
use rigview_report::{
    ClipChannels, JointFacts, MeshFacts, ModelInfo, NodeFacts, SkinFacts, TextureFacts,
    VertexFacts, WeightFault, camera_facts, clip_channels, driving_channels, joint_facts,
    light_facts, material_facts, mesh_facts, model_info, node_facts, posed_joint, posed_node,
    skin_facts, texture_facts, vertex_facts, weight_faults,
};
use rigview_session::{Action, Document, Item, LoadId, NoticeKind, Session};

/// The inspector's state between frames.
#[derive(Debug, Default)]
pub(super) struct Inspector {
    /// The load, the scene and the part that `facts` are of.
    of: Option<(LoadId, usize, Option<Item>)>,
    facts: Option<Facts>,
    /// The shown scene at rest.
    rest: Option<Stage>,
    thumbnails: Thumbnails,
    fields: hand::Fields,
    table: table::Table,
}

/// The facts of a part that do not depend on the pose. They are made once, because they may read all vertices.
#[derive(Debug)]
enum Facts {
    File(Box<ModelInfo>, Vec<WeightFault>),
    Node(NodeFacts, Vec<JointFacts>),
    Mesh(MeshFacts),
    Skin(SkinFacts),
    Texture(TextureFacts),
    Clip(ClipChannels, Option<Box<RootMotion>>),
    /// Cameras, lights and materials, which a clip can change.
    Changing(Item),
}

impl Inspector {
    /// Shows the selected part.
    pub fn show(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let playback = session.playback();
        let (Some(document), Some(stage)) = (playback.document(), playback.stage()) else {
            ui.weak("Open a file to see its numbers.");
            return;
        };
        let item = session.selection().item();
        self.look_up(document, stage, item);
        self.thumbnails.show_load(document.load);
        let Some((facts, rest)) = self.facts.as_ref().zip(self.rest.as_ref()) else { return };
        let shown = Shown { session, document, stage };
        let vertex = session.selection().vertex().and_then(|vertex| {
            vertex_facts(&document.model, [stage, rest], vertex.drawn, vertex.index)
        });
        header_ui(ui, document, item, actions, || json_of(&shown, facts, vertex.as_ref()));
        let mut page = Page::new(ui, &document.model, actions);
        if let Some(vertex) = &vertex {
            page.section("Vertex", |page| vertex::show(page, vertex));
        }
        if let Some(node) = session.selection().node() {
            self.fields.show(&mut page, session, node);
        }
        shown.show(&mut page, facts, &mut self.thumbnails);
        if let Some(node) = session.selection().node() {
            self.table.show(&mut page, document, node);
        }
        extras::show(&mut page, item);
    }

    /// A texture that a small copy is wanted of.
    pub fn wanted_texture(&self) -> Option<TextureId> {
        self.thumbnails.wanted()
    }

    /// Takes the copy of a texture; `None` if there is none.
    pub fn give_texture(&mut self, of: TextureId, copy: Option<TextureCopy>) {
        self.thumbnails.give(of, copy);
    }

    /// Makes the facts of another part than in the last frame.
    fn look_up(&mut self, document: &Document, stage: &Stage, item: Option<Item>) {
        let of = Some((document.load, stage.scene, item));
        if self.of == of {
            return;
        }
        let same_scene =
            self.of.is_some_and(|(load, scene, _)| (load, scene) == (document.load, stage.scene));
        self.of = of;
        let model = &*document.model;
        if !same_scene {
            self.fields.forget();
        }
        if !same_scene || self.rest.is_none() {
            self.rest = Some(Stage::new(model, stage.scene));
        }
        if let Some(rest) = &mut self.rest {
            rest.stand_up(model, stage.stood_up());
            self.facts = Some(facts_of(model, rest, item));
        }
    }
}

fn facts_of(model: &Model, rest: &Stage, item: Option<Item>) -> Facts {
    match item {
        None => Facts::File(Box::new(model_info(model)), weight_faults(model, &rest.nodes)),
        Some(Item::Node(node)) => {
            let facts = node_facts(model, node);
            let joints = facts.joint_of.iter().map(|place| joint_facts(model, rest, *place));
            let joints = joints.collect();
            Facts::Node(facts, joints)
        }
        Some(Item::Mesh(mesh)) => Facts::Mesh(mesh_facts(model, mesh)),
        Some(Item::Skin(skin)) => Facts::Skin(skin_facts(model, skin)),
        Some(Item::Texture(texture)) => Facts::Texture(texture_facts(model, texture)),
        Some(Item::Clip(clip)) => {
            let motion = rest.root_motion(model, &model.clips[clip]);
            Facts::Clip(clip_channels(model, clip), motion.map(Box::new))
        }
        Some(item) => Facts::Changing(item),
    }
}

/// What is shown of.
struct Shown<'a> {
    session: &'a Session,
    document: &'a Document,
    stage: &'a Stage,
}

impl Shown<'_> {
    /// Shows the facts, and the numbers of the present pose.
    fn show(&self, page: &mut Page<'_>, facts: &Facts, thumbnails: &mut Thumbnails) {
        let (model, stage) = (&*self.document.model, self.stage);
        match facts {
            Facts::File(info, faults) => {
                file::show(page, self.document, info);
                vertex::show_faults(page, faults);
            }
            Facts::Node(facts, joints) => {
                let can_pose = self.session.playback().can_pose(facts.index);
                node::show(page, facts, &posed_node(model, stage, facts.index), can_pose);
                let playback = self.session.playback();
                if let Some(clip) = playback.clip() {
                    let channels = driving_channels(model, clip, facts.index, playback.time_secs());
                    page.section("Channels", |page| node::channels(page, &channels));
                }
                for joint in joints {
                    let posed = posed_joint(model, stage, joint.place);
                    let title =
                        format!("Joint of {}", item_name(model, Item::Skin(joint.place.skin)));
                    page.section(&title, |page| joint::show(page, joint, &posed));
                }
                if !joints.is_empty() {
                    joint::weights_ui(page, self.session.look());
                }
            }
            Facts::Mesh(facts) => mesh::show(page, facts, stage),
            Facts::Skin(facts) => file_objects::show_skin(page, facts),
            Facts::Texture(facts) => texture::show(page, facts, thumbnails),
            Facts::Clip(facts, motion) => {
                clip::show(page, facts, self.document.borrowed.is_none());
                if let Some(motion) = motion {
                    clip::root(page, motion);
                }
            }
            Facts::Changing(item) => self.changing(page, *item, thumbnails),
        }
    }

    fn changing(&self, page: &mut Page<'_>, item: Item, thumbnails: &mut Thumbnails) {
        let (model, now) = (&*self.document.model, &self.stage.properties);
        match item {
            Item::Camera(i) => {
                file_objects::show_camera(page, &camera_facts(model, i, &now.cameras[i]))
            }
            Item::Light(i) => {
                file_objects::show_light(page, &light_facts(model, i, &now.lights[i]))
            }
            Item::Material(i) => {
                let facts = material_facts(model, i, &now.materials[i]);
                material::show(page, &facts, thumbnails);
            }
            _ => {}
        }
    }
}

/// Returns all that is shown as JSON, with the clip and the time of the pose.
fn json_of(shown: &Shown<'_>, facts: &Facts, vertex: Option<&VertexFacts>) -> Value {
    let (model, stage) = (&*shown.document.model, shown.stage);
    let now = &stage.properties;
    let mut all = match facts {
        Facts::File(info, faults) => json!({ "file": info, "weight_faults": faults }),
        Facts::Node(facts, joints) => {
            let joints: Vec<Value> = joints
                .iter()
                .map(|joint| json!({ "joint": joint, "posed": posed_joint(model, stage, joint.place) }))
                .collect();
            json!({ "node": facts, "posed": posed_node(model, stage, facts.index), "joints": joints })
        }
        Facts::Mesh(facts) => json!({ "mesh": facts }),
        Facts::Skin(facts) => json!({ "skin": facts }),
        Facts::Texture(facts) => json!({ "texture": facts }),
        Facts::Clip(facts, motion) => {
            let root = motion.as_ref().map(|motion| clip::root_json(motion));
            json!({ "clip": facts, "root_motion": root })
        }
        Facts::Changing(Item::Camera(i)) => {
            json!({ "camera": camera_facts(model, *i, &now.cameras[*i]) })
        }
        Facts::Changing(Item::Light(i)) => {
            json!({ "light": light_facts(model, *i, &now.lights[*i]) })
        }
        Facts::Changing(Item::Material(i)) => {
            json!({ "material": material_facts(model, *i, &now.materials[*i]) })
        }
        Facts::Changing(_) => Value::Null,
    };
    if let (Value::Object(all), Some(vertex)) = (&mut all, vertex) {
        all.insert("vertex".into(), json!(vertex));
    }
    if let Value::Object(all) = &mut all {
        let playback = shown.session.playback();
        let clip = playback.clip_index();
        let name = clip.and_then(|clip| shown.document.clip_name(clip));
        let at = json!({ "clip": clip, "clip_name": name, "time": playback.time_secs() });
        all.insert("at".into(), at);
    }
    all
}

/// Shows the kind and the name of the part, and a button that copies all of it.
fn header_ui(
    ui: &mut Ui,
    document: &Document,
    item: Option<Item>,
    actions: &mut Vec<Action>,
    json: impl FnOnce() -> Value,
) {
    let (kind, name) = match item {
        Some(item) => (kind_name(item), item_name(&document.model, item)),
        None => ("File", super::text::one_line(&document.name)),
    };
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let copy = ui.small_button("JSON").accessible_name("Copy as JSON");
            if copy.on_hover_text("Copy all of this as JSON").clicked() {
                let text = serde_json::to_string_pretty(&json()).unwrap_or_default();
                ui.ctx().copy_text(text);
                actions.push(Action::Notice(NoticeKind::Done, "Copied as JSON".into()));
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.label(RichText::new(kind).size(12.0).color(theme::colors(ui).weak));
                let shown = match item {
                    Some(_) => fitting_name(ui, &name, ui.available_width()),
                    None => fitting(ui, &name, ui.available_width()),
                };
                let is_whole = shown == name;
                let title = ui.label(RichText::new(shown).color(theme::colors(ui).strong));
                if !is_whole {
                    title.on_hover_text(&name);
                }
            });
        });
    });
}
