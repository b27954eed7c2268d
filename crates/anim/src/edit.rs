//! Edits of clips that keep their keys: cutting a range out, and playing backwards.

use glam::Quat;

use super::{Channel, Clip, ClipParts, Keys, Track, TurnEnd, Value, unit_keys};

/// An edit of all tracks of a clip.
#[derive(Clone, Copy, Debug)]
enum Edit {
    /// Keeps a range of times, in seconds.
    Cut { from: f64, to: f64 },
    /// Plays a clip of this duration in seconds backwards.
    Reverse { end: f64 },
}

/// The keys of a track while it is built. Lists of tracks that are not cubic have values only.
#[derive(Debug)]
struct TrackKeys<T> {
    times: Vec<f32>,
    in_tangents: Vec<T>,
    values: Vec<T>,
    out_tangents: Vec<T>,
}

/// Returns the part of a clip between two times in seconds, which begins at 0. Between its ends it plays as before, with
/// the keys that it had and one at each end. Times outside the clip are clamped to it. Channels of properties are left out.
pub fn cut(clip: &Clip, from: f64, to: f64) -> Clip {
    let end = f64::from(clip.duration_secs());
    let from = from.clamp(0.0, end);
    let to = to.clamp(from, end);
    let [from, to] = [from, to].map(|time| f64::from(time as f32));
    edited(clip, Edit::Cut { from, to }, to - from)
}

/// Returns a clip that plays backwards. Channels of properties are left out.
pub fn reversed(clip: &Clip) -> Clip {
    let end = f64::from(clip.duration_secs());
    edited(clip, Edit::Reverse { end }, end)
}

fn edited(clip: &Clip, edit: Edit, duration: f64) -> Clip {
    let duration_secs = duration as f32;
    let channel = |channel: &Channel| match channel {
        Channel::Translation { node, track } => {
            Channel::Translation { node: *node, track: edit.track(track) }
        }
        Channel::Rotation { node, track } => {
            Channel::Rotation { node: *node, track: edit.rotation(track) }
        }
        Channel::Scale { node, track } => Channel::Scale { node: *node, track: edit.track(track) },
        Channel::Weights { node, first, track } => {
            Channel::Weights { node: *node, first: *first, track: edit.track(track) }
        }
    };
    let mut channels: Vec<Channel> = clip.channels().iter().map(channel).collect();
    hold_to_end(&mut channels, duration_secs);
    let starts = channels.iter().filter_map(|channel| channel.times().first().copied());
    Clip::new(ClipParts {
        name: clip.name().map(str::to_owned),
        start_secs: starts.reduce(f32::min).unwrap_or(0.0),
        channels,
        properties: Vec::new(),
        duration_secs,
    })
}

/// Gives the first channel a last key at the end of a clip in seconds, if no channel has one there: in a file, the last key
/// tells how long a clip lasts.
pub fn hold_to_end(channels: &mut [Channel], end_secs: f32) {
    let last = |channel: &Channel| channel.times().last().copied().unwrap_or(0.0);
    if channels.iter().all(|channel| last(channel) < end_secs)
        && let Some(first) = channels.first_mut()
    {
        hold_until(first, end_secs);
    }
}

impl Edit {
    /// Edits a rotation. A part of a cubic interval gets keys of unit length.
    fn rotation(self, track: &Track<Quat>) -> Track<Quat> {
        let (Self::Cut { from, to }, Keys::Cubic { .. }) = (self, track.keys()) else {
            return self.track(track);
        };
        let mut rows = cut_rows(track, from, to);
        let last = rows.times.len().saturating_sub(2);
        let cuts_end = f64::from(track.start_secs()) < to && f64::from(track.end_secs()) > to;
        if f64::from(track.start_secs()) < from {
            rows.turn_in_unit_keys(0, [true, cuts_end && last == 0]);
        }
        let is_done = last == 0 && f64::from(track.start_secs()) < from;
        if cuts_end && !is_done {
            rows.turn_in_unit_keys(rows.times.len().saturating_sub(2), [false, true]);
        }
        rows.into_track(track)
    }

    fn track<T: Value>(self, track: &Track<T>) -> Track<T> {
        let rows = match self {
            Self::Cut { from, to } => cut_rows(track, from, to),
            Self::Reverse { end } => reversed_rows(track, end),
        };
        rows.into_track(track)
    }
}

