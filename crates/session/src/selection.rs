//! The part of the file that the panels describe, the vertex that was picked, and the requests to find what is at a
//! place of the picture.

use glam::DVec2;

use crate::LoadId;
use crate::same_part::{same_part, vertex_again};
use rigview_model::{DrawnPrimitive, FileVertex, Model, Stage, Touched};

/// A part of the file, by its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A node; a joint is a node.
    Node(usize),
    /// A mesh.
    Mesh(usize),
    /// A skin.
    Skin(usize),
    /// A material.
    Material(usize),
    /// A texture.
    Texture(usize),
    /// A camera.
    Camera(usize),
    /// A light.
    Light(usize),
    /// A clip of the file.
    Clip(usize),
}

impl Item {
    /// Returns the part that a JSON pointer of a file leads into: `/meshes/0/primitives/1` is in mesh 0.
    pub fn at(pointer: &str) -> Option<Self> {
        let lights = "/extensions/KHR_lights_punctual";
        let mut parts = pointer.strip_prefix(lights).unwrap_or(pointer).split('/').skip(1);
        let (kind, index) = (parts.next()?, parts.next()?.parse().ok()?);
        Some(match kind {
            "nodes" => Self::Node(index),
            "meshes" => Self::Mesh(index),
            "skins" => Self::Skin(index),
            "materials" => Self::Material(index),
            "textures" => Self::Texture(index),
            "cameras" => Self::Camera(index),
            "lights" => Self::Light(index),
            "animations" => Self::Clip(index),
            _ => return None,
        })
    }

    /// Whether the model has this part.
    pub fn is_in(self, model: &Model) -> bool {
        self.named(model).is_some()
    }

    /// Returns the part of another version of a model.
    fn again(self, before: &Model, after: &Model) -> Option<Self> {
        let (of_kind, index): (fn(usize) -> Self, usize) = match self {
            Item::Node(i) => (Item::Node, i),
            Item::Mesh(i) => (Item::Mesh, i),
            Item::Skin(i) => (Item::Skin, i),
            Item::Material(i) => (Item::Material, i),
            Item::Texture(i) => (Item::Texture, i),
            Item::Camera(i) => (Item::Camera, i),
            Item::Light(i) => (Item::Light, i),
            Item::Clip(i) => (Item::Clip, i),
        };
        let names = (0..).map_while(|other| of_kind(other).named(after));
        same_part(index, self.named(before)?, names).map(of_kind)
    }

    /// Whether the model has this part, and its name.
    fn named(self, model: &Model) -> Option<Option<&str>> {
        match self {
            Item::Node(i) => model.nodes.get(i).map(|n| n.name.as_deref()),
            Item::Mesh(i) => model.meshes.get(i).map(|m| m.name.as_deref()),
            Item::Skin(i) => model.skins.get(i).map(|s| s.name.as_deref()),
            Item::Material(i) => model.materials.get(i).map(|m| m.name.as_deref()),
            Item::Texture(i) => model.textures.get(i).map(|_| None),
            Item::Camera(i) => model.cameras.get(i).map(|c| c.name.as_deref()),
            Item::Light(i) => model.lights.get(i).map(|l| l.name.as_deref()),
            Item::Clip(i) => model.clips.get(i).map(rigview_anim::Clip::name),
        }
    }
}

/// The part of the file that the panels describe, the vertex that was picked, and the node under the pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    item: Option<Item>,
    vertex: Option<FileVertex>,
    hovered: Option<usize>,
}

/// A change of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionAction {
    /// Selects a part of the file, or nothing. The picked vertex is forgotten.
    Select(Option<Item>),
    /// Selects a vertex and the node that shows it. Of a node that is shown at instances only, it is the first one
    /// unless the vertex names another.
    Pick(FileVertex),
    /// The node under the pointer, if any.
    Hover(Option<usize>),
}

impl Selection {
    /// The selected part of the file.
    pub fn item(&self) -> Option<Item> {
        self.item
    }

    /// The selected node, if the selected part is one.
    pub fn node(&self) -> Option<usize> {
        match self.item {
            Some(Item::Node(node)) => Some(node),
            _ => None,
        }
    }

    /// The picked vertex.
    pub fn vertex(&self) -> Option<FileVertex> {
        self.vertex
    }

    /// The node under the pointer.
    pub fn hovered(&self) -> Option<usize> {
        self.hovered
    }

