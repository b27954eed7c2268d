//! Takes as they play: without layers that are muted, or that others are soloed against. ufbx evaluates all layers, and the
//! first one as if it replaced the rest pose, whatever its mode.

use ufbx::{AnimLayer, AnimOpts, AnimRoot, AnimStack, SceneRoot};

use super::scene::fault;
use crate::fault::ImportError;

/// A take of the file with the layers that count.
pub(super) struct Stack<'a> {
    scene: &'a SceneRoot,
    index: usize,
    /// Evaluates the layers that count.
    pub anim: AnimRoot,
}

impl<'a> Stack<'a> {
    /// Returns all takes of a file.
    pub fn all(scene: &'a SceneRoot) -> Result<Vec<Self>, ImportError> {
        let stacks = scene.anim_stacks.iter().enumerate();
        stacks
            .map(|(index, whole)| {
                let layer_ids: Vec<u32> =
                    layers(whole).map(|layer| layer.element.typed_id).collect();
                let options = AnimOpts { layer_ids: layer_ids.into(), ..AnimOpts::default() };
                let anim = ufbx::create_anim(scene, options).map_err(|error| fault(&error))?;
                Ok(Self { scene, index, anim })
            })
            .collect()
    }

    /// Returns the take as it is in the file, with all layers.
    pub fn whole(&self) -> &'a AnimStack {
        &self.scene.anim_stacks[self.index]
    }

    pub fn name(&self) -> &'a str {
        &self.whole().element.name
    }

    /// Returns the layers that count, the base first.
    pub fn layers(&self) -> impl Iterator<Item = &AnimLayer> {
        self.anim.layers.into_iter()
    }

    /// Returns the number of layers that do not count.
    pub fn muted(&self) -> usize {
        self.whole().layers.len() - self.anim.layers.len()
    }
}

/// Returns the layers of a take that are not muted; if some layers are soloed, only those. The base counts in any case if
/// the first of these is added to what is below it: without the base, it would replace the rest pose.
fn layers(whole: &AnimStack) -> impl Iterator<Item = &AnimLayer> {
    let is_set = |layer: &AnimLayer, name| {
        layer.element.props.find_prop(name).is_some_and(|property| property.value_int != 0)
    };
    let has_solo = whole.layers.iter().any(|layer| is_set(layer, "Solo"));
    let counts =
        move |layer: &AnimLayer| !is_set(layer, "Mute") && (!has_solo || is_set(layer, "Solo"));
    let first = whole.layers.iter().position(|layer| counts(layer));
    let needs_base = first.is_some_and(|first| {
        let layer = &whole.layers[first];
        let is_partial = layer.weight < 1.0 || layer.weight_is_animated;
        first > 0 && (layer.additive || (layer.blended && is_partial))
    });
    let all = whole.layers.into_iter().enumerate();
    all.filter(move |(i, layer)| (needs_base && *i == 0) || counts(layer)).map(|(_, layer)| layer)
}