/// Returns the keys of a track between two times, with one at each end that the track goes beyond.
fn cut_rows<T: Value>(track: &Track<T>, from: f64, to: f64) -> TrackKeys<T> {
    let mut rows = TrackKeys::new();
    let (first, last) = (f64::from(track.start_secs()), f64::from(track.end_secs()));
    if first < from {
        rows.push_between(track, from, 0.0);
    }
    for (key, time) in track.times().iter().enumerate() {
        let time = f64::from(*time);
        if (from..=to).contains(&time) {
            rows.push_key(track, key, (time - from) as f32);
        }
    }
    if first < to && last > to {
        rows.push_between(track, to, (to - from) as f32);
    }
    if rows.times.is_empty() {
        // All keys are later: the first one holds.
        rows.push_key(track, 0, 0.0);
    }
    rows
}

fn reversed_rows<T: Value>(track: &Track<T>, end: f64) -> TrackKeys<T> {
    let mut rows = TrackKeys::new();
    let keys = track.times().len();
    let mirrored = |key: usize| (end - f64::from(track.times()[key])).max(0.0) as f32;
    if let Keys::Step(_) = track.keys() {
        // A value that was held until the next key is held from that key's time on.
        if keys == 1 || mirrored(keys - 1) > 0.0 {
            rows.push_key(track, keys - 1, 0.0);
        }
        for key in (0..keys - 1).rev() {
            rows.push_key(track, key, mirrored(key + 1));
        }
        return rows;
    }
    for key in (0..keys).rev() {
        rows.push_key(track, key, mirrored(key));
    }
    let turned = |list: Vec<T>| -> Vec<T> {
        list.into_iter().map(|x| T::weighted([-1.0, 0.0, 0.0, 0.0], [x; 4])).collect()
    };
    (rows.in_tangents, rows.out_tangents) = (turned(rows.out_tangents), turned(rows.in_tangents));
    rows
}

impl TrackKeys<Quat> {
    /// Replaces the interval that begins with a key by several with keys of unit length, which turn alike. `is_cut` tells of
    /// both ends whether they were made by a cut.
    fn turn_in_unit_keys(&mut self, key: usize, is_cut: [bool; 2]) {
        let next = key + 1;
        if next >= self.times.len() {
            // A single key, which a cut leaves.
            let value = &mut self.values[key];
            *value = if value.length() > 0.0 { value.normalize() } else { *value };
            return;
        }
        let wide = |quat: Quat| quat.to_array().map(f64::from);
        let end = |key: usize, tangent: Quat, is_cut: bool| TurnEnd {
            time: self.times[key],
            value: wide(self.values[key]),
            slope: wide(tangent),
            is_cut,
        };
        let keys = unit_keys([
            end(key, self.out_tangents[key], is_cut[0]),
            end(next, self.in_tangents[next], is_cut[1]),
        ]);
        let [first, between @ .., last] = &keys[..] else { return };
        let narrow = |numbers: [f64; 4]| Quat::from_array(numbers.map(|x| x as f32));
        (self.values[key], self.out_tangents[key]) = (narrow(first.value), narrow(first.slope));
        (self.values[next], self.in_tangents[next]) = (narrow(last.value), narrow(last.slope));
        self.times.splice(next..next, between.iter().map(|key| key.time));
        self.values.splice(next..next, between.iter().map(|key| narrow(key.value)));
        for tangents in [&mut self.in_tangents, &mut self.out_tangents] {
            tangents.splice(next..next, between.iter().map(|key| narrow(key.slope)));
        }
    }
}

impl<T: Value> TrackKeys<T> {
    fn new() -> Self {
        Self {
            times: Vec::new(),
            in_tangents: Vec::new(),
            values: Vec::new(),
            out_tangents: Vec::new(),
        }
    }

    /// Whether a key at a time can follow. Times that are closer than a float can tell are one key.
    fn takes(&mut self, time: f32) -> bool {
        let takes = self.times.last().is_none_or(|last| *last < time);
        if takes {
            self.times.push(time);
        }
        takes
    }

    /// Appends a key of a track at another time.
    fn push_key(&mut self, track: &Track<T>, key: usize, time: f32) {
        if !self.takes(time) {
            return;
        }
        let row = key * track.width()..(key + 1) * track.width();
        match track.keys() {
            Keys::Step(values) | Keys::Linear(values) => {
                self.values.extend_from_slice(&values[row]);
            }
            Keys::Cubic { in_tangents, values, out_tangents } => {
                self.in_tangents.extend_from_slice(&in_tangents[row.clone()]);
                self.values.extend_from_slice(&values[row.clone()]);
                self.out_tangents.extend_from_slice(&out_tangents[row]);
            }
        }
    }

