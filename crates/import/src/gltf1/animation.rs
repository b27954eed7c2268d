//! Animations. Parameters are replaced by the accessors that they name, and samplers become a list.
//!
//! Exporters of 1.0 wrote one animation per moving node, all to be played at once. They are merged
//! into one clip if no two of them drive the same property.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::ids::{Ids, thing};
use super::origin::Origin;
use crate::fault::{ImportError, Warnings};
use rigview_document::At;
use rigview_model::WarningCode;

/// Converts all animations.
pub(super) fn read(
    ids: &Ids,
    origin: &mut Origin,
    warnings: &mut Warnings,
) -> Result<Vec<Value>, ImportError> {
    let mut animations = Vec::new();
    for (id, at) in ids.entries("animations") {
        animations.push(Animation::new(ids, id, at)?);
    }
    if animations.len() < 2 || !are_one_clip(&animations) {
        return Ok(animations.into_iter().map(Animation::into_value).collect());
    }
    let has_extras = animations.iter().any(|animation| animation.says.contains_key("extras"));
    let message = format!(
        "{} animations of single nodes and different properties are read as one clip{}",
        animations.len(),
        if has_extras { ", without their extras" } else { "" }
    );
    warnings.add(WarningCode::AnimationsJoined, "/animations", message);
    origin.join("animations");
    let mut all = Animation { says: Map::new(), samplers: Vec::new(), channels: Vec::new() };
    for animation in animations {
        let before = all.samplers.len();
        all.samplers.extend(animation.samplers);
        all.channels.extend(animation.channels.into_iter().map(|mut channel| {
            channel.sampler += before;
            channel
        }));
    }
    Ok(vec![all.into_value()])
}

struct Animation {
    says: Map<String, Value>,
    samplers: Vec<Value>,
    channels: Vec<Channel>,
}

struct Channel {
    sampler: usize,
    node: usize,
    path: Value,
    extras: Option<Value>,
}

impl Animation {
    fn new(ids: &Ids, id: &str, at: &At) -> Result<Self, ImportError> {
        let parameters = at.get("parameters");
        // A sampler names either a parameter of the animation or an accessor.
        let accessor = |at: At| {
            let name = at.text()?;
            match parameters.as_ref().and_then(|parameters| parameters.get(name)) {
                Some(parameter) => ids.index(&parameter, "accessors"),
                None => ids.index(&at, "accessors"),
            }
        };
        let mut samplers = Vec::new();
        let mut numbers = HashMap::new();
        if let Some(all) = at.get("samplers") {
            for (id, at) in all.entries()? {
                let mut sampler = json!({
                    "input": accessor(at.required("input")?)?,
                    "output": accessor(at.required("output")?)?,
                });
                for key in ["interpolation", "extras"] {
                    if let Some(value) = at.value.get(key) {
                        sampler[key] = value.clone();
                    }
                }
                numbers.insert(id, samplers.len());
                samplers.push(sampler);
            }
        }
        let mut channels = Vec::new();
        for at in at.list("channels")? {
            let sampler = at.required("sampler")?;
            let missing = || sampler.error("the animation has no such sampler");
            let target = at.required("target")?;
            channels.push(Channel {
                sampler: *numbers.get(sampler.text()?).ok_or_else(missing)?,
                node: ids.index(&target.required("id")?, "nodes")?,
                path: target.value.get("path").cloned().unwrap_or_default(),
                extras: at.value.get("extras").cloned(),
            });
        }
        Ok(Self { says: thing(id, at, &[])?, samplers, channels })
    }

    fn into_value(mut self) -> Value {
        let channel = |channel: Channel| {
            let target = json!({ "node": channel.node, "path": channel.path });
            let mut value = json!({ "sampler": channel.sampler, "target": target });
            if let Some(extras) = channel.extras {
                value["extras"] = extras;
            }
            value
        };
        self.says.insert("samplers".into(), self.samplers.into());
        let channels: Vec<_> = self.channels.into_iter().map(channel).collect();
        self.says.insert("channels".into(), channels.into());
        Value::Object(self.says)
    }
}

/// Whether each animation drives one node, and no property is driven twice.
fn are_one_clip(animations: &[Animation]) -> bool {
    let mut driven = HashSet::new();
    animations.iter().all(|animation| {
        let channels = &animation.channels;
        channels.windows(2).all(|pair| pair[0].node == pair[1].node)
            && channels.iter().all(|c| driven.insert((c.node, c.path.as_str())))
    })
}
