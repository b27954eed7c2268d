//! The axis of time: places of times on the screen, ticks with labels, and how wheel and drags change the part of the
//! clip in sight.

use egui::{Event, PointerButton, Rangef, Rect, Response, Ui};

use crate::mouse::wheel_lines;
use rigview_session::{Action, Playback, PlaybackAction, TimeUnit, TimelineAction};

/// Factor of the visible time per line of the wheel.
pub(crate) const ZOOM_PER_LINE: f64 = 0.85;

/// Points by which a line of the wheel moves the view with Shift.
const PAN_PER_LINE: f64 = 60.0;

/// The room beside the first and the last time, so that marks at the ends are whole, in points.
pub(super) const MARGIN: f32 = 8.0;

/// The least distance between labelled ticks in points.
const TICK_ROOM: f64 = 64.0;

/// Times on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeAxis {
    /// The x coordinates of the ends of the view, in points.
    pub x: Rangef,
    /// The times at the ends of the view, in seconds.
    pub view: [f64; 2],
}

/// The unit of labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    pub unit: TimeUnit,
    pub fps: f64,
}

/// A tick of the axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub secs: f64,
    pub label: String,
}

impl TimeAxis {
    /// Returns the x coordinate of a time in points, which may be out of sight.
    pub fn x_of(&self, secs: f64) -> f32 {
        let [from, to] = self.view;
        self.x.min + (((secs - from) / (to - from)) as f32) * self.x.span()
    }

    /// Returns the time at an x coordinate, which may be outside of the clip.
    pub fn secs_at(&self, x: f32) -> f64 {
        let [from, to] = self.view;
        from + f64::from((x - self.x.min) / self.x.span().max(1.0)) * (to - from)
    }

    /// Returns the seconds per point.
    pub fn secs_per_point(&self) -> f64 {
        (self.view[1] - self.view[0]) / f64::from(self.x.span().max(1.0))
    }

    /// Returns the view after a zoom that keeps the time at an x coordinate in its place.
    pub fn zoomed(&self, factor: f64, x: f32) -> [f64; 2] {
        let at = self.secs_at(x);
        self.view.map(|end| at + factor * (end - at))
    }

    /// Returns the view after a move by this many points: positive ones show later times.
    pub fn moved(&self, points: f64) -> [f64; 2] {
        self.view.map(|end| end + points * self.secs_per_point())
    }

    /// Returns ticks at round numbers, far enough from each other for their labels.
    pub fn ticks(&self, clock: Clock) -> Vec<Tick> {
        let per_unit = clock.secs_per_unit();
        let wanted = TICK_ROOM * self.secs_per_point() / per_unit;
        let least = match clock.unit {
            TimeUnit::Seconds => 1e-9,
            TimeUnit::Frames => 1.0,
        };
        let view = self.view.map(|secs| secs / per_unit);
        let (values, step) = round_values(view, wanted.max(least), least);
        let decimals = decimals_of(step);
        let tick =
            |value: f64| Tick { secs: value * per_unit, label: format!("{value:.decimals$}") };
        values.into_iter().map(tick).collect()
    }
}

/// Returns the multiples of a round step in a range, and that step: `wanted` or wider, but less, down to `least`, where
/// there would be fewer than two of them.
pub(crate) fn round_values([low, high]: [f64; 2], wanted: f64, least: f64) -> (Vec<f64>, f64) {
    let mut step = round_step(wanted);
    let ends = |step: f64| [(low / step).ceil(), (high / step + 1e-9).floor()];
    let least = least.max(1e-14 * high.abs());
    while ends(step)[1] - ends(step)[0] < 1.0 && step > 1.5 * least {
        // The next smaller one of 1, 2 and 5.
        step = round_step(0.4 * step);
    }
    let [first, last] = ends(step);
    let count = (last - first + 1.0).clamp(0.0, 1000.0) as usize;
    ((0..count).map(|i| (first + i as f64) * step).collect(), step)
}

/// Returns the number of decimals of the multiples of a round step.
pub(crate) fn decimals_of(step: f64) -> usize {
    (-step.log10().floor()).clamp(0.0, 9.0) as usize
}

impl Clock {
    /// Returns the clock of a playback's frames.
    pub fn new(unit: TimeUnit, playback: &Playback) -> Self {
        Self { unit, fps: playback.fps() }
    }

    fn secs_per_unit(self) -> f64 {
        match self.unit {
            TimeUnit::Seconds => 1.0,
            TimeUnit::Frames => 1.0 / self.fps,
        }
    }

    /// Converts a time to the unit.
    pub fn number(self, secs: f64) -> f64 {
        secs / self.secs_per_unit()
    }

    /// Converts a number of the unit to a time in seconds.
    pub fn secs(self, number: f64) -> f64 {
        number * self.secs_per_unit()
    }

    /// Returns a time with its unit: `0.500 s`, `frame 15`.
    pub fn text(self, secs: f64) -> String {
        match self.unit {
            TimeUnit::Seconds => format!("{secs:.3} s"),
            TimeUnit::Frames => {
                let frame = (self.number(secs) * 100.0).round() / 100.0;
                format!("frame {frame}")
            }
        }
    }
}

/// Returns the least of 1, 2 and 5 times a power of ten that is not below a number.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Returns the time that a drag to `secs` means: with Shift the nearest key, in frames the nearest frame.
pub(crate) fn snapped(ui: &Ui, clock: Clock, secs: f64, keys: &[f32]) -> f64 {
    if ui.input(|input| input.modifiers.shift) {
        nearest(keys, secs).unwrap_or(secs)
    } else if clock.unit == TimeUnit::Frames {
        clock.secs(clock.number(secs).round())
    } else {
        secs
    }
}

