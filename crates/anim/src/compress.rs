//! Clips as smaller formats would store them: sampled at a fixed rate, in single precision or packed
//! into half floats.
//!
//! Every form converts back to a [`Clip`], so that the format's error can be seen and measured. Morph
//! weights and properties keep their keys.

use glam::{Quat, Vec3};
use half::f16;

use super::rotation::normalized;
use super::{Channel, Clip, ClipParts, Cursor, Keys, LocalPose, TimeBase, Track, Transform};

/// Maximum number of transforms in a sampled clip, a gigabyte.
const MAX_TRANSFORMS: f64 = 25e6;

/// Size of a translation, rotation and scale in single precision, in bytes.
pub const TRANSFORM_BYTES: usize = 40;
/// Size of the first three rows of a matrix in single precision, in bytes.
pub const MATRIX_BYTES: usize = 48;
/// Size of a [`HalfKey`] in bytes.
pub const HALF_KEY_BYTES: usize = 16;

/// One joint's key in eight half floats.
///
/// All axes share one scale, so non-uniform scales are lost. A translation is accurate to half a
/// thousandth of its length (0.5 mm at 1 m, 31 mm at 100 m), a rotation to 0.045 degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfKey {
    /// The translation x, y, z, then the scale.
    pub translation_scale: [u16; 4],
    /// The quaternion x, y, z, w.
    pub rotation: [u16; 4],
}

impl HalfKey {
    /// Packs a transform. The scale becomes the mean of the three axes. Values are clamped to the range
    /// of a half.
    pub fn new(transform: &Transform) -> Self {
        let Transform { translation: t, rotation, scale } = *transform;
        let most = f16::MAX.to_f32();
        let packed = |x: f32| f16::from_f32(x.clamp(-most, most)).to_bits();
        let scale = scale.x / 3.0 + scale.y / 3.0 + scale.z / 3.0;
        Self {
            translation_scale: [t.x, t.y, t.z, scale].map(packed),
            rotation: rotation.to_array().map(packed),
        }
    }

    /// Unpacks the transform. The rotation is normalised.
    pub fn transform(&self) -> Transform {
        let single = |bits: u16| f16::from_bits(bits).to_f32();
        let [x, y, z, scale] = self.translation_scale.map(single);
        Transform {
            translation: Vec3::new(x, y, z),
            rotation: normalized(Quat::from_array(self.rotation.map(single))),
            scale: Vec3::splat(scale),
        }
    }
}

/// A clip has too many frames at the requested rate.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{duration_secs} s at this rate need {transforms:.0} transforms; the limit is {limit} \
     (node count: {nodes})",
    limit = MAX_TRANSFORMS
)]
pub struct SampleError {
    /// Number of transforms required.
    pub transforms: f64,
    /// Duration of the clip.
    pub duration_secs: f32,
    /// Number of nodes that the clip drives.
    pub nodes: usize,
}

/// The transforms of all nodes that a clip drives, at multiples of the time step from 0 and at the
/// clip's end.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledClip {
    /// Indices of the nodes, increasing.
    pub nodes: Vec<usize>,
    /// Times in seconds, strictly increasing.
    pub times: Vec<f32>,
    /// One transform per node, time after time.
    pub transforms: Vec<Transform>,
    /// The rest of the clip: its name, its start and duration, its morph weights and properties.
    rest: ClipParts,
}

impl SampledClip {
    /// Checks that a clip can be sampled, without sampling it.
    ///
    /// # Errors
    /// As [`SampledClip::new`].
    pub fn check(clip: &Clip, base: TimeBase) -> Result<(), SampleError> {
        extent(clip, base).map(drop)
    }

