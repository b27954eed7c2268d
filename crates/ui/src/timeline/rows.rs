//! The rows of the dope sheet: the channels of the chosen nodes, and the times of all their keys.

use std::borrow::Cow;

use rigview_anim::{Clip, Interpolation};
use rigview_model::Model;
use rigview_session::ClipsId;

/// What a row's keys drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RowTarget {
    /// A channel of a node, by its index in the clip.
    Channel(usize),
    /// A channel of another property, by its index in the clip.
    Property(usize),
}

/// A row of the dope sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Row {
    /// The driven node; `None` for properties of other objects.
    pub node: Option<usize>,
    source: RowTarget,
}

/// Identifies rows: those of a clip, and of one node of it or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowsOf {
    pub clips: ClipsId,
    pub clip: usize,
    /// The scene whose tree orders the rows.
    pub scene: usize,
    pub node: Option<usize>,
}

/// The rows of a clip, in the order of the scene's tree; made once per clip and choice of nodes.
#[derive(Debug, Default)]
pub(super) struct Rows {
    of: Option<RowsOf>,
    rows: Vec<Row>,
    /// The times of all keys of a node's rows, each once, increasing; empty for the rows of all nodes.
    times: Vec<f32>,
}

impl Rows {
    /// Makes these the rows of a clip, if they are not.
    pub fn show(&mut self, of: RowsOf, clip: &Clip, model: &Model) {
        if self.of == Some(of) {
            return;
        }
        self.of = Some(of);
        let channels = clip.channels().iter().enumerate();
        let channels = channels
            .map(|(i, channel)| Row { node: Some(channel.node()), source: RowTarget::Channel(i) })
            .filter(|row| of.node.is_none() || row.node == of.node);
        self.rows = channels.collect();
        let places = model.tree_places(of.scene);
        self.rows.sort_by_key(|row| row.node.and_then(|node| places.get(node).copied()));
        if of.node.is_none() {
            let properties = 0..clip.properties().len();
            self.rows
                .extend(properties.map(|i| Row { node: None, source: RowTarget::Property(i) }));
        }
        // Those of all nodes may be millions; the playback has them.
        let of_node = of.node.is_some();
        let rows = self.rows.iter().filter(|_| of_node);
        self.times = rows.flat_map(|row| row.times(clip)).copied().collect();
        self.times.sort_unstable_by(f32::total_cmp);
        self.times.dedup();
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The times of all keys of the rows, each once, increasing. `all` are those of the whole clip.
    pub fn times<'a>(&'a self, all: &'a [f32]) -> &'a [f32] {
        let of_node = self.of.is_some_and(|of| of.node.is_some());
        if of_node { &self.times } else { all }
    }
}

impl Row {
    /// Returns the times of the row's keys in seconds, increasing.
    pub fn times(self, clip: &Clip) -> &[f32] {
        match self.source {
            RowTarget::Channel(i) => clip.channels()[i].times(),
            RowTarget::Property(i) => clip.properties()[i].track.times(),
        }
    }

    /// Returns the interpolation between the row's keys.
    pub fn interpolation(self, clip: &Clip) -> Interpolation {
        match self.source {
            RowTarget::Channel(i) => clip.channels()[i].interpolation(),
            RowTarget::Property(i) => clip.properties()[i].track.keys().interpolation(),
        }
    }

    /// Returns the driven property's name in glTF, or the name of a property of another object.
    pub fn path(self, clip: &Clip, model: &Model) -> Cow<'static, str> {
        match self.source {
            RowTarget::Channel(i) => Cow::Borrowed(clip.channels()[i].path()),
            RowTarget::Property(i) => {
                Cow::Owned(model.slot_name(model.slots[clip.properties()[i].slot]))
            }
        }
    }
}

