//! The results of jobs.

use std::path::PathBuf;
use std::sync::Arc;

use super::MeasuredPair;
use rigview_compare::{ModelDifference, Moment};
use rigview_model::{Model, Vertex};
use rigview_render::{Gpu, GpuModel};
use rigview_session::{Action, LoadId, LoadRequest, PreparedModel};

/// A result of a job, or what another thread tells the shell: [`Shell::take`](crate::Shell::take).
pub enum Report {
    /// The answer to an effect of the session.
    Answer(Action),
    /// A model to be drawn was read.
    Read(Box<LoadRequest>, Box<PreparedModel>),
    /// Its upload has ended.
    Uploaded(Box<UploadedModel>),
    /// The comparison of this number has a result.
    Compared(LoadId, ComparisonResult),
    /// The files of a later start of the program. They come this way so that what is reported after them is taken after
    /// them.
    HandedOver(Vec<PathBuf>),
    /// A line of the script; `None` after the last one, an error if reading fails.
    Line(Result<Option<String>, String>),
}

/// An instant whose distances are wanted as colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatRequest {
    /// The instant.
    pub moment: Moment,
    /// The distance in metres of the hottest colour.
    pub hottest: f64,
}

/// The colours of an instant.
pub struct HeatColours {
    /// By mesh, then primitive.
    pub vertices: Vec<Vec<Vec<Vertex>>>,
}

/// A result of a comparison.
pub enum ComparisonResult {
    /// The difference, and what measures the distances at instants.
    Difference(Box<ModelDifference>, Box<MeasuredPair>),
    /// The models can't be compared, for this reason.
    Failed(String),
    /// An instant was measured.
    Heat {
        /// The instant.
        request: HeatRequest,
        /// Measures the next one.
        pair: Box<MeasuredPair>,
        /// The model to be coloured; with the first colours only.
        model: Option<Arc<Model>>,
        /// The colours; `None` if the models have no mesh in common.
        colours: Option<HeatColours>,
    },
}

/// An upload that has ended.
pub struct UploadedModel {
    /// The load.
    pub id: LoadId,
    /// The model, without the pixels that the GPU has now.
    pub model: Box<PreparedModel>,
    /// The copy on the GPU; `None` if the upload failed.
    pub gpu_model: Option<GpuModel>,
    /// The device that the copy is on.
    pub gpu: Gpu,
}