    /// Appends a key with the value and the slope of a track at a time, which lies between its first and last key.
    fn push_between(&mut self, track: &Track<T>, at: f64, time: f32) {
        if !self.takes(time) {
            return;
        }
        let key = track.key_index(at);
        if !matches!(track.keys(), Keys::Cubic { .. }) || key + 1 >= track.times().len() {
            let first = self.values.len();
            let (Keys::Step(list) | Keys::Linear(list) | Keys::Cubic { values: list, .. }) =
                track.keys();
            self.values.extend_from_slice(&list[..track.width()]);
            track.sample_into(at, &mut self.values[first..]);
            if matches!(track.keys(), Keys::Cubic { .. }) {
                let still: Vec<T> =
                    self.values[first..].iter().map(|x| T::weighted([0.0; 4], [*x; 4])).collect();
                self.in_tangents.extend_from_slice(&still);
                self.out_tangents.extend(still);
            }
            return;
        }
        let [start, end] = [key, key + 1].map(|key| f64::from(track.times()[key]));
        let (span, u) = (end - start, (at - start) / (end - start));
        for value in 0..track.width() {
            let Some(piece) = track.segment(key, value) else { continue };
            let slope = piece.slope_at(u, span);
            self.in_tangents.push(slope);
            self.values.push(piece.at(u, span));
            self.out_tangents.push(slope);
        }
    }

    fn into_track(self, like: &Track<T>) -> Track<T> {
        let keys = match like.keys() {
            Keys::Step(_) => Keys::Step(self.values),
            Keys::Linear(_) => Keys::Linear(self.values),
            Keys::Cubic { .. } => Keys::Cubic {
                in_tangents: self.in_tangents,
                values: self.values,
                out_tangents: self.out_tangents,
            },
        };
        // Never an error: times increase from 0, and each has its values.
        Track::new(self.times, keys, like.width()).unwrap_or_else(|_| like.clone())
    }
}

/// Gives a channel a last key at a time, up to which it holds.
pub(super) fn hold_until(channel: &mut Channel, time: f32) {
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            *track = held_until(track, time);
        }
        Channel::Rotation { track, .. } => *track = held_until(track, time),
        Channel::Weights { track, .. } => *track = held_until(track, time),
    }
}

