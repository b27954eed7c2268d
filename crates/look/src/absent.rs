//! What a look is to show that the model does not have.

use super::{Look, Pass};
use rigview_model::{Model, Primitive, Stage};

rigview_anim::named_enum! {
    /// A value of vertices that a look shows and no visible surface has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Absent {
        /// Of the passes `uv` and `uv-checker`.
        TextureCoordinates = "texture coordinates",
        /// Drawn as lines.
        Normals = "normals",
        /// Drawn as lines.
        Tangents = "tangents",
    }
}

impl Absent {
    /// Returns what a look shows and no visible surface of a scene has. Empty without surfaces.
    pub fn list(look: &Look, model: &Model, stage: &Stage) -> Vec<Self> {
        let vectors = look.aids.vectors;
        let wanted = [
            (Self::TextureCoordinates, matches!(look.pass, Pass::Uv | Pass::UvChecker)),
            (Self::Normals, vectors.normals),
            (Self::Tangents, vectors.tangents),
        ];
        let surfaces = || {
            let shown = stage.nodes.iter().filter(|node| stage.visible[**node]);
            let meshes = shown.filter_map(|node| model.nodes[*node].mesh);
            meshes.flat_map(|mesh| &model.meshes[mesh].primitives)
        };
        let is_absent = |of: Self| surfaces().next().is_some() && !surfaces().any(|s| of.is_in(s));
        wanted
            .into_iter()
            .filter(|(of, shown)| *shown && is_absent(*of))
            .map(|(of, _)| of)
            .collect()
    }

    /// Whether a primitive has it.
    pub fn is_in(self, primitive: &Primitive) -> bool {
        let has = |attribute: &str| primitive.attributes.iter().any(|name| name == attribute);
        // Those that the import computes are in all vertices of a primitive but few.
        let first = primitive.vertices.iter().take(1000);
        match self {
            Self::TextureCoordinates => has("TEXCOORD_0"),
            Self::Normals => has("NORMAL"),
            Self::Tangents => has("TANGENT") || first.into_iter().any(|v| v.tangent != [0.0; 4]),
        }
    }
}
