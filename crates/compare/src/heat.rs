//! The model B with its distance from A as colours.

use glam::{DVec3, Vec3};

use super::error::ComparisonError;
use super::measured::Measured;
use super::model_difference::ModelDifference;
use super::models::Comparison;
use super::motion::PosedPair;
use super::motion::spans::ClipPair;
use super::side::Side;
use rigview_anim::{Clip, ClipParts};
use rigview_model::{Hull, Material, Model, Primitive, linear_from_srgb};

/// A model at the instant at which it is farthest from another one, coloured by the distance.
#[derive(Clone, Debug)]
pub struct Heat {
    /// The model B. Its vertices have the colours of their distances ([`heat_color`]), grey if they have no
    /// counterpart in A; its materials are all matt.
    pub model: Model,
    /// Index of the clip of B; `None` for the rest pose.
    pub clip: Option<usize>,
    /// The instant in seconds.
    pub time_secs: f64,
    /// The outermost vertices of A and of B at that instant, in the scene, to frame both by one camera.
    pub outermost: Vec<DVec3>,
    /// The distance in metres that has the hottest colour.
    pub largest: f64,
}

/// The colour of vertices without a counterpart, in sRGB.
const UNPAIRED: [u8; 3] = [150, 150, 150];

/// Returns the colour of a share of the largest distance: blue, cyan, green, yellow and red from 0 to 1, as
/// in the pass `weights`. In sRGB bytes.
pub fn heat_color(share: f32) -> [u8; 3] {
    let heat = 4.0 * share.clamp(0.0, 1.0);
    [heat - 2.0, 2.0 - (heat - 2.0).abs(), 2.0 - heat].map(|c| (c.clamp(0.0, 1.0) * 255.0) as u8)
}

/// Colours B by its distance from A at the worst instant of their difference. Returns `None` if no mesh of both
/// can be compared.
///
/// # Errors
/// If the data that it needs does not fit in a model's budget.
pub fn model_heat(
    a: &Model,
    b: &Model,
    found: &ModelDifference,
) -> Result<Option<Heat>, ComparisonError> {
    let comparison = Comparison::new(a, b)?;
    let Some(measured @ Measured::Points(points)) = &comparison.measured else { return Ok(None) };
    let worst = found.worst_clip();
    let clips = ClipPair {
        a: worst.map(|clip| &a.clips[clip.index[0]]),
        b: worst.map(|clip| &b.clips[clip.index[1]]),
    };
    let time_secs = worst.and_then(|clip| clip.time).unwrap_or(0.0);
    let mut posed = PosedPair::new(&comparison.a, &comparison.b);
    posed.pose(&comparison.rigs(), clips, time_secs);
    let of_b = (0..points.len()).map(|pair| points.points(pair)[1] as usize);
    let of_b = of_b.zip(posed.distances(measured));
    let distances = furthest_per_point(comparison.b.motion.len(), of_b);
    let largest = distances.iter().flatten().copied().fold(0.0, f32::max);
    let mut outermost = outermost(posed.a.points(), posed.a.stage.origin);
    outermost.extend(self::outermost(posed.b.points(), posed.b.stage.origin));
    let mut model = matt(&comparison.b);
    paint(&comparison.b, &mut model, &distances, largest);
    Ok(Some(Heat {
        model,
        clip: worst.map(|clip| clip.index[1]),
        time_secs,
        outermost,
        largest: f64::from(largest),
    }))
}

fn outermost(points: &[Vec3], origin: DVec3) -> Vec<DVec3> {
    let mut hull: Hull<Vec3> = Hull::default();
    points.iter().for_each(|at| hull.add(*at, *at));
    hull.furthest().map(|at: Vec3| at.as_dvec3() + origin).collect()
}

/// Returns the largest distance of each of `points` points; `None` for those without a counterpart.
pub(super) fn furthest_per_point(
    points: usize,
    distances: impl Iterator<Item = (usize, f32)>,
) -> Vec<Option<f32>> {
    let mut furthest: Vec<Option<f32>> = vec![None; points];
    for (point, distance) in distances {
        let most = &mut furthest[point];
        *most = Some(most.map_or(distance, |most| most.max(distance)));
    }
    furthest
}

/// Returns a side's model with matt materials, to be coloured by [`paint`]. Each node gets a mesh of its own, because
/// nodes that share one may be at different distances.
pub(super) fn matt(side: &Side) -> Model {
    let mut model = without_properties(side.model);
    let matt = Material { metallic: 0.0, double_sided: true, ..Material::default() };
    model.materials = vec![matt; model.materials.len() + 1];
    let last = model.materials.len() - 1;
    let mut taken = vec![false; model.meshes.len()];
    for node in side.drawing_nodes() {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        let own = match std::mem::replace(&mut taken[mesh], true) {
            false => mesh,
            true => {
                model.meshes.push(model.meshes[mesh].clone());
                model.meshes.len() - 1
            }
        };
        model.nodes[node].mesh = Some(own);
        model.meshes[own].primitives.iter_mut().for_each(|primitive| plain(primitive, last));
    }
    model
}

/// Colours the vertices of a [`matt`] model by the distances of the side's points; `hottest` is the distance of the
/// hottest colour.
pub(super) fn paint(side: &Side, model: &mut Model, distances: &[Option<f32>], hottest: f32) {
    let colour = |point: Option<usize>| {
        let distance = point.and_then(|point| distances[point]);
        let rgb = distance.map_or(UNPAIRED, |distance| {
            heat_color(if hottest > 0.0 { distance / hottest } else { 0.0 })
        });
        let [r, g, b] = rgb.map(linear);
        [r, g, b, u16::MAX]
    };
    for node in side.drawing_nodes() {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (i, primitive) in model.meshes[mesh].primitives.iter_mut().enumerate() {
            let points = side.motion.points_of(node, i);
            for (vertex, point) in primitive.vertices.iter_mut().zip(points) {
                vertex.color = colour(point);
            }
        }
    }
}

/// Gives a primitive the matt material, without further colours.
fn plain(primitive: &mut Primitive, material: usize) {
    primitive.material = Some(material);
    primitive.variant_materials.clear();
    primitive.targets.iter_mut().for_each(|target| target.colors.clear());
}

/// Returns a copy whose clips move nodes only: animated materials would change the colours.
fn without_properties(model: &Model) -> Model {
    let mut copy = model.clone();
    copy.rest = copy.rest.with_properties(&[]);
    copy.slots.clear();
    let bare = |clip: Clip| Clip::new(ClipParts { properties: Vec::new(), ..clip.into_parts() });
    copy.clips = copy.clips.into_iter().map(bare).collect();
    copy
}

/// Returns a byte of sRGB as linear light in units of 1/65535.
fn linear(byte: u8) -> u16 {
    (linear_from_srgb(f32::from(byte) / 255.0) * 65535.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_goes_from_blue_over_green_to_red() {
        let colours = [0.0, 0.25, 0.5, 0.75, 1.0, 7.0].map(heat_color);
        let [blue, cyan, green, yellow, red] =
            [[0, 0, 255], [0, 255, 255], [0, 255, 0], [255, 255, 0], [255, 0, 0]];
        assert_eq!(colours, [blue, cyan, green, yellow, red, red]);
    }
}