/// Returns the time nearest to `secs` among increasing times.
pub(super) fn nearest(times: &[f32], secs: f64) -> Option<f64> {
    let after = times.partition_point(|time| f64::from(*time) < secs);
    let around = [after.checked_sub(1), Some(after)].into_iter().flatten();
    let times = around.filter_map(|at| times.get(at)).map(|time| f64::from(*time));
    times.min_by(|a, b| (a - secs).abs().total_cmp(&(b - secs).abs()))
}

/// Goes to a time, unless it is the present one.
pub(crate) fn seek(playback: &Playback, secs: f64, actions: &mut Vec<Action>) {
    let secs = secs.clamp(0.0, playback.duration_secs());
    if secs != playback.time_secs() {
        actions.push(PlaybackAction::Seek(secs).into());
    }
}

/// Changes the view by the wheel over a rectangle (zoom at the pointer; with Shift, or sideways: move), by pinching, and
/// by drags of its response with the middle or right button. The wheel with Ctrl is left to others.
pub(crate) fn view_input(
    ui: &Ui,
    axis: TimeAxis,
    rect: Rect,
    response: &Response,
    actions: &mut Vec<Action>,
) {
    let mut axis = axis;
    let before = axis.view;
    let pointer = ui.input(|input| input.pointer.latest_pos());
    if let Some(at) = pointer.filter(|at| rect.contains(*at) && ui.rect_contains_pointer(rect)) {
        for event in ui.input(|input| input.events.clone()) {
            match event {
                Event::MouseWheel { unit, delta, modifiers, .. } if !modifiers.command => {
                    let (mut aside, mut zoom) =
                        (wheel_lines(unit, delta.x), wheel_lines(unit, delta.y));
                    if modifiers.shift {
                        (aside, zoom) = (aside + zoom, 0.0);
                    }
                    axis.view = axis.zoomed(ZOOM_PER_LINE.powf(zoom), at.x);
                    axis.view = axis.moved(-PAN_PER_LINE * aside);
                }
                Event::Zoom(factor) if factor > 0.0 => {
                    axis.view = axis.zoomed(1.0 / f64::from(factor), at.x);
                }
                _ => {}
            }
        }
    }
    if [PointerButton::Middle, PointerButton::Secondary].iter().any(|b| response.dragged_by(*b)) {
        axis.view = axis.moved(-f64::from(response.drag_delta().x));
    }
    if axis.view != before {
        actions.push(TimelineAction::Show(axis.view).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(view: [f64; 2]) -> TimeAxis {
        TimeAxis { x: Rangef::new(100.0, 740.0), view }
    }

    fn labels(view: [f64; 2], unit: TimeUnit) -> Vec<String> {
        let ticks = axis(view).ticks(Clock { unit, fps: 30.0 });
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn times_and_places_agree_and_a_zoom_keeps_the_place() {
        let axis = axis([1.0, 3.0]);
        assert_eq!((axis.x_of(1.0), axis.x_of(3.0), axis.secs_at(420.0)), (100.0, 740.0, 2.0));
        let view = axis.zoomed(0.5, 260.0);
        assert_eq!(view, [1.25, 2.25]);
        let zoomed = TimeAxis { view, ..axis };
        assert!((zoomed.x_of(1.5) - 260.0).abs() < 1e-3);
        assert_eq!(axis.moved(320.0), [2.0, 4.0]);
    }

    #[test]
    fn ticks_are_at_round_numbers_and_apart() {
        assert_eq!(
            labels([0.0, 2.0], TimeUnit::Seconds).join(" "),
            "0.0 0.2 0.4 0.6 0.8 1.0 1.2 1.4 1.6 1.8 2.0"
        );
        assert_eq!(labels([0.0, 2.0], TimeUnit::Frames).join(" "), "0 10 20 30 40 50 60");
        assert_eq!(labels([1.0, 1.001], TimeUnit::Seconds)[..2], ["1.0000", "1.0001"]);
        // No tick between two frames, and never too many.
        assert_eq!(labels([0.5, 0.52], TimeUnit::Frames), ["15"]);
        assert!(labels([0.0, 1e9], TimeUnit::Seconds).len() < 12);
    }

    #[test]
    fn there_are_at_least_two_round_values_at_any_height() {
        for range in
            [[0.2, 0.8], [-1e-4, 1e-4], [99.9, 100.2], [-0.08, 1.08], [3e5, 7e5], [1.1, 1.9]]
        {
            for height in [20.0, 60.0, 110.0, 400.0] {
                let (values, step) =
                    round_values(range, 28.0 * (range[1] - range[0]) / height, 1e-9);
                let inside = |value: &f64| {
                    let rounding = 1e-9 * (range[1] - range[0]);
                    (range[0]..=range[1] + rounding).contains(value)
                };
                assert!(values.len() >= 2 && values.iter().all(inside), "{range:?} {values:?}");
                assert!(values.len() <= 15, "{range:?} by {step}: {values:?}");
            }
        }
    }

    #[test]
    fn the_nearest_key_is_found() {
        let keys = [0.0, 0.5, 2.0];
        for (secs, wanted) in [(-1.0, 0.0), (0.24, 0.0), (0.26, 0.5), (1.3, 2.0), (9.0, 2.0)] {
            assert_eq!(nearest(&keys, secs), Some(wanted));
        }
        assert_eq!(nearest(&[], 1.0), None);
    }
}
