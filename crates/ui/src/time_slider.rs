//! Sliders of times for the keyboard and for screen readers, and drags of their parts.

use egui::accesskit::{Action as Request, ActionData, ActionRequest};
use egui::{EventFilter, Key, Pos2, Response, Role, Ui, WidgetInfo};

use rigview_session::{Action, Mark, Playback, PlaybackAction};

/// A slider as a screen reader reads it. Times are in seconds.
pub(super) struct TimeSlider<'a> {
    pub name: &'a str,
    /// The value in words.
    pub text: &'a str,
    pub secs: f64,
    pub range_secs: [f64; 2],
    /// The length of a step; `None` if steps go from key to key.
    pub step_secs: Option<f64>,
}

/// What the keyboard or a screen reader asks of a slider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Asked {
    /// To go this many steps; backwards if negative.
    Steps(i64),
    /// To go to a time in seconds, which is in the slider's range.
    Time(f64),
}

impl TimeSlider<'_> {
    /// Describes a widget as this slider. Returns what the arrow keys, while the widget has the focus, or a screen
    /// reader ask for.
    pub fn ask(&self, ui: &Ui, response: &Response) -> Option<Asked> {
        let enabled = ui.is_enabled();
        let [first, last] = self.range_secs;
        response.widget_info(|| WidgetInfo::slider(enabled, self.secs, self.name));
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_role(Role::Slider);
            node.set_value(self.text);
            node.set_min_numeric_value(first);
            node.set_max_numeric_value(last);
            if let Some(step) = self.step_secs {
                node.set_numeric_value_step(step);
            }
            [Request::Increment, Request::Decrement, Request::SetValue]
                .into_iter()
                .for_each(|request| node.add_action(request));
        });
        if !enabled {
            return None;
        }
        let asked =
            |request| ui.input(|i| i.num_accesskit_action_requests(response.id, request)) as i64;
        let mut steps = asked(Request::Increment) - asked(Request::Decrement);
        if response.has_focus() {
            let arrows = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
            let pressed = |key| ui.input(|i| i.num_presses(key)) as i64;
            steps += pressed(Key::ArrowRight) - pressed(Key::ArrowLeft);
        }
        if steps != 0 {
            return Some(Asked::Steps(steps));
        }
        let time = |request: &ActionRequest| match request.data {
            Some(ActionData::NumericValue(secs)) if secs.is_finite() => Some(secs),
            _ => None,
        };
        let set = |i: &egui::InputState| {
            i.accesskit_action_requests(response.id, Request::SetValue).find_map(time)
        };
        ui.input(set).map(|secs| Asked::Time(secs.clamp(first, last.max(first))))
    }
}

/// Describes a playhead as a slider with this name and value in words. Returns what moves it: steps are frames.
pub(super) fn playhead_asked(
    ui: &Ui,
    response: &Response,
    name: &str,
    text: &str,
    playback: &Playback,
) -> Option<Action> {
    let at = playback.instant();
    let (secs, range_secs) = (at.time_secs, [0.0, at.duration_secs]);
    let step_secs = Some(1.0 / playback.fps());
    let slider = TimeSlider { name, text, secs, range_secs, step_secs };
    Some(match slider.ask(ui, response)? {
        Asked::Steps(frames) => PlaybackAction::StepFrames(frames).into(),
        Asked::Time(secs) => PlaybackAction::Seek(secs).into(),
    })
}

/// Describes an in or out point as a slider. Returns what moves it: steps are frames.
pub(super) fn mark_asked(
    ui: &Ui,
    response: &Response,
    name: &str,
    playback: &Playback,
    mark: Mark,
) -> Option<Action> {
    let at = playback.instant();
    let (secs, range_secs) = (at.mark_secs(mark), [0.0, at.duration_secs]);
    let step = 1.0 / playback.fps();
    let text = &format!("{secs:.3} s");
    let slider = TimeSlider { name, text, secs, range_secs, step_secs: Some(step) };
    let secs = match slider.ask(ui, response)? {
        Asked::Steps(frames) => (secs + frames as f64 * step).clamp(0.0, at.duration_secs),
        Asked::Time(secs) => secs,
    };
    Some(PlaybackAction::SetMark(mark, Some(secs)).into())
}

/// Returns what the pointer drags and where the pointer is, from the press of the button to its release. `at` returns
/// what is at a place: the place where the button was pressed decides.
pub(super) fn dragged_part<T: Copy + Send + Sync + 'static>(
    ui: &Ui,
    response: &Response,
    at: impl Fn(Pos2) -> T,
) -> Option<(T, Pos2)> {
    let Some(now) = response.interact_pointer_pos() else {
        ui.data_mut(|data| data.remove::<T>(response.id));
        return None;
    };
    let pressed = ui.input(|input| input.pointer.press_origin()).unwrap_or(now);
    let held = ui.data_mut(|data| *data.get_temp_mut_or_insert_with(response.id, || at(pressed)));
    Some((held, now))
}