    /// Changes the selection. Parts that the model does not have are not selected.
    pub(super) fn apply(&mut self, action: SelectionAction, model: Option<&Model>) {
        let has = |item: Item| model.is_some_and(|model| item.named(model).is_some());
        match action {
            SelectionAction::Select(item) => {
                self.item = item.filter(|item| has(*item));
                self.vertex = None;
            }
            SelectionAction::Pick(vertex) if has_vertex(vertex, model) => {
                let node = vertex.drawn.node;
                self.item = Some(Item::Node(node));
                let instances = model.map_or(0, |model| model.nodes[node].instances.len());
                let instance = vertex.instance.or((instances > 0).then_some(0));
                self.vertex = Some(FileVertex { instance, ..vertex });
            }
            SelectionAction::Pick(_) => {}
            SelectionAction::Hover(node) => {
                self.hovered = node.filter(|node| has(Item::Node(*node)));
            }
        }
    }

    /// Carries the selection over to a file that was read again: a part is found by index and name, or else by name.
    pub(super) fn carry_over(&mut self, before: &Model, after: &Model) {
        self.hovered = None;
        self.item = self.item.and_then(|item| item.again(before, after));
        let vertex = self.vertex.and_then(|vertex| vertex_again(vertex, before, after));
        self.vertex = vertex.filter(|v| has_vertex(*v, Some(after)));
    }
}

fn has_vertex(vertex: FileVertex, model: Option<&Model>) -> bool {
    let DrawnPrimitive { node, primitive } = vertex.drawn;
    let mesh = model.and_then(|model| {
        let mesh = model.nodes.get(node)?.mesh?;
        model.meshes.get(mesh)
    });
    let primitive = mesh.and_then(|mesh| mesh.primitives.get(primitive));
    primitive.is_some_and(|primitive| vertex.index < primitive.source_vertices)
}

/// The purpose of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Show the name of the node.
    Name,
    /// Select the node and the nearest vertex; if the node is selected, the joint that moves the place most.
    Select,
    /// Select the joint that moves the place most.
    SelectJoint,
    /// Frame the node, which is selected unless it or its joint is.
    Frame,
}

/// A question: what does the picture show at a place?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickRequest {
    /// The place in picture heights from the picture's centre, Y down.
    pub at: DVec2,
    /// The length of a point of the screen, in picture heights.
    pub point: f64,
    /// The purpose.
    pub purpose: Purpose,
}

/// The answer to a question.
#[derive(Debug)]
pub struct PickAnswer {
    /// The question.
    pub question: PickRequest,
    /// The load of the model that was shown.
    pub load: LoadId,
    /// The pose of the picture; `None` if it is of no use, as for a name.
    pub stage: Option<Stage>,
    /// The surface, line or point that the picture shows; `None` for the background.
    pub touched: Option<Touched>,
}

/// A step of picking.
#[derive(Debug)]
pub enum PickAction {
    /// Asks what is at a place.
    Ask(PickRequest),
    /// Takes the answer.
    Take(Box<PickAnswer>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn only_what_the_model_has_is_selected() {
        let model = sample::model();
        let mut selection = Selection::default();
        selection.apply(SelectionAction::Select(Some(Item::Node(0))), Some(&model));
        assert_eq!(selection.node(), Some(0));
        selection.apply(SelectionAction::Hover(Some(0)), Some(&model));
        assert_eq!(selection.hovered(), Some(0));
        selection.apply(SelectionAction::Select(Some(Item::Skin(7))), Some(&model));
        assert_eq!(selection.item(), None);
        selection.apply(SelectionAction::Pick(FileVertex::new(0, 9, 0)), Some(&model));
        assert_eq!(selection.vertex(), None);
    }

    #[test]
    fn a_pointer_leads_into_a_part() {
        assert_eq!(Item::at("/meshes/3/primitives/0/attributes"), Some(Item::Mesh(3)));
        assert_eq!(Item::at("/animations/1"), Some(Item::Clip(1)));
        let light = "/extensions/KHR_lights_punctual/lights/2/color";
        assert_eq!(Item::at(light), Some(Item::Light(2)));
        for other in ["", "/", "/asset", "/accessors/1", "/nodes/x", "/nodes", "nodes/1"] {
            assert_eq!(Item::at(other), None, "{other}");
        }
        assert!(Item::Node(1).is_in(&sample::model()) && !Item::Node(2).is_in(&sample::model()));
    }

    #[test]
    fn reading_again_keeps_what_has_the_same_index_and_name() {
        let before = sample::model();
        let mut selection = Selection::default();
        selection.apply(SelectionAction::Select(Some(Item::Node(0))), Some(&before));
        let mut after = sample::model();
        selection.carry_over(&before, &after);
        assert_eq!(selection.node(), Some(0));
        after.nodes[0].name = Some("another".into());
        selection.carry_over(&before, &after);
        assert_eq!(selection.item(), None);
    }
}
