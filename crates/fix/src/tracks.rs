//! The keys of animation channels as a file stores them, before the import repairs or leaves out anything.

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use super::channel_place::ChannelPlace;
use super::document::{Document, ElementLayout};
use rigview_anim::{
    Interpolation, TurnEnd, UnitKey, hermite_basis, hermite_slope_basis, unit_keys,
};
use rigview_export::index;

/// Why data can't be repaired.
pub const UNREAD: &str = "its data is compressed or missing";

/// The keys of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredKeys {
    /// Times in seconds.
    pub times: Vec<f32>,
    /// Numbers per value.
    pub width: usize,
    /// Whether the values are quaternions.
    pub is_rotation: bool,
    /// How values between keys are computed.
    pub interpolation: Interpolation,
    /// The values, key after key; of cubic keys in-tangent, value and out-tangent.
    pub values: Vec<f64>,
}

impl StoredKeys {
    /// Numbers per key.
    fn stride(&self) -> usize {
        match self.interpolation {
            Interpolation::CubicSpline => 3 * self.width,
            _ => self.width,
        }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// All numbers of a key.
    pub fn key(&self, key: usize) -> &[f64] {
        &self.values[key * self.stride()..][..self.stride()]
    }

    /// All numbers of a key, to be changed.
    pub fn key_mut(&mut self, key: usize) -> &mut [f64] {
        let stride = self.stride();
        &mut self.values[key * stride..][..stride]
    }

    /// The value of a key.
    pub fn value(&self, key: usize) -> &[f64] {
        let first = self.stride() / self.width / 2 * self.width;
        &self.key(key)[first..][..self.width]
    }

    /// The value of a key, to be changed.
    pub fn value_mut(&mut self, key: usize) -> &mut [f64] {
        let (first, width) = (self.stride() / self.width / 2 * self.width, self.width);
        &mut self.key_mut(key)[first..][..width]
    }

    /// Keeps these keys, in this order.
    pub fn keep(&mut self, keys: &[usize]) {
        self.values = keys.iter().flat_map(|key| self.key(*key).to_vec()).collect();
        self.times = keys.iter().map(|key| self.times[*key]).collect();
    }

    /// Negates the keys from one on, with their tangents.
    pub fn negate_from(&mut self, key: usize) {
        let first = key * self.stride();
        self.values[first..].iter_mut().for_each(|x| *x = -*x);
    }

    /// Returns a key with the value of another, at which nothing moves.
    fn still(&self, key: usize) -> Vec<f64> {
        match self.interpolation {
            Interpolation::CubicSpline => {
                let still = vec![0.0; self.width];
                [&still, self.value(key), &still].concat()
            }
            _ => self.key(key).to_vec(),
        }
    }

    /// Appends a key that holds the last value, from which nothing moves on the way.
    pub fn hold_until(&mut self, time: f32) {
        let Some(last) = self.len().checked_sub(1) else { return };
        let key = self.still(last);
        if self.interpolation == Interpolation::CubicSpline {
            let width = self.width;
            self.key_mut(last)[2 * width..].fill(0.0);
        }
        self.times.push(time);
        self.values.extend(key);
    }

    /// Appends a key with a value. Cubic keys go there evenly.
    pub fn go_to(&mut self, value: &[f64], time: f32) {
        let Some(last) = self.len().checked_sub(1) else { return };
        if self.interpolation == Interpolation::CubicSpline {
            let (width, secs) = (self.width, f64::from(time) - f64::from(self.times[last]));
            let way = value.iter().zip(self.value(last)).map(|(to, from)| (to - from) / secs);
            let slope: Vec<f64> = way.collect();
            self.key_mut(last)[2 * width..].copy_from_slice(&slope);
            self.values.extend([&slope, value, &slope].into_iter().flatten());
        } else {
            self.values.extend(value);
        }
        self.times.push(time);
    }

    /// Inserts a key at 0 that holds the first value until the first key.
    pub fn begin_held_at_zero(&mut self) {
        let key = self.still(0);
        if self.interpolation == Interpolation::CubicSpline {
            let width = self.width;
            self.key_mut(0)[..width].fill(0.0);
        }
        self.times.insert(0, 0.0);
        self.values.splice(0..0, key);
    }

    /// Returns value and slope at a time between two keys, as the file writes the curve: rotations are not normalised.
    fn between(&self, key: usize, time: f64) -> (Vec<f64>, Vec<f64>) {
        let [start, end] = [key, key + 1].map(|key| f64::from(self.times[key]));
        let (secs, u) = (end - start, (time - start) / (end - start));
        let (a, b) = (self.value(key), self.value(key + 1));
        match self.interpolation {
            Interpolation::Step => (a.to_vec(), vec![0.0; self.width]),
            Interpolation::CubicSpline => {
                let (out, into) = (&self.key(key)[2 * self.width..], self.key(key + 1));
                let sums = |weights: [f64; 4]| -> Vec<f64> {
                    let [from, leaving, to, arriving] = weights;
                    let sum =
                        |i: usize| from * a[i] + leaving * out[i] + to * b[i] + arriving * into[i];
                    (0..self.width).map(sum).collect()
                };
                (sums(hermite_basis(u, secs)), sums(hermite_slope_basis(u, secs)))
            }
            Interpolation::Linear if self.is_rotation => {
                let [a, b] = [a, b].map(DQuat::from_slice);
                (a.slerp(b, u).to_array().to_vec(), vec![0.0; self.width])
            }
            Interpolation::Linear => {
                (a.iter().zip(b).map(|(a, b)| a + u * (b - a)).collect(), vec![0.0; self.width])
            }
        }
    }

    /// Returns the value at a time: of linear keys interpolated, of the ends beyond them.
    #[cfg(test)]
    pub fn sample(&self, time: f64) -> Vec<f64> {
        let after = self.times.partition_point(|key| f64::from(*key) <= time);
        match after {
            0 => self.value(0).to_vec(),
            after if after == self.len() => self.value(after - 1).to_vec(),
            after => self.between(after - 1, time).0,
        }
    }

    /// Inserts keys at those of these increasing times that have none, at which the curve stays as it is. Not for rotations, whose
    /// keys must have unit length.
    pub fn insert(&mut self, times: &[f32]) {
        let old = self.clone();
        (self.times, self.values) = (Vec::new(), Vec::new());
        let mut own = 0;
        let mut push = |time: f32, key: &[f64]| {
            self.times.push(time);
            self.values.extend(key);
        };
        for time in times {
            while own < old.len() && old.times[own] <= *time {
                push(old.times[own], old.key(own));
                own += 1;
            }
            if own == 0 || own == old.len() || old.times[own - 1] == *time {
                continue;
            }
            let (value, slope) = old.between(own - 1, f64::from(*time));
            match old.interpolation {
                Interpolation::CubicSpline => push(*time, &[&slope[..], &value, &slope].concat()),
                _ => push(*time, &value),
            }
        }
        (own..old.len()).for_each(|key| push(old.times[key], old.key(key)));
    }

    /// Subtracts a way from translations, of which these are the places at the keys. Between keys it is straight.
    pub fn take_off(&mut self, ways: &[DVec3]) {
        let times = self.times.clone();
        let slope = |key: usize| -> Option<[f64; 3]> {
            let secs = f64::from(*times.get(key + 1)?) - f64::from(times[key]);
            Some(((*ways.get(key + 1)? - ways[key]) / secs).to_array())
        };
        let subtract = |from: &mut [f64], way: [f64; 3]| {
            from.iter_mut().zip(way).for_each(|(number, way)| *number -= way);
        };
        for (key, way) in ways.iter().enumerate().take(times.len()) {
            subtract(self.value_mut(key), way.to_array());
            if self.interpolation == Interpolation::CubicSpline {
                let before = key.checked_sub(1).and_then(slope);
                let [into, out] = [before.or(slope(key)), slope(key).or(before)];
                let width = self.width;
                let tangents = self.key_mut(key);
                into.into_iter().for_each(|way| subtract(&mut tangents[..width], way));
                out.into_iter().for_each(|way| subtract(&mut tangents[2 * width..], way));
            }
        }
    }

    /// Sets a key at 0, and drops those before it. The curve from 0 on stays the same. The polynomial of a cubic rotation is
    /// shorter at 0 than the unit length that keys must have, so that its interval gets further keys.
    pub fn start_at_zero(&mut self) {
        let after = self.times.partition_point(|time| *time < 0.0);
        let Some(before) = after.checked_sub(1) else { return };
        if self.times.get(after) == Some(&0.0) {
            self.keep(&(after..self.len()).collect::<Vec<_>>());
            return;
        }
        if after < self.len() {
            let (value, slope) = self.between(before, 0.0);
            let key = match self.interpolation {
                Interpolation::CubicSpline => [&slope[..], &value, &slope].concat(),
                _ => value,
            };
            self.key_mut(before).copy_from_slice(&key);
        }
        self.times[before] = 0.0;
        self.keep(&(before..self.len()).collect::<Vec<_>>());
        if self.is_rotation && self.interpolation == Interpolation::CubicSpline {
            self.turn_in_unit_keys();
        }
    }

    /// Replaces the first interval of a cubic rotation by several with keys of unit length, which turn alike.
    fn turn_in_unit_keys(&mut self) {
        if self.len() < 2 {
            let length = self.value(0).iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                self.value_mut(0).iter_mut().for_each(|x| *x /= length);
            }
            return;
        }
        let four = |numbers: &[f64]| [0, 1, 2, 3].map(|i| numbers[i]);
        let end = |key: usize, tangent: &[f64]| TurnEnd {
            time: self.times[key],
            value: four(self.value(key)),
            slope: four(tangent),
            is_cut: key == 0,
        };
        let keys = unit_keys([end(0, &self.key(0)[8..]), end(1, self.key(1))]);
        let [first, between @ .., last] = &keys[..] else { return };
        let row = |key: &UnitKey| [key.slope, key.value, key.slope].concat();
        self.key_mut(0).copy_from_slice(&row(first));
        self.key_mut(1)[..4].copy_from_slice(&last.slope);
        self.times.splice(1..1, between.iter().map(|key| key.time));
        self.values.splice(12..12, between.iter().flat_map(row));
    }
}

