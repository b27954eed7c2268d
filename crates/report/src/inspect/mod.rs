//! Facts about one part of a file, as a person who asks why a rig moves as it does wants to see them. Numbers of
//! the present pose are those of [`pose_report`](super::pose_report).
//!
//! What depends on the file alone is apart from what depends on the pose, because the former may read all vertices.

mod bind;
mod channels;
mod joint;
mod material;
mod mesh;
mod node;
mod optics;
mod texture;
mod vertex;
mod vertex_rows;
mod weights;

pub use bind::{FromBind, offsets_from_bind, skin_offsets_from_bind};
pub use channels::{DrivingChannel, driving_channels};
pub use joint::{JointFacts, PosedJoint, joint_facts, posed_joint};
pub use material::{FactorValue, MaterialFacts, TextureUse, material_facts};
pub use mesh::{MeshFacts, MorphFacts, PrimitiveFacts, mesh_facts};
pub use node::{Angles, JointOf, NodeFacts, PosedNode, node_facts, posed_node};
pub use optics::{CameraFacts, LightFacts, SkinFacts, camera_facts, light_facts, skin_facts};
pub use texture::{SamplerFacts, TextureFacts, texture_facts};
pub use vertex::{Contribution, MorphDelta, VertexFacts, vertex_facts};
pub use vertex_rows::{VertexRow, vertex_rows, vertex_weights};
pub use weights::{JointWeights, WeightFault, joint_weights, weight_at, weight_faults};
