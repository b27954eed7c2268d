//! The difference of two models in words: for a terminal, and as Markdown.

use std::io::{self, Write};

use super::file_difference::FileDifference;
use rigview_compare::{
    Change, ChangeKind, ClipDifference, InterpolationChange, ModelDifference, Paired, PairedBy,
};
use rigview_import::escaped;
use rigview_model::three_digits;
use rigview_report::{counted, markdown_text};

/// Changes that are listed at most; `--json` has all of them.
const LISTED: usize = 20;

/// Writes the difference for people.
pub fn write_text(out: &mut dyn Write, found: &FileDifference) -> io::Result<()> {
    let difference = &found.difference;
    let [a, b] = &found.names;
    writeln!(out, "{a} -> {b}")?;
    match (difference.rest.distance, &difference.rest.node) {
        (None, _) => writeln!(out, "rest pose: {}", unmeasured_text(difference))?,
        (Some(distance), node) => {
            write!(out, "rest pose: {}", millimetres(distance))?;
            match node {
                Some(node) => writeln!(out, "; node \"{}\" differs most", escaped(node))?,
                None => writeln!(out)?,
            }
        }
    }
    for clip in &difference.clips {
        let [before, after] = clip.durations;
        write!(out, "clip {}: {}", clip_names(clip), clip_text(clip, ""))?;
        match (before - after).abs() > 1e-3 {
            true => writeln!(out, "; it lasts {after:.3} s instead of {before:.3} s")?,
            false => writeln!(out)?,
        }
        write_interpolations(out, clip)?;
    }
    if let Some(paired) = difference.paired {
        writeln!(out, "vertices: {}", paired_text(paired))?;
    }
    for (title, list) in
        [("structure", &difference.structure), ("materials", &difference.materials)]
    {
        match list.is_empty() {
            true => writeln!(out, "{title}: no change")?,
            false => writeln!(out, "{title}: {}", counted(list.len(), "change"))?,
        }
        for change in list.iter().take(LISTED) {
            writeln!(out, "  {}", change_text(change))?;
        }
        if let more @ 1.. = list.len().saturating_sub(LISTED) {
            writeln!(out, "  and {more} more; --json lists all")?;
        }
    }
    let [before, after] = found.bytes;
    let more = i128::from(after) - i128::from(before);
    writeln!(out, "bytes: {before} -> {after} ({more:+})")?;
    if found.is_equal() {
        writeln!(out, "equal within {}", millimetres(found.tolerance))?;
    }
    Ok(())
}

/// Writes the channels of a clip whose interpolation changed.
fn write_interpolations(out: &mut dyn Write, clip: &ClipDifference) -> io::Result<()> {
    /// Channels that are listed at most.
    const LISTED: usize = 5;
    for InterpolationChange { node, path, a, b } in clip.interpolations.iter().take(LISTED) {
        writeln!(out, "  {path} of \"{}\" is {b} instead of {a}", escaped(node))?;
    }
    match clip.interpolations.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "  and {} more; --json lists all", counted(more, "channel")),
    }
}

/// Returns how the vertices of both were paired, in words.
fn paired_text(paired: Paired) -> &'static str {
    match paired {
        Paired::Index => "paired by index",
        Paired::Place => "paired by their place at rest",
        Paired::Surface => "some are measured from the nearest point of the other surface",
    }
}

/// What the user can do where nothing is measured.
const TWO_VERSIONS: &str =
    "give two versions of one model, or play the clips of one file on the other with --clips-from";

/// Says why no distance is known.
pub fn unmeasured_text(difference: &ModelDifference) -> String {
    let why = difference.unmeasured.map(|why| format!(", because {why}"));
    format!("not measured{}", why.unwrap_or_default())
}

/// Returns one sentence that says why two models are not equal.
pub fn verdict(found: &FileDifference) -> String {
    let difference = &found.difference;
    let [a, b] = &found.names;
    let mut reasons = Vec::new();
    if !difference.structure.is_empty() {
        reasons.push(format!("{} of structure", counted(difference.structure.len(), "change")));
    }
    if !difference.materials.is_empty() {
        reasons.push(format!("{} of materials", counted(difference.materials.len(), "change")));
    }
    if difference.unmeasured.is_some() {
        reasons.push(format!("{}; {TWO_VERSIONS}", unmeasured_text(difference)));
    }
    let too_far = |distance: Option<f64>| distance.is_some_and(|d| d > found.tolerance);
    let worst = difference.worst_clip().filter(|clip| too_far(clip.distance));
    let rest = difference.rest.distance.filter(|d| *d > found.tolerance);
    let clip = worst.or_else(|| {
        let any = difference.clips.iter().find(|clip| too_far(clip.distance));
        any.filter(|_| rest.is_none())
    });
    let allowed = format!(" ({} allowed)", millimetres(found.tolerance));
    match (clip, rest) {
        (Some(clip), _) => {
            reasons.push(format!("clip {}: {}", clip_names(clip), clip_text(clip, &allowed)));
        }
        (None, Some(rest)) => reasons.push(format!("rest pose: {}{allowed}", millimetres(rest))),
        (None, None) => {}
    }
    format!("{b}: differs from {a}: {}", reasons.join("; "))
}

