//! What a comparison of two models finds.

use std::collections::BTreeMap;

use serde::Serialize;

use super::change::{Change, ChangeKind, Kind};
use super::changes::interpolations::InterpolationChange;
use super::changes::structure::image_changes;
use super::measured::Paired;
use super::pairing::clip_pairs::PairedBy;
use super::pairing::pairs::Pairs;
use rigview_model::Model;

/// The difference of two models, A and B.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelDifference {
    /// What was added, removed, renamed or connected in another way, and attributes of vertices, winding and inverse
    /// bind matrices that differ. Rest transforms, keys, interpolations, the order of entries and the signs of
    /// quaternions are no structure.
    pub structure: Vec<Change>,
    /// How the vertices were paired: by the weakest way of any mesh. `None` if no mesh can be paired.
    pub paired: Option<Paired>,
    /// The difference at rest.
    pub rest: RestDifference,
    /// The difference of each pair of clips, in the order of A.
    pub clips: Vec<ClipDifference>,
    /// The materials of both models whose properties differ.
    pub materials: Vec<Change>,
    /// Why no distance is known; `None` if distances are measured.
    #[serde(skip)]
    pub unmeasured: Option<Unmeasured>,
    /// The pairs of images, to compare them again.
    #[serde(skip)]
    pub(super) images: Pairs,
}

/// Why no distances between two models can be measured. It prints as a clause without a way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmeasured {
    /// A draws no mesh, and B draws one.
    NoMeshInA,
    /// B draws no mesh, and A draws one.
    NoMeshInB,
    /// Both draw meshes, and no two of them have enough of their surface in common.
    OtherShapes,
}

impl std::fmt::Display for Unmeasured {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoMeshInA => "A has no mesh",
            Self::NoMeshInB => "B has no mesh",
            Self::OtherShapes => "no mesh of A has the shape of one of B",
        })
    }
}

/// The difference of two models at rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RestDifference {
    /// The largest distance between the same vertex of both, in metres; `None` if no mesh can be paired.
    pub distance: Option<f64>,
    /// The first node of A whose local transform differs most; `None` if none differs.
    pub node: Option<String>,
}

/// The difference of two clips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipDifference {
    /// The name of the clip of A.
    pub a: Option<String>,
    /// The name of the clip of B.
    pub b: Option<String>,
    /// What both have in common.
    pub paired_by: PairedBy,
    /// The largest distance between the same vertex of both over all instants, in metres; `None` if no mesh
    /// can be paired.
    pub distance: Option<f64>,
    /// The node of A that draws that vertex.
    pub vertex_node: Option<String>,
    /// The first node of A whose own local transform moves that vertex most at that instant; `None` if none differs.
    pub joint: Option<String>,
    /// The instant in seconds.
    pub time: Option<f64>,
    /// The largest difference of that node's rotation over all instants, in degrees.
    pub angle: Option<f64>,
    /// The channels whose interpolation changed. They decide nothing: their effect is in the distance.
    pub interpolations: Vec<InterpolationChange>,
    /// The durations of both, in seconds.
    pub durations: [f32; 2],
    /// Indices of the clips.
    #[serde(skip)]
    pub index: [usize; 2],
    /// Index of the node that `joint` names.
    #[serde(skip)]
    pub joint_index: Option<usize>,
}

impl ModelDifference {
    /// Whether structure and materials are the same, and all distances at most `tolerance` metres.
    pub fn is_equal(&self, tolerance: f64) -> bool {
        let near = |distance: Option<f64>| distance.is_some_and(|distance| distance <= tolerance);
        self.structure.iter().all(|change| change.is_within(tolerance))
            && self.materials.is_empty()
            && near(self.rest.distance)
            && self.clips.iter().all(|clip| near(clip.distance))
    }

    /// Returns the clips that are farthest apart; `None` if no clips are farther apart than the rest poses, beyond
    /// rounding.
    pub fn worst_clip(&self) -> Option<&ClipDifference> {
        let by_distance = |x: &&ClipDifference, y: &&ClipDifference| {
            let [x, y] = [x, y].map(|clip| clip.distance.unwrap_or(-1.0));
            x.total_cmp(&y)
        };
        // Of equal clips, the first one.
        let worst = self.clips.iter().rev().max_by(by_distance)?;
        let rest = self.rest.distance.map(|distance| distance * 1.001);
        (worst.distance > rest).then_some(worst)
    }

    /// Whether an image of both models has other bytes, which may be the same pixels. If so, decode the images and call
    /// [`ModelDifference::with_images`].
    pub fn needs_pixels(&self) -> bool {
        let is_content = |change: &Change| {
            let is_changed = (change.kind, change.change) == (Kind::Image, ChangeKind::Changed);
            is_changed && change.what.ends_with("content")
        };
        self.structure.iter().any(is_content)
    }

    /// Returns the difference with the images compared again, whose pixels are now known.
    pub fn with_images(mut self, a: &Model, b: &Model) -> Self {
        let is_image = |change: &Change| change.kind == Kind::Image;
        let Some(at) = self.structure.iter().position(is_image) else { return self };
        self.structure.retain(|change| !is_image(change));
        self.structure.splice(at..at, image_changes(a, b, &self.images));
        self
    }
}

/// The largest distances between the posed skins of two models, in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distances {
    /// That of the rest poses.
    pub at_rest: f64,
    /// Those of the clips that both have, by their index in the second model.
    pub clips: BTreeMap<usize, f64>,
}

impl Distances {
    /// Returns the largest one.
    pub fn largest(&self) -> f64 {
        self.clips.values().copied().fold(self.at_rest, f64::max)
    }
}
