//! The curve that is shown: which properties a node has, and the samples of the chosen one in sight.

use rigview_anim::{Channel, Clip};
use rigview_model::Model;
use rigview_report::{
    CurveOptions, CurvePart, EulerOrder, HandMade, TrackCurve, angular_speed, channel_curve,
    charge_curves, node_channels, value_at,
};
use rigview_session::ClipsId;

/// A property of a node over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Property {
    Translation,
    #[default]
    Rotation,
    Scale,
    /// Morph weights from this one on.
    Weights(usize),
    /// The speed of the rotation.
    AngularSpeed,
}

impl Property {
    /// The range below which the property counts as constant, in its unit; `euler` if rotations are in degrees.
    pub fn least(self, euler: bool) -> f64 {
        match self {
            Property::Translation => 1e-4,
            Property::Rotation if euler => 0.05,
            Property::Rotation | Property::Scale => 1e-3,
            Property::Weights(_) => 1e-3,
            Property::AngularSpeed => 0.1,
        }
    }
}

/// A property that a clip drives.
pub(super) struct Choice<'a> {
    pub property: Property,
    pub channel: &'a Channel,
}

impl Choice<'_> {
    /// Returns the property's name.
    pub fn text(&self) -> String {
        match self.property {
            Property::Translation => "Translation".to_owned(),
            Property::Rotation => "Rotation".to_owned(),
            Property::Scale => "Scale".to_owned(),
            Property::Weights(0) => "Weights".to_owned(),
            Property::Weights(first) => format!("Weights from {first}"),
            Property::AngularSpeed => "Angular speed".to_owned(),
        }
    }

    /// Whether a value that was set by hand replaces the curve's.
    pub fn is_set_in(&self, made: &HandMade) -> bool {
        match self.channel {
            Channel::Translation { .. } => made.translation.is_some(),
            Channel::Rotation { .. } => made.rotation.is_some(),
            Channel::Scale { .. } => made.scale.is_some(),
            Channel::Weights { first, track, .. } => {
                let driven = *first..first + track.width();
                made.weights.iter().any(|(target, _)| driven.contains(target))
            }
        }
    }
}

/// Returns the properties of a node that a clip drives, in file order; after a rotation its speed.
pub(super) fn choices(clip: &Clip, node: usize) -> Vec<Choice<'_>> {
    let mut choices = Vec::new();
    for channel in node_channels(clip, node) {
        let property = match channel {
            Channel::Translation { .. } => Property::Translation,
            Channel::Rotation { .. } => Property::Rotation,
            Channel::Scale { .. } => Property::Scale,
            Channel::Weights { first, .. } => Property::Weights(*first),
        };
        choices.push(Choice { property, channel });
        if property == Property::Rotation {
            choices.push(Choice { property: Property::AngularSpeed, channel });
        }
    }
    choices
}

/// Returns the index of the wanted property, or else of the first one.
pub(super) fn nearest(choices: &[Choice<'_>], wanted: Property) -> Option<usize> {
    let found = choices.iter().position(|choice| choice.property == wanted);
    found.or((!choices.is_empty()).then_some(0))
}

/// Identifies a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurveId {
    pub clips: ClipsId,
    pub clip: Option<usize>,
    pub node: usize,
    pub property: Property,
    pub order: Option<&'static str>,
}

/// The samples of a part of a curve, made again when another curve or part is shown.
#[derive(Debug, Default)]
pub(super) struct Made {
    of: Option<(CurveId, CurvePart)>,
    curve: Option<TrackCurve>,
}

impl Made {
    /// Returns the curve of a part of the clip.
    ///
    /// # Errors
    /// If the file's budget has no room for the keys.
    pub fn curve(
        &mut self,
        model: &Model,
        clip: &Clip,
        channel: &Channel,
        of: CurveId,
        part: CurvePart,
    ) -> Result<&TrackCurve, String> {
        let wanted = Some((of, part));
        if self.of != wanted {
            self.curve = None;
            self.of = wanted;
        }
        let curve = match self.curve.take() {
            Some(curve) => curve,
            None => {
                charge_curves(model, clip, of.node)
                    .map_err(|_| "The keys are too many to show as curves.")?;
                let euler = of.order.and_then(EulerOrder::from_name);
                let options = CurveOptions { euler, part: Some(part), ..CurveOptions::default() };
                let speed = (of.property == Property::AngularSpeed)
                    .then(|| angular_speed(channel, part))
                    .flatten();
                speed.unwrap_or_else(|| {
                    channel_curve(model, channel, clip.duration_secs(), &options)
                })
            }
        };
        Ok(self.curve.insert(curve))
    }
}

/// Returns the values at a time, one per component; for an angular speed, which is a curve of its own, that of the last
/// sample at or before the time.
pub(super) fn values_now(
    channel: &Channel,
    property: Property,
    curve: &TrackCurve,
    secs: f64,
    euler: Option<EulerOrder>,
) -> Vec<f32> {
    if property != Property::AngularSpeed {
        return value_at(channel, curve, secs, euler);
    }
    let after = curve.curve.partition_point(|point| point.time <= secs);
    let point = curve.curve.get(after.saturating_sub(1));
    point.map_or_else(Vec::new, |point| point.value.clone())
}