/// Returns the line above the picture of the difference.
pub fn picture_caption(found: &FileDifference) -> String {
    let short = found.names.each_ref().map(|name| name.rsplit(['/', '\\']).next().unwrap_or(name));
    let [a, b] = match short[0] == short[1] {
        true => found.names.each_ref().map(String::as_str),
        false => short,
    };
    let at = match found.difference.worst_clip() {
        Some(clip) => {
            let time = clip.time.unwrap_or_default();
            format!("clip {} at {time:.3} s", clip_names(clip))
        }
        None => "rest pose".into(),
    };
    format!("{b}, {at}: distance from {a}")
}

/// Writes the difference as Markdown.
pub fn write_markdown(out: &mut dyn Write, found: &FileDifference) -> io::Result<()> {
    let difference = &found.difference;
    let [a, b] = found.names.each_ref().map(|name| markdown_text(name));
    let verdict = if found.is_equal() { "equal" } else { "different" };
    writeln!(out, "### {a} → {b}: {verdict}\n")?;
    writeln!(out, "| | distance | at | on | joint | turned by |\n|---|--:|--:|---|---|--:|")?;
    let rest = &difference.rest;
    let distance = |distance: Option<f64>| {
        let text = distance.map_or("not measured".into(), millimetres);
        if distance.is_none_or(|d| d > found.tolerance) { format!("**{text}**") } else { text }
    };
    let name = |name: &Option<String>| name.as_deref().map(markdown_text).unwrap_or_default();
    writeln!(out, "| rest pose | {} | | | {} | |", distance(rest.distance), name(&rest.node))?;
    for clip in &difference.clips {
        let at = clip.time.map_or(String::new(), |time| format!("{time:.3} s"));
        let angle =
            clip.angle.map_or(String::new(), |angle| format!("{}°", three_digits(angle, 3)));
        let names = markdown_text(&format!("clip {}", clip_names(clip)));
        let (node, joint) = (name(&clip.vertex_node), name(&clip.joint));
        let distance = distance(clip.distance);
        writeln!(out, "| {names} | {distance} | {at} | {node} | {joint} | {angle} |")?;
    }
    for (title, list) in
        [("Structure", &difference.structure), ("Materials", &difference.materials)]
    {
        if list.is_empty() {
            continue;
        }
        writeln!(out, "\n{title}:\n")?;
        for change in list.iter().take(LISTED) {
            writeln!(out, "- {}", markdown_text(&change_text(change)))?;
        }
        if let more @ 1.. = list.len().saturating_sub(LISTED) {
            writeln!(out, "- and {more} more")?;
        }
    }
    let [before, after] = found.bytes;
    let more = i128::from(after) - i128::from(before);
    let allowed = millimetres(found.tolerance);
    writeln!(out, "\n{before} bytes → {after} bytes ({more:+}); {allowed} allowed")
}

fn change_text(change: &Change) -> String {
    let what = match change.change {
        ChangeKind::Changed => escaped(&change.what),
        other => other.name().to_owned(),
    };
    format!("{} \"{}\": {what}", change.kind.name(), escaped(&change.name))
}

fn clip_names(clip: &ClipDifference) -> String {
    let name = |name: &Option<String>, index: usize| match name {
        Some(name) => format!("\"{}\"", escaped(name)),
        None => format!("{index}"),
    };
    let [a, b] = [name(&clip.a, clip.index[0]), name(&clip.b, clip.index[1])];
    match clip.paired_by {
        PairedBy::Content if a != b => format!("{a}, now {b}"),
        _ => a,
    }
}

/// Describes the difference of two clips; `allowed` follows the distance.
fn clip_text(clip: &ClipDifference, allowed: &str) -> String {
    let (Some(distance), Some(time)) = (clip.distance, clip.time) else {
        return match clip.distance {
            None => "not measured".into(),
            Some(distance) => millimetres(distance),
        };
    };
    if distance == 0.0 {
        return millimetres(0.0);
    }
    let mut text = format!("{}{allowed} at {time:.3} s", millimetres(distance));
    if let Some(node) = &clip.vertex_node {
        text += &format!(" on \"{}\"", escaped(node));
    }
    if let Some(joint) = &clip.joint {
        text += &format!("; joint \"{}\" differs most", escaped(joint));
        if let Some(angle) = clip.angle.filter(|angle| *angle >= 0.0005) {
            let angle = three_digits(angle, 3);
            let noun = if angle == "1" { "degree" } else { "degrees" };
            text += &format!(", by up to {angle} {noun}");
        }
    }
    text
}

/// Returns a length in metres as millimetres.
fn millimetres(metres: f64) -> String {
    match metres * 1000.0 {
        0.0 => "0 mm".into(),
        mm if mm < 0.001 => "less than 0.001 mm".into(),
        mm if mm.is_finite() => format!("{} mm", three_digits(mm, 3)),
        _ => "infinitely far".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_in_millimetres() {
        let texts = [0.0, 4e-8, 0.000_312_4, 0.012_345, 1.5, 0.1].map(millimetres);
        assert_eq!(
            texts,
            ["0 mm", "less than 0.001 mm", "0.312 mm", "12.3 mm", "1500 mm", "100 mm"]
        );
    }
}
