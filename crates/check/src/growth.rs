//! The rule of bounds: BOUNDS_GROW.

use glam::Vec3;

use super::surface::Surface;
use super::take::Take;
use super::{Code, Finding};
use rigview_model::{Aabb, PointPositions, Stage};

/// Points that are posed per clip at most; beyond, the largest growth so far is reported.
const MOST_POINTS: usize = 100_000_000;

/// Compares the boxes of the joints' vertices, which contain the skin, with the box of the rest pose, and
/// poses the skin only where they leave it further than the skin does elsewhere.
pub(super) fn findings(take: &Take, surface: &Surface) -> Option<Finding> {
    let rest = &surface.rest;
    let diagonal = surface.size();
    if surface.skinned.is_empty() || !diagonal.is_finite() || diagonal == 0.0 {
        return None;
    }
    let growth = take.rig.threshold(Code::BoundsGrow);
    let reach = take.at_each(&take.times, |stage| past(&joint_boxes(take, surface, stage), rest));
    let mut order: Vec<usize> =
        (0..reach.len()).filter(|i| reach[*i] > growth * diagonal).collect();
    order.sort_by(|a, b| reach[*b].total_cmp(&reach[*a]));
    let (mut furthest, mut time) = (growth * diagonal, None);
    let (mut pose, mut stage) = (PointPositions::default(), take.rig.stage.clone());
    for at in order.into_iter().take((MOST_POINTS / surface.len().max(1)).max(1)) {
        if reach[at] <= furthest {
            break;
        }
        stage.pose(take.rig.model, Some(take.clip), take.times[at]);
        let within = grown(rest, furthest);
        let past = past(&surface.skinned_box(take.rig, &stage, &within, &mut pose), rest);
        if past > furthest {
            (furthest, time) = (past, Some(take.times[at]));
        }
    }
    let (time, share) = (time?, furthest / diagonal);
    let text = format!(
        "in {} the skin leaves the box of the rest pose by {:.0} % of its diagonal, at {time:.3} s",
        take.called(),
        100.0 * share
    );
    let finding = Finding::new(Code::BoundsGrow, text).in_clip(take.name()).when(time);
    Some(finding.measured(share, "share of the diagonal").limited(growth).at(take.pointer()))
}

/// Returns a box that contains the skinned points.
fn joint_boxes(take: &Take, surface: &Surface, stage: &Stage) -> Aabb {
    let mut all = Aabb::EMPTY;
    for &node in &surface.skinned {
        all.union(&stage.node_bounds(take.rig.model, node));
    }
    all
}

/// Returns a box that reaches nearly as far past another on all sides. What is inside is not farther.
fn grown(inner: &Aabb, metres: f64) -> Aabb {
    /// Leaves room for the rounding of the corners.
    const NEARLY: f64 = 1.0 - 1e-6;
    let reach = Vec3::splat((NEARLY * metres) as f32);
    Aabb { min: inner.min - reach, max: inner.max + reach }
}

/// Returns how far a box leaves another along an axis, in metres; 0 if it is inside, empty or overflows.
fn past(outer: &Aabb, inner: &Aabb) -> f64 {
    if outer.is_empty() {
        return 0.0;
    }
    let past = (inner.min - outer.min).max(outer.max - inner.max).max_element();
    if past.is_finite() { f64::from(past.max(0.0)) } else { 0.0 }
}
