//! The spans of time within which both clips of a pair are smooth.

use std::collections::HashSet;

use rigview_anim::{Channel, Clip, Interpolation, Keys, instants};
use rigview_model::Work;

/// Parts into which a span is cut if a cubic curve crosses it. A cubic can leave its ends and still be on its chord in
/// the middle.
const CUBIC_PARTS: u32 = 4;

/// A clip of each model; none for the rest pose.
#[derive(Clone, Copy)]
pub(crate) struct ClipPair<'a> {
    pub a: Option<&'a Clip>,
    pub b: Option<&'a Clip>,
}

/// A stretch of time without a key of either clip inside of it, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub start: f64,
    /// The instant just before the next span where a value jumps there, else that span's start.
    pub end: f64,
}

impl Span {
    pub fn length(self) -> f64 {
        self.end - self.start
    }

    pub fn middle(self) -> f64 {
        self.start + 0.5 * self.length()
    }

    pub fn halves(self) -> [Self; 2] {
        let middle = self.middle();
        [Self { end: middle, ..self }, Self { start: middle, ..self }]
    }
}

impl<'a> ClipPair<'a> {
    fn clips(&self) -> impl Iterator<Item = &'a Clip> {
        self.a.into_iter().chain(self.b)
    }

    /// Returns the spans between all keys of both clips and every 1/30 s, at least one. The first instant and the last
    /// one are ends of spans.
    pub fn spans(&self) -> Vec<Span> {
        let times = instants(&self.clips().collect::<Vec<_>>());
        let jumps = self.times_of(Interpolation::Step);
        let is_cubic = !self.times_of(Interpolation::CubicSpline).is_empty();
        let parts = if is_cubic { CUBIC_PARTS } else { 1 };
        let mut spans = Vec::with_capacity(times.len() * parts as usize);
        for both in times.windows(2) {
            let [start, next] = [both[0], both[1]];
            let jumps = jumps.contains(&(next as f32).to_bits());
            // Sampling rounds times to single precision, as those of keys are.
            let last = if jumps { f64::from((next as f32).next_down()) } else { next };
            let at = |part: u32| match part {
                0 => start,
                part if part == parts => last,
                part => start + (last - start) * f64::from(part) / f64::from(parts),
            };
            spans.extend((0..parts).map(|part| Span { start: at(part), end: at(part + 1) }));
        }
        // After a jump at the last key, the clip holds its last pose.
        if let Some(end) = times.last()
            && spans.last().is_none_or(|span| span.end < *end)
        {
            spans.push(Span { start: *end, end: *end });
        }
        spans
    }

    /// Returns the bits of the key times of all channels with an interpolation.
    fn times_of(&self, wanted: Interpolation) -> HashSet<u32> {
        let mut times = HashSet::new();
        for clip in self.clips() {
            let channels = clip.channels().iter().filter(|c| c.interpolation() == wanted);
            times.extend(channels.flat_map(Channel::times).map(|time| time.to_bits()));
            let is_wanted = |keys: &Keys<f32>| keys.interpolation() == wanted;
            let properties = clip.properties().iter().filter(|p| is_wanted(p.track.keys()));
            times.extend(properties.flat_map(|p| p.track.times()).map(|time| time.to_bits()));
        }
        times
    }

    /// Returns the work of posing both at every end and middle of a span; a pose of both has as many
    /// `vertices` and `nodes`.
    pub fn work(&self, vertices: usize, nodes: usize) -> Work {
        /// What a node and a channel cost.
        const NODE: usize = 2;
        const CHANNEL: usize = 8;
        let channels: usize =
            self.clips().map(|clip| clip.channels().len() + clip.properties().len()).sum();
        let poses = 2 * self.spans().len() + 1;
        Work((vertices + NODE * nodes + CHANNEL * channels) as u64) * poses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use rigview_anim::{ClipParts, Track};

    fn clip(times: &[f32], keys: impl Fn(Vec<Vec3>) -> Keys<Vec3>) -> Clip {
        let track = Track::new(times.to_vec(), keys(vec![Vec3::ZERO; times.len()]), 1).unwrap();
        Clip::new(ClipParts {
            channels: vec![Channel::Translation { node: 0, track }],
            duration_secs: times[times.len() - 1],
            ..ClipParts::default()
        })
    }

    fn spans(a: &Clip) -> Vec<[f64; 2]> {
        let pair = ClipPair { a: Some(a), b: None };
        pair.spans().into_iter().map(|span| [span.start, span.end]).collect()
    }

    #[test]
    fn a_jump_ends_its_span_just_before_the_key() {
        let linear = spans(&clip(&[0.0, 0.015625, 0.03125], Keys::Linear));
        assert_eq!(linear, [[0.0, 0.015625], [0.015625, 0.03125]]);
        let step = spans(&clip(&[0.0, 0.015625, 0.03125], Keys::Step));
        let [first, second] = [0.015625f32, 0.03125].map(|key| f64::from(key.next_down()));
        assert_eq!(step, [[0.0, first], [0.015625, second], [0.03125, 0.03125]]);
    }

    #[test]
    fn cubic_spans_are_cut_and_the_rest_pose_is_one_instant() {
        let cubic = |values: Vec<Vec3>| Keys::Cubic {
            in_tangents: values.clone(),
            out_tangents: values.clone(),
            values,
        };
        let quarter = 0.0078125;
        assert_eq!(spans(&clip(&[0.0, 0.03125], cubic))[1], [quarter, 2.0 * quarter]);
        let rest = ClipPair { a: None, b: None };
        assert_eq!(rest.spans(), [Span { start: 0.0, end: 0.0 }]);
    }
}
