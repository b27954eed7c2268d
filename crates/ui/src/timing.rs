//! How frames are drawn while something moves, and the duration of frames: the CPU's time, on average and at most, and the
//! GPU's time per pass if it can measure that.
//! Folded by default.

use egui::{RichText, Ui};

use super::choice::{Entry, labelled_choice_ui};
use super::section::section_ui;
use rigview_session::{Action, DesktopAction, MotionQuality};

/// The weight of a new frame in the moving average. The times of single frames vary too much to be read.
const SHARE: f64 = 0.1;

/// Moving averages of the times of frames, and the longest one, since the section was unfolded.
#[derive(Debug, Default)]
pub struct Timing {
    /// Whether the section is unfolded.
    open: bool,
    cpu_ms: Option<f64>,
    longest_cpu_ms: Option<f64>,
    passes: Vec<(&'static str, f64)>,
}

impl Timing {
    /// Whether times are shown and therefore have to be measured.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the CPU's milliseconds per frame, on average and at most; `None` while they are not measured.
    pub fn cpu_ms(&self) -> Option<[f64; 2]> {
        Some([self.cpu_ms?, self.longest_cpu_ms?])
    }

    /// Adds a frame: the milliseconds from its start to the submission to the GPU, and the GPU's milliseconds per pass.
    /// `passes` is empty if the GPU can't measure them.
    pub fn add(&mut self, cpu_ms: f64, passes: &[(&'static str, f64)]) {
        let mean = |old: f64, new: f64| old + SHARE * (new - old);
        self.cpu_ms = Some(self.cpu_ms.map_or(cpu_ms, |old| mean(old, cpu_ms)));
        self.longest_cpu_ms = Some(self.longest_cpu_ms.map_or(cpu_ms, |old| old.max(cpu_ms)));
        self.passes.retain(|(name, _)| passes.iter().any(|(other, _)| other == name));
        for (name, ms) in passes {
            match self.passes.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = mean(*old, *ms),
                None => self.passes.push((name, *ms)),
            }
        }
    }
}

/// Shows the section.
pub(super) fn timing_ui(
    ui: &mut Ui,
    quality: MotionQuality,
    timing: &mut Timing,
    actions: &mut Vec<Action>,
) {
    let header = egui::CollapsingHeader::new("Timing").id_salt("timing");
    let shown = section_ui(ui, header, |ui| {
        quality_ui(ui, quality, actions);
        ui.spacing_mut().interact_size.y = 16.0;
        egui::Grid::new("times").num_columns(2).spacing([18.0, 2.0]).show(ui, |ui| {
            let total: f64 = timing.passes.iter().map(|(_, ms)| ms).sum();
            let gpu = (!timing.passes.is_empty()).then_some(("GPU", total));
            let cpu = [("CPU", timing.cpu_ms), ("longest", timing.longest_cpu_ms)];
            let cpu = cpu.into_iter().filter_map(|(name, ms)| Some((name, ms?)));
            let all = cpu.chain(gpu);
            for (name, ms) in all.chain(timing.passes.iter().copied()) {
                ui.label(RichText::new(name).size(12.0));
                ui.label(RichText::new(format!("{ms:.2} ms")).size(12.0).monospace());
                ui.end_row();
            }
        });
    });
    timing.open = shown.body_returned.is_some();
    if !timing.open {
        // Times from before must not be shown when the section is unfolded again.
        *timing = Timing::default();
    }
}

/// Shows how the picture is drawn while something moves.
fn quality_ui(ui: &mut Ui, quality: MotionQuality, actions: &mut Vec<Action>) {
    let entries = MotionQuality::ALL.map(|quality| Entry::new(quality, quality_label(quality)));
    let hint = "How the picture is drawn while something moves; at rest it is always drawn in full";
    if let Some(quality) = labelled_choice_ui(ui, "Moving", hint, &quality, entries.into()) {
        actions.push(DesktopAction::SetQuality(quality).into());
    }
}

pub(super) fn quality_label(quality: MotionQuality) -> &'static str {
    match quality {
        MotionQuality::Auto => "Automatic",
        MotionQuality::Full => "All pixels",
        MotionQuality::Quick => "Fewer pixels",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_move_towards_those_of_new_frames_and_gone_passes_go() {
        let mut timing = Timing::default();
        timing.add(2.0, &[("shadow", 1.0), ("scene", 4.0)]);
        timing.add(3.0, &[("scene", 14.0), ("finish", 0.5)]);
        timing.add(2.1, &[("scene", 5.0), ("finish", 0.5)]);
        let [mean, longest] = timing.cpu_ms().unwrap();
        assert!((mean - 2.1).abs() < 1e-12 && longest == 3.0, "{mean} {longest}");
        assert_eq!(timing.passes, [("scene", 5.0), ("finish", 0.5)]);
    }
}
