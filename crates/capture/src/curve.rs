//! Plots a node's curves: one panel per track, with keys, tangents and Bezier handles. With a lab, adds a
//! row of the same keys under every interpolation, and their deviation from the file's interpolation.

use std::ops::Range;

use super::plot::{Dots, Handle, Panel, Plot, PlotError, Row, color};
use super::stroke::Line;
use rigview_import::escaped;
use rigview_report::{KeyPoint, Lab, NodeCurves, TrackCurve, counted};

/// Width of the plot, and heights of its rows, in points.
const WIDTH: u32 = 1200;
const TRACK_HEIGHT: u32 = 300;
const SPLIT_HEIGHT: u32 = 170;
const LAB_HEIGHT: u32 = 250;
const DEVIATION_HEIGHT: u32 = 200;

/// Handles that reach further beyond the curve than this fraction of its height are cut off, so that one
/// extreme tangent does not flatten the curve.
const HANDLE_ROOM: f64 = 0.6;

/// Letters of the file's name in the title, at most.
const MOST_LETTERS: usize = 32;

/// Plots the curves of a node of the file of this name, one panel per track, or with `split` one per component.
///
/// # Errors
/// If the plot has too many rows.
pub fn curve_plot(curves: &NodeCurves, file: &str, split: bool) -> Result<Plot, PlotError> {
    let name = |name: &Option<String>| match name {
        Some(name) if !name.is_empty() => format!(" \"{}\"", escaped(name)),
        _ => String::new(),
    };
    let title = format!(
        "{}: node {}{} in clip{}{}",
        head(&escaped(file)),
        curves.node,
        name(&curves.node_name),
        curves.clip.map(|index| format!(" {index}")).unwrap_or_default(),
        name(&curves.clip_name)
    );
    let mut rows: Vec<Row> = Vec::new();
    for track in &curves.tracks {
        let (duration, count) = (f64::from(curves.duration), track.components.len());
        if split {
            let panels = (0..count).map(|c| vec![track_panel(track, c..c + 1, duration)]);
            rows.extend(panels.map(|panels| Row { height: SPLIT_HEIGHT, panels }));
        } else {
            let panels = vec![track_panel(track, 0..count, duration)];
            rows.push(Row { height: TRACK_HEIGHT, panels });
        }
        if let Some(lab) = &track.lab {
            rows.push(Row { height: LAB_HEIGHT, panels: lab_panels(track, lab) });
            let panels = vec![deviation_panel(track, lab)];
            rows.push(Row { height: DEVIATION_HEIGHT, panels });
        }
    }
    Plot::new(WIDTH, title, rows)
}