impl Document {
    fn sampler(&self, place: &ChannelPlace) -> Option<&Value> {
        self.list("animations").get(place.clip)?.get("samplers")?.get(place.sampler)
    }

    /// Reads a channel's keys.
    ///
    /// # Errors
    /// The reason in words why they can't be read.
    pub fn keys(&self, place: &ChannelPlace) -> Result<StoredKeys, &'static str> {
        let sampler = self.sampler(place).ok_or("its sampler is missing")?;
        let accessor =
            |key: &str| sampler.get(key).and_then(index).ok_or("its accessor is missing");
        let (input, output) = (accessor("input")?, accessor("output")?);
        let times = self.numbers(input).ok_or(UNREAD)?;
        let values = self.numbers(output).ok_or(UNREAD)?;
        let interpolation = match sampler.get("interpolation").and_then(Value::as_str) {
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            _ => Interpolation::Linear,
        };
        if times.iter().any(|time| !time.is_finite()) {
            return Err("a time is NaN or infinite");
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err("a value is NaN or infinite");
        }
        let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let width = match place.path.as_str() {
            "translation" | "scale" => 3,
            "rotation" => 4,
            _ => values.len() / (times.len() * per_key).max(1),
        };
        if times.is_empty() || width == 0 || values.len() != times.len() * width * per_key {
            return Err("the numbers of times and values do not agree");
        }
        let times = times.into_iter().map(|time| time as f32).collect();
        let is_rotation = place.path == "rotation";
        Ok(StoredKeys { times, width, is_rotation, interpolation, values })
    }

    /// Returns the time of a channel's last key, by the bounds of its times if these are compressed.
    pub fn end_of(&self, place: &ChannelPlace) -> Option<f32> {
        let input = self.sampler(place)?.get("input").and_then(index)?;
        let last = self.numbers(input).and_then(|times| times.last().copied());
        let bound = || self.list("accessors").get(input)?.get("max")?.get(0)?.as_f64();
        let end = last.or_else(bound)? as f32;
        end.is_finite().then_some(end)
    }

    /// Replaces a channel's keys. Other channels that share its sampler keep theirs.
    pub fn set_keys(&mut self, place: &ChannelPlace, keys: &StoredKeys) {
        let Some(old) = self.sampler(place).cloned() else { return };
        let before = self.keys(place).ok();
        let times = match before.as_ref().filter(|before| before.times == keys.times) {
            Some(_) => old["input"].clone(),
            None => self.append_times(&keys.times).into(),
        };
        let values = match before.filter(|before| before.values == keys.values) {
            Some(_) => old["output"].clone(),
            None => self.append_values(place, keys, index(&old["output"])).into(),
        };
        let shared = self.is_shared(place);
        let Some(animation) = self.item_mut("animations", place.clip) else { return };
        let samplers = animation.get_mut("samplers").and_then(Value::as_array_mut);
        let Some(samplers) = samplers else { return };
        if !shared {
            (samplers[place.sampler]["input"], samplers[place.sampler]["output"]) = (times, values);
            return;
        }
        let mut new = json!({ "input": times, "output": values });
        if let Some(interpolation) = old.get("interpolation") {
            new["interpolation"] = interpolation.clone();
        }
        samplers.push(new);
        animation["channels"][place.channel]["sampler"] =
            (animation["samplers"].as_array().map_or(1, Vec::len) - 1).into();
    }

    /// Whether other channels of the clip use the sampler of one.
    fn is_shared(&self, place: &ChannelPlace) -> bool {
        let channels = self.list("animations").get(place.clip).and_then(|it| it.get("channels"));
        let channels = channels.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let uses = |channel: &&Value| channel.get("sampler").and_then(index) == Some(place.sampler);
        channels.iter().filter(uses).nth(1).is_some()
    }

    /// Adds a channel with linear keys to a clip that has none for this property of a node.
    pub fn add_linear_channel(&mut self, clip: usize, node: usize, path: &str, keys: &StoredKeys) {
        let input = self.append_times(&keys.times);
        let output = self.append_floats(&keys.values, keys.width, false);
        let Some(animation) = self.item_mut("animations", clip) else { return };
        let lists = ["samplers", "channels"];
        let Some(sampler) = animation.get(lists[0]).and_then(Value::as_array).map(Vec::len) else {
            return;
        };
        let added = [
            json!({ "input": input, "output": output }),
            json!({ "sampler": sampler, "target": { "node": node, "path": path } }),
        ];
        for (list, new) in lists.into_iter().zip(added) {
            if let Some(Value::Array(list)) = animation.get_mut(list) {
                list.push(new);
            }
        }
    }

    /// Replaces the times of a channel's sampler, for all channels that use it.
    pub fn set_times(&mut self, place: &ChannelPlace, times: &[f32]) {
        let times = self.append_times(times);
        let samplers =
            self.item_mut("animations", place.clip).and_then(|it| it.get_mut("samplers"));
        if let Some(sampler) = samplers.and_then(|samplers| samplers.get_mut(place.sampler)) {
            sampler["input"] = times.into();
        }
    }

    /// Appends the values of keys: as integers if those of the old accessor can hold them, or else as floats.
    fn append_values(
        &mut self,
        place: &ChannelPlace,
        keys: &StoredKeys,
        old: Option<usize>,
    ) -> usize {
        let layout = old.and_then(|old| self.layout(old));
        if let Some((old, _)) =
            old.zip(layout.filter(|it| it.is_integer() && it.holds(&keys.values)))
            && let Some(new) = self.append_like(old, &keys.values)
        {
            return new;
        }
        let width = match place.path.as_str() {
            "translation" | "scale" => 3,
            "rotation" => 4,
            _ => layout.map_or(1, |layout| layout.width()),
        };
        let mut values = keys.values.clone();
        let is_linear = keys.interpolation != Interpolation::CubicSpline;
        if place.path == "rotation" && is_linear && layout.is_some_and(ElementLayout::is_integer) {
            // The length of integers is right up to their rounding only.
            for quaternion in values.chunks_exact_mut(4) {
                let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
                if length > 0.0 {
                    quaternion.iter_mut().for_each(|x| *x /= length);
                }
            }
        }
        self.append_floats(&values, width, false)
    }

    /// Removes channels of a clip. Their samplers stay, since notes of other programs may refer to them.
    pub fn remove_channels(&mut self, clip: usize, channels: &[usize]) {
        let list = self.item_mut("animations", clip).and_then(|clip| clip.get_mut("channels"));
        if let Some(Value::Array(list)) = list {
            let mut at = 0;
            list.retain(|_| {
                at += 1;
                !channels.contains(&(at - 1))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(times: &[f32], values: &[f64]) -> StoredKeys {
        let interpolation = Interpolation::Linear;
        let (times, values) = (times.to_vec(), values.to_vec());
        StoredKeys { times, width: 1, is_rotation: false, interpolation, values }
    }

    #[test]
    fn a_curve_that_begins_before_zero_is_cut_there() {
        let mut keys = linear(&[-2.0, -1.0, 1.0, 2.0], &[9.0, 0.0, 4.0, 5.0]);
        keys.start_at_zero();
        assert_eq!(keys, linear(&[0.0, 1.0, 2.0], &[2.0, 4.0, 5.0]));
        let mut ended = linear(&[-2.0, -1.0], &[9.0, 3.0]);
        ended.start_at_zero();
        assert_eq!(ended, linear(&[0.0], &[3.0]));
        let mut there = linear(&[-2.0, 0.0, 1.0], &[9.0, 3.0, 1.0]);
        there.start_at_zero();
        assert_eq!(there, linear(&[0.0, 1.0], &[3.0, 1.0]));
    }

    #[test]
    fn a_cubic_curve_stays_the_same_from_its_cut_on() {
        let cubic = StoredKeys {
            times: vec![-1.0, 3.0],
            width: 1,
            is_rotation: false,
            interpolation: Interpolation::CubicSpline,
            values: vec![0.0, 1.0, 2.0, -3.0, 5.0, 0.0],
        };
        let mut cut = cubic.clone();
        cut.start_at_zero();
        assert_eq!(cut.times, [0.0, 3.0]);
        for time in [0.0, 0.5, 1.7, 3.0] {
            let [a, b] = [&cubic, &cut].map(|keys| keys.sample(time)[0]);
            assert!((a - b).abs() < 1e-12, "{time}: {a} {b}");
        }
    }

    #[test]
    fn four_weights_are_no_rotation() {
        let mut weights = StoredKeys {
            times: vec![-1.0, 1.0],
            width: 4,
            is_rotation: false,
            interpolation: Interpolation::Linear,
            values: vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        };
        weights.start_at_zero();
        assert_eq!(weights.value(0), [0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn a_cubic_rotation_is_cut_with_a_key_of_unit_length() {
        let mut keys = StoredKeys {
            times: vec![-1.0, 1.0],
            width: 4,
            is_rotation: true,
            interpolation: Interpolation::CubicSpline,
            values: vec![0.0; 24],
        };
        (keys.value_mut(0)[3], keys.value_mut(1)[0]) = (1.0, 1.0);
        let whole = keys.clone();
        keys.start_at_zero();
        let unit = |value: Vec<f64>| {
            let length = value.iter().map(|x| x * x).sum::<f64>().sqrt();
            (length, value.into_iter().map(|x| x / length).collect::<Vec<f64>>())
        };
        for key in 0..keys.len() {
            assert!((unit(keys.value(key).to_vec()).0 - 1.0).abs() < 1e-12, "key {key}");
        }
        // It turns as before.
        for time in (0..=50).map(|step| f64::from(step) / 50.0) {
            let [now, before] = [&keys, &whole].map(|keys| unit(keys.sample(time)).1);
            let off = now.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "at {time}: {off}");
        }
    }

    /// Its interval after the cut, and the one beside it, turn as before.
    #[test]
    fn a_cubic_rotation_with_a_key_that_is_not_of_unit_length_keeps_its_polynomial() {
        let mut keys = StoredKeys {
            times: vec![-1.0, 1.0, 2.0],
            width: 4,
            is_rotation: true,
            interpolation: Interpolation::CubicSpline,
            values: vec![0.0; 36],
        };
        for (key, value) in
            [[0.0, 0.0, 0.0, 1.0], [1.3, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]].iter().enumerate()
        {
            keys.value_mut(key).copy_from_slice(value);
            keys.key_mut(key)[..4].fill(0.5);
            keys.key_mut(key)[8..].fill(-0.5);
        }
        let whole = keys.clone();
        keys.start_at_zero();
        assert_eq!(keys.times, [0.0, 1.0, 2.0]);
        for time in (0..=40).map(|step| f64::from(step) / 20.0) {
            let [now, before] = [&keys, &whole].map(|keys| keys.sample(time));
            let off = now.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "at {time}: {off}");
        }
    }

    #[test]
    fn a_held_cubic_key_does_not_move_after_it() {
        let mut keys = StoredKeys {
            times: vec![0.0, 1.0],
            width: 1,
            is_rotation: false,
            interpolation: Interpolation::CubicSpline,
            values: vec![0.0, 1.0, 2.0, 1.0, 5.0, 7.0],
        };
        keys.hold_until(3.0);
        assert_eq!((keys.sample(2.0), keys.sample(3.0)), (vec![5.0], vec![5.0]));
    }
}
