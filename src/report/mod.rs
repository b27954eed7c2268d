//! Facts about a model as plain data that serialises. Nothing here prints.

mod info;
mod pose;

pub use info::{ModelInfo, model_info};
pub use pose::{NodePose, PoseReport, SkinPose, VertexSample, local_pose_of, pose_report, sampled};