/// Returns the start of a text, with an ellipsis if it is longer than [`MOST_LETTERS`].
fn head(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Plots some components of a track.
fn track_panel(track: &TrackCurve, components: Range<usize>, duration: f64) -> Panel {
    let of_component = |component: usize| Line {
        points: track.curve.iter().map(|p| (p.time, f64::from(p.value[component]))).collect(),
        color: color(component),
        width: 2.0,
    };
    let lines: Vec<Line> = components.clone().map(of_component).collect();
    let keys = counted(track.keys.len(), "key");
    let ends = track.curve.last().map_or(duration, |p| p.time).max(duration);
    let mut panel = Panel {
        caption: match &track.components[..] {
            all if components.len() < all.len() => {
                let name = escaped(&all[components.start]);
                format!("{} {name}  {}, {keys}", track.path, track.interpolation)
            }
            _ => format!("{}  {}, {keys}", track.path, track.interpolation),
        },
        unit: match track.unit {
            "metres" => " m",
            "units" => " units",
            "degrees" => "\u{b0}",
            _ => "",
        },
        keyed: track
            .keys
            .first()
            .zip(track.keys.last())
            .map(|(a, b)| [a, b].map(|k| f64::from(k.time))),
        x: [0.0, if ends > 0.0 { ends } else { 1.0 }],
        lines,
        legend: legend(track, components.clone()),
        marks: track.at.iter().map(|point| point.time).collect(),
        ..Panel::default()
    };
    panel.dots = components.clone().map(|c| key_dots(track, c)).collect();
    let values = track.keys.iter().flat_map(|k| &k.value[components.clone()]);
    panel.fit(values.map(|v| f64::from(*v)));
    let [low, high] = panel.y;
    let room = HANDLE_ROOM * (high - low);
    let reach = [low - room, high + room];
    for component in components {
        panel.handles.extend(handles(track, component));
    }
    let ends: Vec<f64> = panel.handles.iter().map(|h| h.to.1.clamp(reach[0], reach[1])).collect();
    panel.fit(ends);
    panel
}

fn key_dots(track: &TrackCurve, component: usize) -> Dots {
    let at = |k: &KeyPoint| (f64::from(k.time), f64::from(k.value[component]));
    Dots { points: track.keys.iter().map(at).collect(), color: color(component) }
}

fn handles(track: &TrackCurve, component: usize) -> impl Iterator<Item = Handle> {
    track.keys.iter().flat_map(move |key| {
        let from = (f64::from(key.time), f64::from(key.value[component]));
        [&key.in_handle, &key.out_handle].into_iter().flatten().map(move |handle| {
            let to = (handle.time, f64::from(handle.value[component]));
            Handle { from, to, color: color(component) }
        })
    })
}

fn legend(track: &TrackCurve, components: Range<usize>) -> Vec<(String, usize)> {
    components.map(|i| (escaped(&track.components[i]), i)).collect()
}

fn lab_panels(track: &TrackCurve, lab: &Lab) -> Vec<Panel> {
    let count = track.components.len();
    let mut panels: Vec<Panel> = Vec::new();
    for way in &lab.curves {
        let of_component = |component: usize| Line {
            points: way.curve.iter().map(|p| (p.time, f64::from(p.value[component]))).collect(),
            color: color(component),
            width: 1.5,
        };
        let own = if way.own { " (the file's)" } else { "" };
        let first = way.curve.first().map_or(0.0, |p| p.time);
        let last = way.curve.last().map_or(1.0, |p| p.time);
        let mut panel = Panel {
            caption: format!("{}{own}", way.interpolation),
            x: [first, if last > first { last } else { first + 1.0 }],
            lines: (0..count).map(of_component).collect(),
            dots: (0..count).map(|c| key_dots(track, c)).collect(),
            ..Panel::default()
        };
        panel.fit([]);
        panels.push(panel);
    }
    // Use one scale for all panels, so that they can be compared by eye.
    let low = panels.iter().map(|p| p.y[0]).fold(f64::INFINITY, f64::min);
    let high = panels.iter().map(|p| p.y[1]).fold(f64::NEG_INFINITY, f64::max);
    panels.iter_mut().for_each(|p| p.y = [low, high]);
    panels
}

fn deviation_panel(track: &TrackCurve, lab: &Lab) -> Panel {
    let (mut panel, mut steps) = (Panel::default(), String::new());
    let own = lab.curves.iter().find(|way| way.own).map_or("", |way| way.interpolation);
    for (i, way) in lab.curves.iter().enumerate().filter(|(_, way)| !way.own) {
        let found = lab
            .deviations
            .iter()
            .find(|d| d.between.contains(&own) && d.between.contains(&way.interpolation));
        let largest = found.map_or(0.0, |d| d.largest);
        // The deviation of STEP is so large that the other lines would look flat.
        if way.interpolation == "STEP" {
            steps = format!("; STEP, not drawn, up to {}", short(largest));
            continue;
        }
        let points: Vec<(f64, f64)> = way.deviation.iter().map(|[t, d]| (*t, *d)).collect();
        panel.lines.push(Line { points, color: color(i), width: 1.5 });
        panel.legend.push((format!("{} {}", way.interpolation, short(largest)), i));
    }
    let times = || track.keys.iter().map(|k| f64::from(k.time));
    let (first, last) = (times().next().unwrap_or(0.0), times().next_back().unwrap_or(1.0));
    panel.x = [first, if last > first { last } else { first + 1.0 }];
    panel.caption =
        format!("{}: {} off {own}; the legend names the largest{steps}", track.path, lab.unit);
    panel.fit([0.0]);
    panel
}

/// Formats a number with about three significant digits.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if !(1e-3..1e5).contains(&a) => format!("{x:.2e}"),
        a if a >= 100.0 => format!("{x:.0}"),
        a if a >= 10.0 => format!("{x:.1}"),
        a if a >= 1.0 => format!("{x:.2}"),
        _ => format!("{x:.4}"),
    }
}
