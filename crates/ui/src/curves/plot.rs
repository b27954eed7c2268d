//! The picture of the curves: lines, keys, tangents and the playhead over axes of time and values.

use egui::{Color32, Event, Id, MouseWheelUnit, PointerButton, Rangef, Sense, Stroke, Ui, Vec2};
use egui_plot::{
    GridMark, Line, LineStyle, MarkerShape, Plot, PlotBounds, PlotPoint, PlotPoints, PlotResponse,
    Points, VLine,
};

use super::components::{Components, color};
use crate::text::unsigned_zero;
use crate::theme;
use crate::timeline::axis::{
    Clock, TimeAxis, ZOOM_PER_LINE, decimals_of, round_values, seek, snapped, view_input,
};
use rigview_report::{CurvePoint, KeyPoint, TrackCurve};
use rigview_session::{Action, Playback};

/// With more keys in view than this, none are drawn: they would hide the curve.
const MOST_KEYS: usize = 2000;
/// With more keys in view than this, no tangents are drawn.
const MOST_HANDLES: usize = 200;

/// A smaller share of the largest value is only its rounding error.
const LEAST_SHARE: f64 = 1e-5;

/// The height of the axis of times, and the least distance between labelled values where there is room, in points.
const TIMES: f32 = 18.0;
const VALUE_ROOM: f64 = 28.0;

/// The width of the axis of values in points.
const VALUES: f32 = 46.0;

/// Handles that reach further beyond the curve than this share of its height do not count for the fit.
const HANDLE_ROOM: f64 = 0.4;

/// The curves of a frame.
pub(super) struct CurvePlot<'a> {
    pub playback: &'a Playback,
    pub clock: Clock,
    pub view: [f64; 2],
    pub curve: &'a TrackCurve,
    pub components: &'a Components,
    /// The values at the present time, one per component.
    pub now: &'a [f32],
    /// The times of all keys, to snap to.
    pub keys: &'a [f32],
    /// The smallest range that is worth showing: smaller ones are only rounding errors.
    pub least: f64,
}

