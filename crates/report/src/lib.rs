//! Facts about a model as plain, serialisable data. Nothing here prints.
//!
//! ```
//! use rigview_import::{ImportOptions, load};
//! use rigview_report::model_info;
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/creature.glb");
//! let loaded = load(file.as_ref(), &ImportOptions::default())?;
//! let info = model_info(&loaded.model);
//! let clips: Vec<_> = info.animations.iter().filter_map(|clip| clip.name.as_deref()).collect();
//! assert_eq!(clips, ["Idle", "Walk", "Hop"]);
//! # Ok::<(), rigview_import::ImportError>(())
//! ```

mod angular_speed;
mod channels;
mod clip_form;
mod compression;
mod curve;
mod edge;
mod euler;
mod info;
mod inspect;
mod lab;
mod polyline;
mod pose;
mod pose_file;
mod pose_speed;
mod posture;
mod skin_error;
mod text;
mod vrm_info;

pub use angular_speed::angular_speed;
pub use channels::{ChannelInfo, ClipChannels, clip_channels};
pub use clip_form::ClipForm;
pub use compression::{
    ClipCost, CompressionReport, FormCost, FormError, FormOptions, check_form, clip_bytes,
    clip_in_form, compression_report,
};
pub use curve::{
    CurveOptions, CurvePart, KeyPoint, NodeCurves, TrackCurve, channel_curve, charge_curves,
    driven_nodes, node_channels, node_curves, value_at,
};
pub use edge::EdgeError;
pub use euler::EulerOrder;
pub use info::{ModelInfo, SameName, model_info};
pub use inspect::{
    Angles, CameraFacts, Contribution, DrivingChannel, FactorValue, FromBind, JointFacts, JointOf,
    JointWeights, LightFacts, MaterialFacts, MeshFacts, MorphDelta, MorphFacts, NodeFacts,
    PosedJoint, PosedNode, PrimitiveFacts, SamplerFacts, SkinFacts, TextureFacts, TextureUse,
    VertexFacts, VertexRow, WeightFault, camera_facts, driving_channels, joint_facts,
    joint_weights, light_facts, material_facts, mesh_facts, node_facts, offsets_from_bind,
    posed_joint, posed_node, skin_facts, skin_offsets_from_bind, texture_facts, vertex_facts,
    vertex_rows, vertex_weights, weight_at, weight_faults,
};
pub use lab::{Deviation, Lab, LabCurve};
pub use polyline::CurvePoint;
pub use pose::{
    NodePose, PoseReport, SkinPose, VertexSample, charge_pose, local_pose_of, pose_report, sampled,
};
pub use pose_file::{GivenPose, HandMade, HandMadeNode, PoseFile};
pub use pose_speed::{NsPerJoint, PoseSpeed, Spread, measured_poses, pose_speed, start_times};
pub use posture::lies_on_its_back;
pub use skin_error::{ShownSkin, SkinError, WorstVertex, with_skins};
pub use text::{MARKDOWN_BYTES, markdown_text};
pub use text::{counted, plural};
