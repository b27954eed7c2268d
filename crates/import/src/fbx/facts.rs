//! What the file says about itself: unit, axes, frame rate, takes, and what of it is not shown.

use ufbx::{CoordinateAxis, ElementType, Scene};

use super::curves::{Span, key_count};
use super::stack::Stack;
use rigview_model::{escaped_to, quoted};

/// Longest text of a fact, in characters.
const LONGEST: usize = 400;

/// Limit for the takes that are listed.
const TAKES: usize = 32;

/// Returns the format with its version.
pub(super) fn format(scene: &Scene) -> String {
    let version = scene.metadata.version;
    let order = if scene.metadata.big_endian { ", big-endian" } else { "" };
    format!("FBX {}.{}{order}", version / 1000, version % 1000 / 100)
}

/// Returns the program that wrote the file.
pub(super) fn generator(scene: &Scene) -> Option<String> {
    let said = &scene.metadata;
    let application = &said.original_application;
    let program = [&*application.vendor, &*application.name, &*application.version];
    let program: Vec<&str> = program.into_iter().filter(|word| !word.is_empty()).collect();
    let creator = &*said.creator;
    let text = match (program.is_empty(), creator.is_empty()) {
        (true, true) => return None,
        (true, false) => creator.to_owned(),
        (false, true) => program.join(" "),
        (false, false) => format!("{} ({creator})", program.join(" ")),
    };
    Some(escaped_to(&text, LONGEST))
}

/// Returns the facts with their names. `left_out` says which of the takes are no clips.
pub(super) fn facts(scene: &Scene, stacks: &[Stack], left_out: &[bool]) -> Vec<(String, String)> {
    let settings = &scene.settings;
    let axes = settings.axes;
    let mut facts = vec![
        ("unit", format!("{} m", settings.unit_meters as f32)),
        (
            "axes",
            format!("right {}, up {}, front {}", axis(axes.right), axis(axes.up), axis(axes.front)),
        ),
        ("frames per second", rate(settings.frames_per_second)),
    ];
    for (stack, is_left_out) in stacks.iter().zip(left_out).take(TAKES) {
        let span = Span::of(stack);
        let keys = match key_count(stack) {
            0 => "no keys".to_owned(),
            1 => "1 key".to_owned(),
            count => format!("{count} keys"),
        };
        let kind = match (is_left_out, key_count(stack) == 0 || span.is_instant()) {
            (true, _) => ", left out",
            (false, true) => ", one pose",
            (false, false) => "",
        };
        let layers = match (stack.whole().layers.len(), stack.muted()) {
            (0 | 1, 0) => String::new(),
            (count, 0) => format!(", {count} layers"),
            (count, muted) => format!(", {muted} of {count} layers muted"),
        };
        let name = quoted(stack.name());
        let Span { begin, end } = span;
        facts.push(("take", format!("{name}: {begin:.4} s to {end:.4} s, {keys}{kind}{layers}")));
    }
    let is_empty = |(stack, is_left_out): &(&Stack, &bool)| **is_left_out && key_count(stack) == 0;
    let empty = stacks.iter().zip(left_out).filter(is_empty).count();
    let not_shown = not_shown(scene, stacks, empty);
    if !not_shown.is_empty() {
        facts.push(("not shown", not_shown.join(", ")));
    }
    // The report has one value per name.
    let takes: Vec<&str> =
        facts.iter().filter(|(name, _)| *name == "take").map(|(_, take)| take.as_str()).collect();
    let takes = takes.join("; ");
    facts.retain(|(name, _)| *name != "take");
    if !takes.is_empty() {
        facts.push(("takes", takes));
    }
    facts.into_iter().map(|(name, value)| (name.to_owned(), escaped_to(&value, 4000))).collect()
}

/// Lists kinds of objects that rigview does not show, with their numbers. `empty` is that of takes that are left out.
fn not_shown(scene: &Scene, stacks: &[Stack], empty: usize) -> Vec<String> {
    let count = |kind: ElementType| scene.elements.iter().filter(|e| e.type_ == kind).count();
    let kinds = [
        (count(ElementType::LineCurve) + count(ElementType::NurbsCurve), "curve"),
        (count(ElementType::NurbsSurface) + count(ElementType::NurbsTrimSurface), "NURBS surface"),
        (count(ElementType::ProceduralGeometry), "procedural geometry"),
        (count(ElementType::CacheDeformer), "geometry cache"),
        (count(ElementType::Constraint), "constraint"),
        (count(ElementType::LodGroup), "level of detail group (all levels are drawn)"),
        (count(ElementType::AudioClip), "audio clip"),
        (stacks.iter().map(Stack::muted).sum(), "muted layer of a take"),
        (empty, "take without keys"),
    ];
    let said = |(count, name): &(usize, &str)| match count {
        1 => format!("1 {name}"),
        count => format!("{count} × {name}"),
    };
    kinds.iter().filter(|(count, _)| *count > 0).map(said).collect()
}

/// Returns a frame rate as text. ufbx has those of NTSC in single precision. A file may state one of its own without its number.
fn rate(per_second: f64) -> String {
    match per_second > 0.0 && per_second.is_finite() {
        true => (per_second as f32).to_string(),
        false => "unstated".into(),
    }
}

fn axis(axis: CoordinateAxis) -> &'static str {
    match axis {
        CoordinateAxis::PositiveX => "+X",
        CoordinateAxis::NegativeX => "-X",
        CoordinateAxis::PositiveY => "+Y",
        CoordinateAxis::NegativeY => "-Y",
        CoordinateAxis::PositiveZ => "+Z",
        CoordinateAxis::NegativeZ => "-Z",
        CoordinateAxis::Unknown => "unstated",
    }
}