impl CurvePlot<'_> {
    /// Shows the curves in the range of `values`, fitted to them if that is `None`. Returns whether all is to be shown.
    pub fn show(
        &self,
        ui: &mut Ui,
        values: &mut Option<[f64; 2]>,
        actions: &mut Vec<Action>,
    ) -> bool {
        let shown: Vec<usize> = (0..self.curve.components.len())
            .filter(|i| self.components.is_on(&self.curve.components[*i]))
            .collect();
        let [low, high] = values.unwrap_or_else(|| self.fit(&shown));
        let columns = (ui.available_width() * ui.pixels_per_point()).max(1.0) as usize;
        let lines = self.lines(ui, &shown, columns);
        let (points, handles) = (self.key_points(ui, &shown), self.handles(ui, &shown));
        let at = self.playback.time_secs();
        let now = shown.iter().filter_map(|i| Some((*i, f64::from(*self.now.get(*i)?))));
        let now: Vec<(Color32, f64)> = now.map(|(i, value)| (color(ui, i), value)).collect();
        let (clock, view) = (self.clock, self.view);
        let labels = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
            let step = mark.step_size.max(1e-9);
            let decimals = (-clock.number(step).log10().floor()).clamp(0.0, 6.0) as usize;
            format!("{:.decimals$}", clock.number(mark.value))
        };
        let width = ui.available_width() - VALUES;
        let grid = move |_: egui_plot::GridInput| grid(view, width, clock);
        let height = f64::from((ui.available_height() - TIMES).max(1.0));
        let (values_at, step) = round_values([low, high], VALUE_ROOM * (high - low) / height, 1e-9);
        // Marks as far apart as the whole range are never faded.
        let mark = move |value: f64| GridMark { value, step_size: high - low };
        let value_marks = move |_: egui_plot::GridInput| {
            values_at.iter().map(|value| mark(*value)).collect::<Vec<_>>()
        };
        let value_labels = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
            unsigned_zero(format!("{:.1$}", mark.value, decimals_of(step)))
        };
        let plot = Plot::new(Id::unique("curves"))
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .allow_axis_zoom_drag(false)
            .show_crosshair(false)
            .label_formatter(|_| None)
            .set_margin_fraction(Vec2::ZERO)
            .x_grid_spacer(grid)
            .x_axis_formatter(labels)
            .y_grid_spacer(value_marks)
            .y_axis_formatter(value_labels)
            .y_axis_min_width(VALUES)
            .grid_color(theme::colors(ui).weak)
            .sense(Sense::click_and_drag());
        let head = theme::colors(ui).handle;
        let response = plot.show(ui, move |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([view[0], low], [view[1], high]));
            lines.into_iter().chain(handles.0).for_each(|line| plot.line(line));
            points.into_iter().chain(handles.1).for_each(|points| plot.points(points));
            plot.vline(VLine::new("playhead", at).color(head).width(1.0).allow_hover(false));
            for (color, value) in now {
                let point =
                    Points::new("value", PlotPoints::Owned(vec![PlotPoint::new(at, value)]));
                plot.points(point.radius(4.0).color(color).allow_hover(false));
            }
        });
        self.input(ui, &response, [low, high], values, actions)
    }

    /// Turns the frame's input over the plot into actions and another range of values.
    fn input(
        &self,
        ui: &Ui,
        plot: &PlotResponse<()>,
        [low, high]: [f64; 2],
        values: &mut Option<[f64; 2]>,
        actions: &mut Vec<Action>,
    ) -> bool {
        let (rect, response) = (*plot.transform.frame(), &plot.response);
        let name = format!("Curves of {}", self.curve.path);
        let now = self.playback.time_secs();
        response.widget_info(|| egui::WidgetInfo::slider(true, now, &name));
        let axis = TimeAxis { x: rect.x_range(), view: self.view };
        view_input(ui, axis, rect, response, actions);
        if response.dragged_by(PointerButton::Primary) || response.clicked() {
            let pointer = response.interact_pointer_pos();
            if let Some(pointer) = pointer.filter(|_| !response.double_clicked()) {
                let secs = snapped(ui, self.clock, axis.secs_at(pointer.x), self.keys);
                seek(self.playback, secs, actions);
            }
        }
        let panned = [PointerButton::Middle, PointerButton::Secondary];
        if panned.iter().any(|button| response.dragged_by(*button)) {
            let by = f64::from(response.drag_delta().y / rect.height().max(1.0)) * (high - low);
            *values = Some([low + by, high + by]);
        }
        let pointer = ui.input(|input| input.pointer.latest_pos());
        if let Some(at) = pointer.filter(|at| rect.contains(*at) && ui.rect_contains_pointer(rect))
        {
            let lines = ctrl_lines(ui);
            if lines != 0.0 {
                let middle = high - f64::from((at.y - rect.top()) / rect.height()) * (high - low);
                let factor = ZOOM_PER_LINE.powf(lines);
                *values = Some([low, high].map(|end| middle + factor * (end - middle)));
            }
        }
        response.double_clicked()
    }

    /// Returns the range of the shown curves with room around it.
    fn fit(&self, shown: &[usize]) -> [f64; 2] {
        let of = |point: &Vec<f32>| {
            shown.iter().filter_map(|i| point.get(*i)).copied().collect::<Vec<_>>()
        };
        let values = self.curve.curve.iter().flat_map(|point| of(&point.value));
        let [low, high] = fitted(values.map(f64::from), self.least);
        // Tangents near the curve are in sight, too; far ones would flatten it.
        let room = HANDLE_ROOM * (high - low);
        let ends = self.curve.keys.iter().flat_map(|key| [&key.in_handle, &key.out_handle]);
        let ends = ends.flatten().filter(|handle| self.is_in_view(handle.time));
        let ends = ends.flat_map(|handle| of(&handle.value)).map(f64::from);
        let ends: Vec<f64> = ends.map(|end| end.clamp(low - room, high + room)).collect();
        ends.into_iter().fold([low, high], |[low, high], end| [low.min(end), high.max(end)])
    }

    fn is_in_view(&self, secs: f64) -> bool {
        (self.view[0]..=self.view[1]).contains(&secs)
    }

    fn lines(&self, ui: &Ui, shown: &[usize], columns: usize) -> Vec<Line<'static>> {
        let line = |i: &usize| {
            let points = PlotPoints::Owned(thinned(&self.curve.curve, *i, columns));
            Line::new("curve", points)
                .color(color(ui, *i))
                .width(1.5)
                .allow_band(false)
                .allow_hover(false)
        };
        shown.iter().map(line).collect()
    }

    /// Returns the keys in view, or none if there are more than `most`.
    fn keys_in_view(&self, most: usize) -> Vec<&KeyPoint> {
        let keys = self.curve.keys.iter().filter(|key| self.is_in_view(f64::from(key.time)));
        let mut keys: Vec<&KeyPoint> = keys.take(most + 1).collect();
        if keys.len() > most {
            keys.clear();
        }
        keys
    }

    fn key_points(&self, ui: &Ui, shown: &[usize]) -> Vec<Points<'static>> {
        let keys = self.keys_in_view(MOST_KEYS);
        let shape = match self.curve.interpolation {
            "STEP" => MarkerShape::Square,
            "CUBICSPLINE" => MarkerShape::Circle,
            _ => MarkerShape::Diamond,
        };
        let points = |i: &usize| {
            let at = keys.iter().filter_map(|key| {
                Some(PlotPoint::new(f64::from(key.time), f64::from(*key.value.get(*i)?)))
            });
            let points = Points::new("keys", PlotPoints::Owned(at.collect()));
            points.radius(3.0).shape(shape).color(color(ui, *i)).allow_hover(false)
        };
        shown.iter().map(points).collect()
    }

    /// Returns the tangents as lines from the keys to their Bezier handles, and the handles' ends.
    fn handles(&self, ui: &Ui, shown: &[usize]) -> (Vec<Line<'static>>, Vec<Points<'static>>) {
        let mut lines = Vec::new();
        let mut ends = Vec::new();
        let keys = self.keys_in_view(MOST_HANDLES);
        for i in shown {
            let faded = faded(color(ui, *i));
            let mut tips = Vec::new();
            for key in &keys {
                for handle in [&key.in_handle, &key.out_handle].into_iter().flatten() {
                    let value = |list: &[f32]| list.get(*i).map_or(0.0, |value| f64::from(*value));
                    let from = PlotPoint::new(f64::from(key.time), value(&key.value));
                    let to = PlotPoint::new(handle.time, value(&handle.value));
                    let line = Line::new("tangent", PlotPoints::Owned(vec![from, to]));
                    let line = line.stroke(Stroke::new(1.0, faded)).style(LineStyle::Solid);
                    lines.push(line.allow_hover(false));
                    tips.push(to);
                }
            }
            let tips = Points::new("handles", PlotPoints::Owned(tips));
            ends.push(tips.radius(2.0).color(faded).allow_hover(false));
        }
        (lines, ends)
    }
}

