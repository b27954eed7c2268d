//! The expressions of a VRM avatar, applied to a pose, a model and its clips.

use std::collections::BTreeMap;

use glam::Vec2;

use rigview_anim::{Channel, Clip, LocalPose, Track};
use rigview_model::{Expression, Model, Override, TextureSlot, Vrm, linear_from_srgb};

/// The kind of an expression, which decides what overrides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionKind {
    Blink,
    LookAt,
    Mouth,
    Other,
}

impl ExpressionKind {
    /// Returns the kind of an expression; only presets of VRM 1.0 have one.
    fn new(expression: &Expression) -> Self {
        match expression.name.as_str() {
            _ if !expression.is_preset => Self::Other,
            "blink" | "blinkLeft" | "blinkRight" => Self::Blink,
            "lookUp" | "lookDown" | "lookLeft" | "lookRight" => Self::LookAt,
            "aa" | "ih" | "ou" | "ee" | "oh" => Self::Mouth,
            _ => Self::Other,
        }
    }

    /// Returns what an expression does to others of this kind.
    fn overridden_by(self, expression: &Expression) -> Override {
        match self {
            Self::Blink => expression.override_blink,
            Self::LookAt => expression.override_look_at,
            Self::Mouth => expression.override_mouth,
            Self::Other => Override::None,
        }
    }

    /// Returns the share that expressions of other kinds leave of those of this kind, given one weight per expression.
    pub(crate) fn share_left(self, expressions: &[Expression], weights: &[f32]) -> f32 {
        // The specification declares it invalid that an expression overrides its own kind.
        let others = expressions.iter().zip(weights).filter(|(e, _)| Self::new(e) != self);
        let taken = others.map(|(expression, weight)| {
            let weight = own_weight(expression, *weight);
            match self.overridden_by(expression) {
                Override::None => 0.0,
                Override::Block => f32::from(u8::from(weight > 0.0)),
                Override::Blend => weight,
            }
        });
        (1.0 - taken.sum::<f32>()).max(0.0)
    }
}

/// Returns the weight of an expression before others override it: a binary expression is on or off.
fn own_weight(expression: &Expression, weight: f32) -> f32 {
    if expression.is_binary { f32::from(u8::from(weight > 0.5)) } else { weight.clamp(0.0, 1.0) }
}

/// Returns the weights that expressions show with, after binary ones were rounded and those that others override
/// were reduced. There is one weight per expression.
pub(crate) fn shown_weights(expressions: &[Expression], weights: &[f32]) -> Vec<f32> {
    use ExpressionKind::{Blink, LookAt, Mouth, Other};
    let [blink, look_at, mouth] =
        [Blink, LookAt, Mouth].map(|kind| kind.share_left(expressions, weights));
    let reduced = expressions.iter().zip(weights).map(|(expression, weight)| {
        let share = match ExpressionKind::new(expression) {
            Blink => blink,
            LookAt => look_at,
            Mouth => mouth,
            Other => 1.0,
        };
        let weight = own_weight(expression, *weight) * share;
        if expression.is_binary && weight < 1.0 { 0.0 } else { weight }
    });
    reduced.collect()
}

/// Adds the morph weights of expressions to a pose; there is one weight per expression.
pub fn add_expressions(vrm: &Vrm, weights: &[f32], pose: &mut LocalPose) {
    for ([node, target], weight) in morph_weights(vrm, weights) {
        pose.weights_mut(node)[target] += weight;
    }
}

/// Returns what expressions add to morph weights, by node and target; there is one weight per expression.
pub(crate) fn morph_weights(vrm: &Vrm, weights: &[f32]) -> BTreeMap<[usize; 2], f32> {
    let mut added = BTreeMap::new();
    let shown = shown_weights(&vrm.expressions, weights);
    for (expression, weight) in vrm.expressions.iter().zip(shown) {
        for bind in expression.morphs.iter().filter(|_| weight != 0.0) {
            *added.entry([bind.node, bind.target]).or_default() += weight * bind.weight;
        }
    }
    added
}

/// An expression that a model lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no expression \"{name}\"; {}", has(.known))]
pub struct UnknownExpression {
    /// The name.
    pub name: String,
    /// The names of those that there are.
    pub known: Vec<String>,
}

fn has(known: &[String]) -> String {
    match known {
        [] => "the file has no expressions".to_owned(),
        _ => format!("the file has: {}", known.join(", ")),
    }
}

