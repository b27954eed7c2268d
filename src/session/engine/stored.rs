//! The skins of a model that was read, in the form of the chosen engine.

use crate::model::{JointsBeyond, Model, Primitive, PrimitiveSkin, SkinForm};

/// The form in which a model's skins are stored, and what the file has instead.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct StoredSkins {
    pub form: SkinForm,
    /// The file's joints and weights; `None` if the model has them.
    pub exact: Option<Vec<PrimitiveSkin>>,
    /// The joints beyond the limit, and the vertices that they move.
    pub beyond: JointsBeyond,
}

impl StoredSkins {
    /// Stores the skins of a model in a form, and keeps the file's influences.
    pub fn store(form: SkinForm, model: &mut Model) -> Self {
        if form.is_exact() {
            return Self { form, ..Self::default() };
        }
        let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let exact = Some(primitives.filter_map(Primitive::skin).collect());
        let nodes = model.scene_nodes(model.default_scene);
        let beyond = JointsBeyond::find(model, &nodes, form.joints);
        form.apply(model);
        Self { form, exact, beyond }
    }
}
