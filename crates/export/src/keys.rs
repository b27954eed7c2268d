//! Writes clips with their own keys.

use serde_json::{Map, Value, json};

use rigview_anim::{Channel, Clip, Keys, Track};
use rigview_document::{Component, Pieces, Shape, count, push};

/// Converts a clip to a glTF animation with the same keys, which are stored in a new view. Its property channels are left
/// out.
pub(super) fn animation(root: &mut Value, clip: &Clip, pieces: &mut Pieces) -> Value {
    let view = count(root, "bufferViews");
    let mut data = Data { root, view, bytes: Vec::new(), times: Vec::new() };
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for channel in clip.channels() {
        let output = match channel {
            Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
                data.values(track, Shape::Vec3, |v| v.to_array().to_vec())
            }
            Channel::Rotation { track, .. } => {
                data.values(track, Shape::Vec4, |q| q.to_array().to_vec())
            }
            Channel::Weights { track, .. } => data.values(track, Shape::Scalar, |x| vec![*x]),
        };
        let input = data.times(channel.times());
        let target = json!({ "node": channel.node(), "path": channel.path() });
        channels.push(json!({ "sampler": samplers.len(), "target": target }));
        let interpolation = channel.interpolation().name();
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    let Data { bytes, .. } = data;
    let (at, length) = (pieces.add(&bytes), bytes.len());
    let view = json!({ "buffer": 0, "byteOffset": at, "byteLength": length });
    push(root, "bufferViews", vec![view]);
    let mut animation = Map::new();
    if let Some(name) = clip.name() {
        animation.insert("name".into(), name.into());
    }
    animation.insert("channels".into(), channels.into());
    animation.insert("samplers".into(), samplers.into());
    animation.into()
}

/// The accessors of a clip.
struct Data<'a> {
    root: &'a mut Value,
    /// The view of all of them, and its bytes.
    view: usize,
    bytes: Vec<u8>,
    /// Key times with their accessors, since channels share them.
    times: Vec<(Vec<f32>, usize)>,
}

impl Data<'_> {
    fn times(&mut self, times: &[f32]) -> usize {
        if let Some((_, accessor)) = self.times.iter().find(|(known, _)| known == times) {
            return *accessor;
        }
        let accessor = self.add(times, Shape::Scalar);
        let item = &mut self.root["accessors"][accessor];
        item["min"] = json!([times.first()]);
        item["max"] = json!([times.last()]);
        self.times.push((times.to_vec(), accessor));
        accessor
    }

    fn values<T: rigview_anim::Value>(
        &mut self,
        track: &Track<T>,
        shape: Shape,
        numbers: impl Fn(&T) -> Vec<f32>,
    ) -> usize {
        let flat: Vec<f32> = match track.keys() {
            Keys::Step(values) | Keys::Linear(values) => values.iter().flat_map(numbers).collect(),
            Keys::Cubic { in_tangents, values, out_tangents } => {
                let per_key = track.width();
                let keys = 0..values.len() / per_key.max(1);
                let of = |list: &[T], key: usize| -> Vec<f32> {
                    list[key * per_key..(key + 1) * per_key].iter().flat_map(&numbers).collect()
                };
                keys.flat_map(|key| {
                    [of(in_tangents, key), of(values, key), of(out_tangents, key)].concat()
                })
                .collect()
            }
        };
        self.add(&flat, shape)
    }

    fn add(&mut self, numbers: &[f32], shape: Shape) -> usize {
        let accessor = json!({
            "bufferView": self.view, "byteOffset": self.bytes.len(), "componentType": Component::F32.code(),
            "count": numbers.len() / shape.width(), "type": shape.name(),
        });
        self.bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        push(self.root, "accessors", vec![accessor]);
        count(self.root, "accessors") - 1
    }
}