/// Returns the x coordinates of keys in sight, from left to right. Of keys within `pixel` points of the one before, none
/// is returned, and the search skips them: the cost depends on the width, not on the number of keys.
pub(super) fn in_sight(
    times: &[f32],
    [from, to]: [f64; 2],
    x_of: impl Fn(f64) -> f32,
    pixel_secs: f64,
) -> Vec<f32> {
    let first = times.partition_point(|time| f64::from(*time) < from);
    let end = times.partition_point(|time| f64::from(*time) <= to);
    let mut xs = Vec::new();
    let mut rest = &times[first..end.max(first)];
    while let Some(time) = rest.first().map(|time| f64::from(*time)) {
        xs.push(x_of(time));
        let near = |other: &f32| f64::from(*other) < time + pixel_secs;
        // Sparse keys are the usual case: look at the next one before the search.
        let skip = if rest.get(1).is_some_and(near) { rest.partition_point(near) } else { 1 };
        rest = &rest[skip..];
    }
    xs
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_session::sample;

    #[test]
    fn rows_are_the_channels_of_the_chosen_node_or_of_all() {
        let model = sample::model();
        let clip = &model.clips[0];
        let mut rows = Rows::default();
        let all = RowsOf { clips: ClipsId::default(), clip: 0, scene: 0, node: None };
        rows.show(all, clip, &model);
        assert_eq!((rows.rows().len(), rows.times(&[7.0])), (1, &[7.0][..]));
        let row = rows.rows()[0];
        assert_eq!((row.node, row.path(clip, &model).as_ref()), (Some(1), "translation"));
        assert_eq!((row.times(clip).len(), row.interpolation(clip)), (3, Interpolation::Linear));
        rows.show(RowsOf { node: Some(1), ..all }, clip, &model);
        assert_eq!((rows.rows().len(), rows.times(&[7.0])), (1, &[0.0, 0.5, 2.0][..]));
        rows.show(RowsOf { node: Some(0), ..all }, clip, &model);
        assert!(rows.rows().is_empty() && rows.times(&[7.0]).is_empty());
    }

    #[test]
    fn rows_stand_in_the_order_of_the_tree() {
        // 3 { 1 { 0 } 2 }
        let mut model = sample::model();
        model.nodes = vec![rigview_model::Node::default(); 4];
        let parents = vec![Some(1), Some(3), Some(3), None];
        model.hierarchy = rigview_anim::Hierarchy::new(parents, vec![]).unwrap();
        model.scenes[0].roots = vec![3];
        let still = rigview_anim::Keys::Step(vec![glam::Vec3::ONE]);
        let track = rigview_anim::Track::new(vec![0.0], still, 1).unwrap();
        let scale = |node| rigview_anim::Channel::Scale { node, track: track.clone() };
        let channels = [0, 2, 1, 3].map(scale).into();
        let clip = Clip::new(rigview_anim::ClipParts { channels, ..Default::default() });
        let mut rows = Rows::default();
        let all = RowsOf { clips: ClipsId::default(), clip: 0, scene: 0, node: None };
        rows.show(all, &clip, &model);
        let nodes: Vec<_> = rows.rows().iter().filter_map(|row| row.node).collect();
        assert_eq!(nodes, [3, 1, 0, 2]);
    }

    #[test]
    fn keys_on_one_pixel_are_one_and_only_those_in_sight_count() {
        let times: Vec<f32> = (0..100_000).map(|i| i as f32 / 1000.0).collect();
        let xs = in_sight(&times, [10.0, 20.0], |secs| secs as f32, 0.1);
        assert!((99..=101).contains(&xs.len()) && xs.is_sorted(), "{}", xs.len());
        let sparse = in_sight(&[0.0, 0.5, 2.0], [0.0, 2.0], |secs| secs as f32, 0.001);
        assert_eq!(sparse, [0.0, 0.5, 2.0]);
        assert!(in_sight(&[0.0, 0.5], [0.6, 2.0], |secs| secs as f32, 0.001).is_empty());
        assert!(in_sight(&[], [0.0, 1.0], |secs| secs as f32, 0.001).is_empty());
    }
}