/// Returns the marks of the grid of time: those of the time line.
fn grid(view: [f64; 2], width: f32, clock: Clock) -> Vec<GridMark> {
    let axis = TimeAxis { x: Rangef::new(0.0, width.max(1.0)), view };
    let ticks = axis.ticks(clock);
    let step = match &ticks[..] {
        [a, b, ..] => b.secs - a.secs,
        _ => view[1] - view[0],
    };
    ticks.iter().map(|tick| GridMark { value: tick.secs, step_size: step }).collect()
}

/// Returns the lines of the wheel that was turned with Ctrl in this frame.
fn ctrl_lines(ui: &Ui) -> f64 {
    let lines = |event: &Event| match event {
        Event::MouseWheel { unit, delta, modifiers, .. } if modifiers.command => match unit {
            MouseWheelUnit::Line | MouseWheelUnit::Page => f64::from(delta.y),
            MouseWheelUnit::Point => f64::from(delta.y) / 40.0,
        },
        _ => 0.0,
    };
    ui.input(|input| input.events.iter().map(lines).sum())
}

fn faded(color: Color32) -> Color32 {
    color.gamma_multiply(0.6)
}

/// Returns one component of a curve for a picture of this many columns. Where several points fall on a column, they are
/// drawn as their range: its least and its largest value, in the order in which they come.
fn thinned(points: &[CurvePoint], component: usize, columns: usize) -> Vec<PlotPoint> {
    let at = |point: &CurvePoint| {
        let value = point.value.get(component).copied().unwrap_or_default();
        PlotPoint::new(point.time, f64::from(value))
    };
    if points.len() <= 4 * columns {
        return points.iter().map(at).collect();
    }
    let (first, last) = (points[0].time, points[points.len() - 1].time);
    let per_sec = columns as f64 / (last - first).max(f64::MIN_POSITIVE);
    let column = |point: &CurvePoint| ((point.time - first) * per_sec) as usize;
    let mut out = Vec::with_capacity(2 * columns);
    for here in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_value =
            |a: &&CurvePoint, b: &&CurvePoint| a.value[component].total_cmp(&b.value[component]);
        let ends = here.iter().min_by(by_value).zip(here.iter().max_by(by_value));
        if let Some((low, high)) = ends {
            let ends = if low.time <= high.time { [low, high] } else { [high, low] };
            out.extend(ends.map(at));
        }
    }
    out
}