/// Shows expressions with these weights: adds to the morph weights of the rest pose and of all clips, and fades
/// colours and texture transforms of materials. Of several weights for one expression the last one counts.
///
/// # Errors
/// If there is no expression of a name.
pub fn show_expressions(
    model: &mut Model,
    wanted: &[(String, f32)],
) -> Result<(), UnknownExpression> {
    if wanted.is_empty() {
        return Ok(());
    }
    let Some(mut vrm) = model.vrm.take() else {
        let name = wanted[0].0.clone();
        return Err(UnknownExpression { name, known: Vec::new() });
    };
    let mut weights = vec![0.0; vrm.expressions.len()];
    let mut missing = None;
    for (name, weight) in wanted {
        match vrm.expressions.iter().position(|e| e.name == *name) {
            Some(index) => weights[index] = *weight,
            None => missing = missing.or(Some(name)),
        }
    }
    if let Some(name) = missing {
        let known = vrm.expressions.iter().map(|e| e.name.clone()).collect();
        let unknown = UnknownExpression { name: name.clone(), known };
        model.vrm = Some(vrm);
        return Err(unknown);
    }
    let before = model.materials.clone();
    // Colours of VRM 0.x are those of Unity, in sRGB.
    let is_srgb = vrm.version.starts_with('0');
    add_expressions(&vrm, &weights, &mut model.rest);
    let added = morph_weights(&vrm, &weights);
    let by = |node, target| added.get(&[node, target]).copied().unwrap_or(0.0);
    if !added.is_empty() {
        let clips = std::mem::take(&mut model.clips);
        model.clips = clips.into_iter().map(|clip| with_raised_weights(clip, by)).collect();
    }
    let shown = shown_weights(&vrm.expressions, &weights);
    for (expression, weight) in vrm.expressions.iter().zip(shown).filter(|(_, w)| *w != 0.0) {
        for bind in &expression.colors {
            let [r, g, b, a] = bind.value;
            let linear = |x: f32| if is_srgb { linear_from_srgb(x) } else { x };
            let value = [linear(r), linear(g), linear(b), a];
            let (material, base) = (&mut model.materials[bind.material], &before[bind.material]);
            match bind.kind.as_str() {
                "color" => fade(&mut material.base_color, &base.base_color, &value, weight),
                "emissionColor" => {
                    fade(&mut material.emissive, &base.emissive, &value[..3], weight);
                }
                _ => {}
            }
        }
        for bind in &expression.texture_transforms {
            for slot in TextureSlot::ALL {
                let base = before[bind.material].textures[slot];
                let texture = &mut model.materials[bind.material].textures[slot];
                if let (Some(texture), Some(base)) = (texture, base) {
                    let (own, base) = (&mut texture.transform, base.transform);
                    fade_axes(&mut own.offset, base.offset, bind.offset, weight);
                    fade_axes(&mut own.scale, base.scale, bind.scale, weight);
                }
            }
        }
    }
    vrm.shown_at_rest = weights;
    model.vrm = Some(vrm);
    Ok(())
}

/// Returns a clip with numbers added to all keys of its morph weights; `by` returns that of a node's target.
pub(crate) fn with_raised_weights(clip: Clip, by: impl Fn(usize, usize) -> f32) -> Clip {
    let mut parts = clip.into_parts();
    for channel in &mut parts.channels {
        let Channel::Weights { node, first, track } = channel else { continue };
        let width = track.width();
        let added: Vec<f32> = (*first..*first + width).map(|target| by(*node, target)).collect();
        if added.iter().all(|number| *number == 0.0) {
            continue;
        }
        let raise = |values: &[f32]| -> Vec<f32> {
            values.iter().zip(added.iter().cycle()).map(|(value, by)| value + by).collect()
        };
        let keys = track.keys().map(raise, |slopes| slopes.to_vec());
        // Never an error: times and value counts are those of a valid track.
        if let Ok(raised) = Track::new(track.times().to_vec(), keys, width) {
            *track = raised;
        }
    }
    Clip::new(parts)
}

/// Adds a share of the way from a vector to the numbers of those axes that have one.
fn fade_axes(own: &mut Vec2, base: Vec2, wanted: [Option<f32>; 2], weight: f32) {
    for (axis, wanted) in wanted.into_iter().enumerate() {
        own[axis] += wanted.map_or(0.0, |wanted| weight * (wanted - base[axis]));
    }
}

/// Adds a share of the way from a colour to another one.
fn fade(color: &mut [f32], base: &[f32], value: &[f32], weight: f32) {
    for ((color, base), value) in color.iter_mut().zip(base).zip(value) {
        *color = (*color + weight * (value - base)).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset(name: &str) -> Expression {
        Expression { name: name.into(), is_preset: true, ..Expression::default() }
    }

    #[test]
    fn a_binary_expression_is_on_or_off_and_overridden_as_a_whole() {
        let blend = Expression { override_blink: Override::Blend, ..preset("happy") };
        let block = Expression { override_mouth: Override::Block, ..preset("angry") };
        let blink = Expression { is_binary: true, ..preset("blink") };
        let all = [blend, block, blink, preset("blinkLeft"), preset("aa"), preset("sad")];
        let shown = |weights: [f32; 6]| shown_weights(&all, &weights);
        assert_eq!(shown([0.0, 0.0, 0.6, 0.5, 0.4, 2.0]), [0.0, 0.0, 1.0, 0.5, 0.4, 1.0]);
        assert_eq!(shown([0.25, 0.0, 0.6, 0.5, 0.4, 0.0]), [0.25, 0.0, 0.0, 0.375, 0.4, 0.0]);
        assert_eq!(shown([0.0, 0.1, 0.5, 0.5, 0.4, 0.0]), [0.0, 0.1, 0.0, 0.5, 0.0, 0.0]);
    }

    /// VRMC_vrm 1.0, expressions.md: such a setting is invalid, and is as if it were `none`.
    #[test]
    fn an_expression_does_not_override_its_own_kind() {
        for kind in [Override::Block, Override::Blend] {
            let all = [
                Expression { override_blink: kind, ..preset("blink") },
                Expression { override_mouth: kind, ..preset("aa") },
                Expression { override_look_at: kind, ..preset("lookLeft") },
                preset("blinkLeft"),
            ];
            let weights = [0.5, 0.5, 0.5, 0.5];
            assert_eq!(shown_weights(&all, &weights), weights, "{kind:?}");
        }
        let blocks = Expression { override_mouth: Override::Block, ..preset("blink") };
        assert_eq!(shown_weights(&[blocks, preset("aa")], &[0.5, 0.5]), [0.5, 0.0]);
    }

    #[test]
    fn an_axis_without_a_number_stays() {
        let base = Vec2::new(1.0, 3.0);
        let mut own = base;
        fade_axes(&mut own, base, [Some(2.0), None], 0.5);
        assert_eq!(own, Vec2::new(1.5, 3.0));
    }
}
