//! Expressions shown on a model.

use glam::Vec2;

use crate::{Model, TextureSlot, linear_from_srgb, shown_weights};
use rigview_anim::{Channel, Clip, Track};

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

impl Model {
    /// Shows expressions with these weights: adds to the morph weights of the rest pose and of all clips, and fades
    /// colours and texture transforms of materials. Of several weights for one expression the last one counts.
    ///
    /// # Errors
    /// If there is no expression of a name.
    pub fn express(&mut self, wanted: &[(String, f32)]) -> Result<(), UnknownExpression> {
        if wanted.is_empty() {
            return Ok(());
        }
        let Some(mut vrm) = self.vrm.take() else {
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
            self.vrm = Some(vrm);
            return Err(unknown);
        }
        let before = self.materials.clone();
        // Colours of VRM 0.x are those of Unity, in sRGB.
        let is_srgb = vrm.version.starts_with('0');
        vrm.express(&weights, &mut self.rest);
        let added = vrm.morph_weights(&weights);
        let by = |node, target| added.get(&[node, target]).copied().unwrap_or(0.0);
        if !added.is_empty() {
            let clips = std::mem::take(&mut self.clips);
            self.clips = clips.into_iter().map(|clip| with_raised_weights(clip, by)).collect();
        }
        let shown = shown_weights(&vrm.expressions, &weights);
        for (expression, weight) in vrm.expressions.iter().zip(shown).filter(|(_, w)| *w != 0.0) {
            for bind in &expression.colors {
                let [r, g, b, a] = bind.value;
                let linear = |x: f32| if is_srgb { linear_from_srgb(x) } else { x };
                let value = [linear(r), linear(g), linear(b), a];
                let (material, base) = (&mut self.materials[bind.material], &before[bind.material]);
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
                    let texture = &mut self.materials[bind.material].textures[slot];
                    if let (Some(texture), Some(base)) = (texture, base) {
                        let (own, base) = (&mut texture.transform, base.transform);
                        fade_axes(&mut own.offset, base.offset, bind.offset, weight);
                        fade_axes(&mut own.scale, base.scale, bind.scale, weight);
                    }
                }
            }
        }
        vrm.shown_at_rest = weights;
        self.vrm = Some(vrm);
        Ok(())
    }
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

    #[test]
    fn an_axis_without_a_number_stays() {
        let base = Vec2::new(1.0, 3.0);
        let mut own = base;
        fade_axes(&mut own, base, [Some(2.0), None], 0.5);
        assert_eq!(own, Vec2::new(1.5, 3.0));
    }
}