    /// Samples a clip over a rest pose.
    ///
    /// # Errors
    /// If the result would exceed a gigabyte.
    ///
    /// # Panics
    /// As [`Clip::pose`] does.
    pub fn new(clip: &Clip, rest: &LocalPose, base: TimeBase) -> Result<Self, SampleError> {
        let (nodes, frames) = extent(clip, base)?;
        let duration = clip.duration_secs();
        let even = (0..frames).map(|frame| base.secs(frame as f64) as f32);
        let mut times: Vec<f32> = even.take_while(|t| *t < duration).collect();
        times.push(duration);
        // Far from 0 consecutive frames may have equal times in single precision.
        times.dedup();
        // A rig of the driven nodes only, because posing takes as long as the rig has nodes.
        let (small, small_rest) = on_nodes(clip, rest, &nodes);
        let (mut pose, mut cursor) = (small_rest.clone(), Cursor::default());
        let mut transforms = Vec::with_capacity(times.len() * nodes.len());
        for time in &times {
            small.pose(f64::from(*time), &small_rest, &mut cursor, &mut pose);
            transforms.extend((0..nodes.len()).map(|node| pose.transform(node)));
        }
        let rest = ClipParts {
            name: clip.name().map(str::to_owned),
            channels: clip.channels().iter().filter(is_weights).cloned().collect(),
            properties: clip.properties().to_vec(),
            start_secs: clip.start_secs(),
            duration_secs: duration,
        };
        Ok(Self { nodes, times, transforms, rest })
    }

    /// Returns the number of transforms: times multiplied by nodes.
    pub fn keys(&self) -> usize {
        self.transforms.len()
    }

    /// Converts to a clip with LINEAR interpolation between the times.
    pub fn to_clip(&self) -> Clip {
        self.clip_of(|transform| *transform)
    }

    /// Converts to a clip like [`SampledClip::to_clip`], after packing each transform into a
    /// [`HalfKey`] and unpacking it.
    pub fn to_packed_clip(&self) -> Clip {
        self.clip_of(|transform| HalfKey::new(transform).transform())
    }

    fn clip_of(&self, form: impl Fn(&Transform) -> Transform) -> Clip {
        let mut parts = self.rest.clone();
        for (i, &node) in self.nodes.iter().enumerate() {
            let own = self.transforms.iter().skip(i).step_by(self.nodes.len());
            let own: Vec<Transform> = own.map(&form).collect();
            let translations = own.iter().map(|t| t.translation).collect();
            let rotations = own.iter().map(|t| t.rotation).collect();
            let scales = own.iter().map(|t| t.scale).collect();
            // Never an error: the times increase and have one value each.
            if let (Ok(moves), Ok(turns), Ok(sizes)) = (
                Track::new(self.times.clone(), Keys::Linear(translations), 1),
                Track::new(self.times.clone(), Keys::Linear(rotations), 1),
                Track::new(self.times.clone(), Keys::Linear(scales), 1),
            ) {
                parts.channels.extend([
                    Channel::Translation { node, track: moves },
                    Channel::Rotation { node, track: turns },
                    Channel::Scale { node, track: sizes },
                ]);
            }
        }
        Clip::new(parts)
    }
}

fn is_weights(channel: &&Channel) -> bool {
    matches!(channel, Channel::Weights { .. })
}

/// Converts a clip for a rig that has only these nodes, without morph weights. Returns it and the rig's rest pose.
fn on_nodes(clip: &Clip, rest: &LocalPose, nodes: &[usize]) -> (Clip, LocalPose) {
    let transforms = nodes.iter().map(|node| rest.transform(*node)).collect();
    let small = LocalPose::new(transforms, &vec![[0.0; 0]; nodes.len()]);
    let moving = clip.channels().iter().filter(|channel| !is_weights(channel));
    let moved = moving.filter_map(|channel| {
        let index = nodes.binary_search(&channel.node()).ok()?;
        Some(channel.clone().on_node(index))
    });
    let parts = ClipParts {
        name: clip.name().map(str::to_owned),
        channels: moved.collect(),
        properties: Vec::new(),
        start_secs: clip.start_secs(),
        duration_secs: clip.duration_secs(),
    };
    (Clip::new(parts), small)
}