/// Returns a track with a last key at a time, up to which it holds.
fn held_until<T: Value>(track: &Track<T>, time: f32) -> Track<T> {
    let mut rows = TrackKeys::new();
    for (key, time) in track.times().iter().enumerate() {
        rows.push_key(track, key, *time);
    }
    let last = track.times().len() - 1;
    rows.push_key(track, last, time);
    let still = |list: &mut [T]| {
        list.iter_mut().for_each(|x| *x = T::weighted([0.0; 4], [*x; 4]));
    };
    if matches!(track.keys(), Keys::Cubic { .. }) && rows.times.len() > last + 1 {
        let width = track.width();
        still(&mut rows.out_tangents[last * width..]);
        still(&mut rows.in_tangents[(last + 1) * width..]);
    }
    rows.into_track(track)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalPose;
    use crate::{Cursor, Transform};
    use glam::Vec3;

    /// A clip of 3 s with a track of each kind, none of which spans all of it.
    fn clip() -> Clip {
        let turn = |angle: f32| Quat::from_rotation_x(angle);
        let rotation = Track::new(
            vec![0.5, 1.5, 2.5],
            Keys::Linear(vec![turn(0.1), turn(1.4), turn(-0.7)]),
            1,
        );
        let place = |x: f32| Vec3::new(x, 2.0 * x, -x);
        let cubic = Keys::Cubic {
            in_tangents: vec![place(0.0), place(-1.0), place(2.0)],
            values: vec![place(0.0), place(1.0), place(5.0)],
            out_tangents: vec![place(3.0), place(4.0), place(1.0)],
        };
        let translation = Track::new(vec![0.25, 1.0, 3.0], cubic, 1);
        let turned = Keys::Cubic {
            in_tangents: vec![turn(0.3) * 0.2, turn(0.1) * 0.5],
            values: vec![turn(0.0), turn(1.0) * 1.1],
            out_tangents: vec![turn(0.7) * 2.0, turn(0.2)],
        };
        let steps = Keys::Step(vec![Vec3::ONE, 2.0 * Vec3::ONE, 3.0 * Vec3::ONE]);
        let channels = vec![
            Channel::Rotation { node: 0, track: rotation.unwrap() },
            Channel::Translation { node: 0, track: translation.unwrap() },
            Channel::Scale { node: 0, track: Track::new(vec![0.2, 1.0, 2.0], steps, 1).unwrap() },
            Channel::Rotation { node: 1, track: Track::new(vec![0.0, 2.0], turned, 1).unwrap() },
        ];
        Clip::new(ClipParts { channels, duration_secs: 3.0, ..ClipParts::default() })
    }

    fn apart(a: &Clip, at_a: f64, b: &Clip, at_b: f64) -> f32 {
        let rest = LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![], vec![]]);
        let pose = |clip: &Clip, time: f64| {
            let mut out = rest.clone();
            clip.pose(time, &rest, &mut Cursor::default(), &mut out);
            [0, 1].map(|node| out.transform(node))
        };
        let (a, b) = (pose(a, at_a), pose(b, at_b));
        let off = |(a, b): (Transform, Transform)| {
            (a.translation.distance(b.translation))
                .max(1.0 - a.rotation.dot(b.rotation).abs())
                .max(a.scale.distance(b.scale))
        };
        a.into_iter().zip(b).map(off).fold(0.0, f32::max)
    }

    #[test]
    fn a_part_plays_as_it_did_in_the_whole() {
        let whole = clip();
        for (from, to) in [(0.0, 3.0), (0.3, 2.2), (0.9, 1.1), (2.6, 3.0), (1.0, 2.0), (0.0, 0.1)] {
            let part = cut(&whole, from, to);
            assert!((f64::from(part.duration_secs()) - (to - from)).abs() < 1e-6);
            let longest = part.channels().iter().flat_map(|c| c.times()).copied();
            assert_eq!(longest.fold(0.0, f32::max), part.duration_secs(), "{from} {to}");
            for step in 0..40 {
                // Beside the steps, which may be on either side of a rounded time.
                let time = (to - from) * (f64::from(step) + 0.37) / 40.0;
                let off = apart(&part, time, &whole, from + time);
                assert!(off < 2e-6, "{from} to {to} at {time}: {off}");
            }
        }
    }

    /// Keys of rotations must be of unit length, which the polynomial between two keys is not.
    #[test]
    fn a_part_of_a_cubic_rotation_has_unit_keys() {
        let still = vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 3];
        let turns = [0.0f32, 3.0, 1.2].map(Quat::from_rotation_z).to_vec();
        let keys = Keys::Cubic { in_tangents: still.clone(), values: turns, out_tangents: still };
        let track = Track::new(vec![0.0, 1.0, 2.0], keys, 1).unwrap();
        let channels = vec![Channel::Rotation { node: 0, track }];
        let whole = Clip::new(ClipParts { channels, duration_secs: 2.0, ..ClipParts::default() });
        for (from, to) in [(0.5, 1.5), (0.4, 0.6), (0.5, 2.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0)] {
            let part = cut(&whole, from, to);
            let Channel::Rotation { track, .. } = &part.channels()[0] else { panic!() };
            let Keys::Cubic { values, .. } = track.keys() else { panic!() };
            assert!(values.iter().all(|key| key.is_normalized()), "{from} {to}: {values:?}");
            for step in 0..=40 {
                let time = (to - from) * f64::from(step) / 40.0;
                let off = apart(&part, time, &whole, from + time);
                assert!(off < 1e-6, "{from} to {to} at {time}: {off}");
            }
        }
    }

    #[test]
    fn a_reversed_clip_has_the_same_poses_in_the_other_order() {
        let whole = clip();
        let back = reversed(&whole);
        assert_eq!(back.duration_secs(), 3.0);
        for step in 0..40 {
            let time = 3.0 * (f64::from(step) + 0.37) / 40.0;
            let off = apart(&back, time, &whole, 3.0 - time);
            assert!(off < 2e-6, "at {time}: {off}");
        }
        let again = reversed(&back);
        assert!(apart(&again, 0.77, &whole, 0.77) < 2e-6);
    }

    #[test]
    fn an_instant_is_a_clip_of_no_length() {
        let still = cut(&clip(), 1.2, 1.2);
        assert_eq!(still.duration_secs(), 0.0);
        assert!(apart(&still, 0.0, &clip(), 1.2) < 2e-6);
    }
}
