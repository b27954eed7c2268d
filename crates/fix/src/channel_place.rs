//! The channels of a file, and what each drives: a property of a node, or what a JSON pointer names.

use serde_json::Value;

use super::document::Document;
use rigview_check::ChannelTarget;
use rigview_export::index;
use rigview_import::{pointer_index, property_slot};
use rigview_model::Slot;

/// A channel of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelPlace {
    /// Index of the animation.
    pub clip: usize,
    /// Index into its channels.
    pub channel: usize,
    /// Index into its samplers.
    pub sampler: usize,
    /// The nodes that are driven: one, none, or those with the mesh whose weights a pointer names.
    pub nodes: Vec<usize>,
    /// The property of the nodes, as glTF names it; otherwise `pointer`.
    pub path: String,
    /// The first of the morph weights that are driven; 0 for other properties.
    pub first: usize,
    /// JSON pointer of what is driven.
    pub driven: String,
}

impl ChannelPlace {
    /// Returns the channel's JSON pointer.
    pub fn pointer(&self) -> String {
        format!("/animations/{}/channels/{}", self.clip, self.channel)
    }

    /// Returns the node that is driven, the first of several.
    pub fn node(&self) -> Option<usize> {
        self.nodes.first().copied()
    }

    /// Returns the property that a pointer names, if it is none of a node's transform or weights.
    pub fn slot(&self) -> Option<Slot> {
        self.nodes.is_empty().then(|| property_slot(&self.driven)).flatten()
    }

    /// Returns what it drives, of several nodes for the first.
    pub fn target(&self) -> Option<ChannelTarget> {
        let path = ["translation", "rotation", "scale", "weights"];
        let path = path.into_iter().find(|path| *path == self.path);
        match (self.node(), path) {
            (Some(node), Some(path)) => Some(ChannelTarget::Node { node, path, first: self.first }),
            _ => self.slot().map(ChannelTarget::Property),
        }
    }

    /// Whether it drives what a finding is about.
    pub fn drives(&self, target: ChannelTarget) -> bool {
        match target {
            ChannelTarget::Node { node, path, first } => {
                self.nodes.contains(&node) && self.path == path && self.first == first
            }
            ChannelTarget::Property(slot) => self.slot() == Some(slot),
        }
    }
}

impl Document {
    /// Returns the channels of a clip whose samplers exist.
    pub fn channels(&self, clip: usize) -> Vec<ChannelPlace> {
        let Some(animation) = self.list("animations").get(clip) else { return Vec::new() };
        let samplers = animation.get("samplers").and_then(Value::as_array).map_or(0, Vec::len);
        let all =
            animation.get("channels").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let place = |(channel, value): (usize, &Value)| {
            let target = value.get("target")?;
            let sampler = value.get("sampler").and_then(index).filter(|at| *at < samplers)?;
            let path = target.get("path").and_then(Value::as_str)?.to_owned();
            let by_pointer =
                target.get("extensions").and_then(|all| all.get("KHR_animation_pointer"));
            let by_pointer = by_pointer.and_then(|it| it.get("pointer")).map(Value::as_str);
            let at = ChannelPlace {
                clip,
                channel,
                sampler,
                nodes: Vec::new(),
                first: 0,
                // Without a node, it drives nothing, and nothing else drives that.
                driven: format!("/animations/{clip}/channels/{channel}"),
                path,
            };
            if let Some(pointer) = by_pointer {
                return Some(self.aimed(at, pointer?));
            }
            let node = target.get("node").and_then(index).filter(|_| at.path != "pointer");
            let driven = node.map(|node| format!("/nodes/{node}/{}", at.path));
            Some(ChannelPlace {
                nodes: node.into_iter().collect(),
                driven: driven.unwrap_or_else(|| at.driven.clone()),
                ..at
            })
        };
        all.iter().enumerate().filter_map(place).collect()
    }

    /// Returns a channel that drives what a pointer names.
    fn aimed(&self, place: ChannelPlace, pointer: &str) -> ChannelPlace {
        let mut steps = pointer.split('/').skip(1);
        let (list, item) = (steps.next(), steps.next().and_then(pointer_index));
        let (path, first) = (steps.next(), steps.next().map(pointer_index));
        let nodes = match (list, item, path) {
            (Some("nodes"), Some(node), Some("translation" | "rotation" | "scale" | "weights"))
                if node < self.list("nodes").len() =>
            {
                vec![node]
            }
            (Some("meshes"), Some(mesh), Some("weights")) => self.nodes_with_weights_of(mesh),
            _ => Vec::new(),
        };
        let is_deeper = steps.next().is_some();
        match (path, first) {
            (Some(path), None) if !nodes.is_empty() => {
                ChannelPlace { nodes, path: path.to_owned(), driven: pointer.to_owned(), ..place }
            }
            (Some(path @ "weights"), Some(Some(first))) if !nodes.is_empty() && !is_deeper => {
                let (path, driven) = (path.to_owned(), pointer.to_owned());
                ChannelPlace { nodes, path, first, driven, ..place }
            }
            _ => ChannelPlace { path: "pointer".into(), driven: pointer.to_owned(), ..place },
        }
    }

    /// Returns the nodes that have the weights of a mesh, since they have none of their own.
    fn nodes_with_weights_of(&self, mesh: usize) -> Vec<usize> {
        let nodes = self.list("nodes").iter().enumerate();
        let has_weights = |node: &Value| {
            node.get("mesh").and_then(index) == Some(mesh) && node.get("weights").is_none()
        };
        nodes.filter(|(_, node)| has_weights(node)).map(|(node, _)| node).collect()
    }
}