/// Returns the range of some values with room above and below, never empty. Values that differ by at most `least` are
/// constant.
fn fitted(values: impl Iterator<Item = f64>, least: f64) -> [f64; 2] {
    let mut range = Rangef::NOTHING;
    values.filter(|value| value.is_finite()).for_each(|value| {
        range = Rangef::new(range.min.min(value as f32), range.max.max(value as f32));
    });
    let [low, high] = [f64::from(range.min), f64::from(range.max)];
    if low > high {
        return [-1.0, 1.0];
    }
    // A constant curve is in the middle of a range that suits its size.
    let size = low.abs().max(high.abs());
    let is_constant = high - low <= least.max(LEAST_SHARE * size);
    let room = if is_constant { (0.1 * size).max(least) } else { 0.08 * (high - low) };
    [low - room, high + room]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_between_columns_stays() {
        let value = |i: usize| if i == 54_321 { 7.0 } else { 0.0 };
        let points: Vec<CurvePoint> = (0..100_000)
            .map(|i| CurvePoint { time: i as f64 / 1000.0, value: vec![1.0, value(i)] })
            .collect();
        let thin = thinned(&points, 1, 500);
        assert!(thin.len() <= 1002, "{}", thin.len());
        let peak = thin.iter().find(|point| point.y == 7.0).unwrap();
        assert!((peak.x - 54.321).abs() < 1e-9 && thin.is_sorted_by(|a, b| a.x <= b.x));
        assert_eq!(thinned(&points[..100], 0, 500).len(), 100);
    }

    #[test]
    fn a_fit_has_room_and_is_never_empty() {
        assert_eq!(fitted([0.0, 100.0].into_iter(), 1e-3), [-8.0, 108.0]);
        assert_eq!(fitted([].into_iter(), 1e-3), [-1.0, 1.0]);
        for constant in [[5.0, 5.0, f64::NAN], [5.0, 5.000_000_1, 4.999_999_9]] {
            let [low, high] = fitted(constant.into_iter(), 1e-3);
            assert!(low < 4.6 && high > 5.4 && high - low < 2.0, "{low} {high}");
        }
    }

    /// Rounding errors do not fill the plot: changes by a tiny share of the values, and changes below the least range of
    /// their property.
    #[test]
    fn what_hardly_changes_is_nearly_flat() {
        let share = |values: [f64; 2], least: f64| {
            let [low, high] = fitted(values.into_iter(), least);
            (values[1] - values[0]) / (high - low)
        };
        assert!(share([1.0, 1.000_001], 1e-9) < 0.01);
        assert!(share([0.0, 5e-4], 1e-3) < 0.25);
        assert!(share([0.0, 5e-3], 1e-3) > 0.8, "what moves fills it");
    }
}