/// Returns the nodes whose transforms a clip drives, increasing, and the number of frames of its samples.
fn extent(clip: &Clip, base: TimeBase) -> Result<(Vec<usize>, usize), SampleError> {
    let moving = clip.channels().iter().filter(|c| !is_weights(c));
    let mut nodes: Vec<usize> = moving.map(Channel::node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let duration_secs = clip.duration_secs();
    let frames = base.ticks(f64::from(duration_secs)).floor() + 2.0;
    let transforms = frames * nodes.len().max(1) as f64;
    if transforms > MAX_TRANSFORMS {
        return Err(SampleError { transforms, duration_secs, nodes: nodes.len() });
    }
    Ok((nodes, frames as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::angle_between;
    use proptest::prelude::*;

    #[test]
    fn a_packed_translation_is_off_by_half_a_step() {
        for (from, step_mm) in [(1.0, 0.49), (8.0, 3.91), (64.0, 31.25), (512.0, 250.0)] {
            let mut worst = 0.0f32;
            for i in 0..2000 {
                let x = from * (1.0 + i as f32 / 2000.0);
                let key =
                    HalfKey::new(&Transform { translation: Vec3::X * x, ..Transform::IDENTITY });
                worst = worst.max((key.transform().translation.x - x).abs());
            }
            assert!(worst * 1000.0 <= step_mm * 1.001 && worst * 1000.0 > 0.9 * step_mm, "{worst}");
        }
        let far = Transform { translation: Vec3::splat(1e9), ..Transform::IDENTITY };
        assert_eq!(HalfKey::new(&far).transform().translation, Vec3::splat(65504.0));
        assert_eq!(size_of::<HalfKey>(), HALF_KEY_BYTES);
    }

    proptest! {
        #[test]
        fn a_packed_rotation_is_off_by_at_most_a_twentieth_of_a_degree(
            q in prop::array::uniform4(-1.0f32..1.0).prop_map(Quat::from_array)
                .prop_filter("a direction", |q| q.length() > 0.1),
        ) {
            let rotation = q.normalize();
            let key = HalfKey::new(&Transform { rotation, ..Transform::IDENTITY });
            let off = angle_between(key.transform().rotation, rotation).to_degrees();
            prop_assert!(off < 0.0475, "{} degrees", off);
        }
    }

    #[test]
    fn a_sampled_clip_has_its_end_and_what_it_does_not_move_stays() {
        let times = vec![0.0, 1.05];
        let track = Track::new(times, Keys::Linear(vec![Vec3::ZERO, Vec3::X]), 1).unwrap();
        let parts = ClipParts {
            channels: vec![Channel::Translation { node: 1, track }],
            duration_secs: 1.05,
            ..ClipParts::default()
        };
        let clip = Clip::new(parts.clone());
        let rest = LocalPose::new(vec![Transform::IDENTITY; 3], &vec![vec![]; 3]);
        let sampled = SampledClip::new(&clip, &rest, TimeBase::per_sec(10.0)).unwrap();
        assert_eq!((sampled.nodes.as_slice(), sampled.times.len()), (&[1][..], 12));
        assert_eq!((sampled.times[10], sampled.times[11]), (1.0, 1.05));
        for again in [sampled.to_clip(), sampled.to_packed_clip()] {
            assert_eq!((again.duration_secs(), again.channels().len()), (1.05, 3));
            let mut pose = rest.clone();
            again.sample(0.525, &mut pose);
            assert!((pose.transform(1).translation - 0.5 * Vec3::X).length() < 5e-4);
        }
    }

    #[test]
    fn a_clip_of_too_many_frames_is_refused_before_any_is_sampled() {
        let lasting = |duration_secs, nodes: usize| {
            let track = Track::new(vec![0.0], Keys::Step(vec![Vec3::ZERO]), 1).unwrap();
            let moves = |node| Channel::Translation { node, track: track.clone() };
            let channels = (0..nodes).map(moves).collect();
            Clip::new(ClipParts { channels, duration_secs, ..ClipParts::default() })
        };
        let rest = LocalPose::new(vec![Transform::IDENTITY; 2], &vec![vec![]; 2]);
        let rate = TimeBase::per_sec(60.0);
        let error = SampleError { transforms: 120_000_000_004.0, duration_secs: 1e9, nodes: 2 };
        assert_eq!(SampledClip::check(&lasting(1e9, 2), rate), Err(error));
        assert_eq!(SampledClip::new(&lasting(1e9, 2), &rest, rate), Err(error));
        // A frame at 0, one per tick, and one at the end.
        let check = |ticks| SampledClip::check(&lasting(1.0, 1), TimeBase::per_sec(ticks));
        assert!(check(MAX_TRANSFORMS - 2.0).is_ok() && check(MAX_TRANSFORMS - 1.0).is_err());
    }
}
