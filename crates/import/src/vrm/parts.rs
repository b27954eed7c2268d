//! What both versions of VRM need: the parts of the model that they refer to, and lists whose invalid items are left out.

use crate::fault::{ImportError, Warnings};
use rigview_anim::LocalPose;
use rigview_document::At;
use rigview_model::{Budget, MorphBind, Node, RangeMap, WarningCode, quoted};

/// The parts of the model that avatars refer to.
#[derive(Clone, Copy)]
pub(crate) struct Rig<'a> {
    pub nodes: &'a [Node],
    /// The parent of each node.
    pub parents: &'a dyn Fn(usize) -> Option<usize>,
    pub rest: &'a LocalPose,
    pub budget: &'a Budget,
}

/// Returns what was read. What is wrong is left out with a warning.
pub(super) fn or_skipped<T>(
    result: Result<T, impl Into<ImportError>>,
    at: &At,
    warnings: &mut Warnings,
) -> Option<T> {
    match result {
        Ok(read) => Some(read),
        Err(error) => {
            warnings.add_at(
                at,
                WarningCode::VrmSkipped,
                format!("left out: {}", error.into().message()),
            );
            None
        }
    }
}

/// Reads the items of a list of VRM. Items that are wrong are left out.
pub(super) fn each<T>(
    at: &At,
    key: &str,
    warnings: &mut Warnings,
    mut read: impl FnMut(&At) -> Result<T, ImportError>,
) -> Vec<T> {
    let items = or_skipped(at.list(key), at, warnings).unwrap_or_default();
    let mut found = Vec::with_capacity(items.len());
    for item in &items {
        let item = or_skipped(read(item), item, warnings);
        found.extend(item);
    }
    found
}

/// Reads a range of a gaze that eyes follow in a way, as an object whose two numbers have these keys. What a file leaves out is as
/// most programs write it.
pub(super) fn range_map(
    at: &At,
    key: &str,
    [most_degrees, output]: [&str; 2],
    way: &str,
) -> Result<RangeMap, ImportError> {
    let at = at.get(key);
    let number = |key: &str| at.as_ref().map_or(Ok(None), |at| at.number_at(key));
    let usual = if way == "expression" { 1.0 } else { 10.0 };
    Ok(RangeMap {
        most_degrees: number(most_degrees)?.unwrap_or(90.0),
        output: number(output)?.unwrap_or(usual),
    })
}

/// Checks a morph weight of an expression.
pub(super) fn morph_bind(
    at: &At,
    rig: &Rig,
    node: usize,
    weight: f32,
) -> Result<MorphBind, ImportError> {
    let target = at.required("index")?.whole()?;
    let targets = rig.rest.weights(node).len();
    match usize::try_from(target) {
        Ok(target) if target < targets => Ok(MorphBind { node, target, weight }),
        _ => Err(at.error(format!("morph target {target} of {targets} is out of range")).into()),
    }
}

/// Returns the texts of a list of terms: those of an object whose values are single.
pub(super) fn terms(at: &At, without: &[&str]) -> Vec<(String, String)> {
    let entries = at.entries().unwrap_or_default();
    let terms = entries.into_iter().filter(|(key, _)| !without.contains(key));
    let single = terms.filter_map(|(key, value)| {
        let text = match value.text() {
            Ok(text) => text.to_owned(),
            Err(_) => value.truth().ok()?.to_string(),
        };
        (!text.is_empty()).then(|| (key.to_owned(), text))
    });
    single.collect()
}

/// Reports a bone whose name the specification lacks.
pub(super) fn unknown_bone(at: &At, name: &str) -> ImportError {
    at.error(format!("no bone {} in VRM", quoted(name))).into()
}
