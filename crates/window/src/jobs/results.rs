//! The results of jobs.

use std::sync::Arc;

use rigview_compare::{ModelDifference, Moment};
use rigview_model::{Model, Vertex};
use rigview_render::{Gpu, GpuModel};
use rigview_session::{LoadId, PreparedModel};

/// An instant whose distances are wanted as colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeatRequest {
    pub moment: Moment,
    /// The distance in metres of the hottest colour.
    pub hottest: f64,
}

/// The colours of an instant.
pub(crate) struct HeatColours {
    pub order: HeatRequest,
    /// By mesh, then primitive.
    pub vertices: Vec<Vec<Vec<Vertex>>>,
}

/// A result of a comparison.
pub(crate) enum ComparisonResult {
    /// The difference, or the reason why there is none.
    Difference(Box<Result<ModelDifference, String>>),
    /// The model to be coloured; before the first colours.
    Model(Arc<Model>),
    /// The colours of an instant; `None` if the models have no mesh in common.
    Heat(Option<HeatColours>),
}

/// An upload that has ended.
pub(crate) struct Upload {
    /// The load.
    pub id: LoadId,
    /// The model, without the pixels that the GPU has now.
    pub model: Box<PreparedModel>,
    /// The copy on the GPU; `None` if the upload failed.
    pub gpu_model: Option<GpuModel>,
    /// The device that the copy is on.
    pub gpu: Gpu,
}
