//! A change from one model to another: its kind, the object and what is different.

use serde::Serialize;

rigview_anim::named_enum! {
    /// The noun that changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// A node, with its parent and what it carries.
        Node = "node",
        /// A mesh: its primitives, their vertex counts, attributes and materials.
        Mesh = "mesh",
        /// A skin: its set of joints.
        Skin = "skin",
        /// A material.
        Material = "material",
        /// A clip.
        Clip = "clip",
        /// An image.
        Image = "image",
        /// A scene.
        Scene = "scene",
        /// A material variant.
        Variant = "variant",
        /// A part of a VRM avatar.
        Vrm = "vrm",
        /// The winding of a mesh's triangles.
        Winding = "winding",
        /// The normals of a mesh.
        Normals = "normals",
        /// The tangents of a mesh.
        Tangents = "tangents",
        /// The texture coordinates of a mesh.
        Uv = "uv",
        /// The vertex colours of a mesh.
        Colours = "colours",
        /// The joints and weights of a mesh's vertices.
        Weights = "weights",
        /// An attribute of a mesh that only an application knows.
        Attribute = "attribute",
        /// The inverse bind matrix of a joint, or those of a skin.
        Bind = "bind",
        /// The extras of an object, or of the file.
        Extras = "extras",
    }
}

impl Kind {
    /// Whether a change is about what a file has and how it is connected, not about the numbers in it.
    pub fn is_structure(self) -> bool {
        use Kind::{Clip, Image, Material, Mesh, Node, Scene, Skin, Variant, Vrm};
        matches!(self, Node | Mesh | Skin | Material | Clip | Image | Scene | Variant | Vrm)
    }
}

rigview_anim::named_enum! {
    /// How something changed from the first model to the second.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChangeKind {
        /// Only the second model has it.
        Added = "added",
        /// Only the first model has it.
        Removed = "removed",
        /// Both have it, and it differs.
        Changed = "changed",
    }
}

/// A change from the first model to the second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The noun.
    pub kind: Kind,
    /// Its name in the first model, or in the second one if it was added; its index after `#` if it has none.
    pub name: String,
    /// Whether it was added, removed or changed.
    pub change: ChangeKind,
    /// What is different, in words. Empty for what was removed.
    pub what: String,
    /// The part of `what` that is about the name.
    #[serde(skip)]
    pub renamed: Option<String>,
    /// The distance in metres that the change comes to; `None` if it counts whatever distance is accepted.
    #[serde(skip)]
    pub distance: Option<f64>,
}

impl Change {
    /// Returns the change of something that both models have.
    pub(super) fn changed(kind: Kind, name: String, what: String) -> Self {
        Self { kind, name, change: ChangeKind::Changed, what, renamed: None, distance: None }
    }

    /// Whether the change is a distance of at most `tolerance` metres.
    pub fn is_within(&self, tolerance: f64) -> bool {
        self.distance.is_some_and(|distance| distance <= tolerance)
    }

    /// Returns the change without what is about the name; `None` if nothing is left.
    pub(super) fn without_name(mut self) -> Option<Self> {
        let Some(renamed) = self.renamed.take() else { return Some(self) };
        let rest = self.what.strip_prefix(&renamed)?.strip_prefix("; ")?;
        self.what = rest.to_owned();
        Some(self)
    }
}
