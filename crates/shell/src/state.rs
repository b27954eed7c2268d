//! The state of the shell, and what it requests of the one who drives it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::driver::Driver;
use super::heat::HeatModel;
use super::pace::Pace;
use super::painter::Painter;
use super::picks::Picks;
use super::reads::Reading;
use super::resident::Resident;
use super::settings;
use crate::jobs::Job;
use crate::jobs::compare::Comparer;
use crate::jobs::record::Recorder;
use crate::{AppError, Start};
use rigview_model::BlockFormats;
use rigview_render::Gpu;
use rigview_session::{FileQuestion, LoadId, Session, ThemeChoice, Watch};
use rigview_ui::Panels;

/// What a shell can't do itself. Whoever drives it performs requests in their order.
pub enum Request {
    /// Show this title.
    SetTitle(String),
    /// Give the frame of the window these colours.
    SetTheme(ThemeChoice),
    /// Enter or leave full screen.
    ToggleFullScreen,
    /// Give the window this size in pixels.
    Resize([u32; 2]),
    /// Minimise the window, or show it again.
    Minimise(bool),
    /// Show the window before others, and give it the focus.
    Focus,
    /// Watch these files from now on, and no others; tell changes by [`Shell::files_changed`].
    Watch(Watch),
    /// Ask for a file; answer with [`Shell::answer`].
    Ask(FileDialog),
    /// Apply egui's output: the pointer's shape, the clipboard, the accessibility tree.
    Output(Box<egui::PlatformOutput>),
    /// Replace the device, which is lost for this reason.
    Reopen(String),
    /// Close the window.
    Close,
    /// Close the window with an error.
    Fail(AppError),
}

/// A question for a file.
pub struct FileDialog {
    /// What the file is for.
    pub question: FileQuestion,
    /// The name to begin with; empty if the file is to be read.
    pub name: String,
    /// The folder to begin in.
    pub folder: Option<PathBuf>,
}

/// The answer of a dialog.
#[derive(Debug)]
pub enum DialogAnswer {
    /// A file was chosen.
    File(PathBuf),
    /// The dialog was closed without a choice.
    Nothing,
    /// No dialog could be shown.
    NoDialog,
}

/// The session, the panels and the painter; see [`super`]. Times are since its start.
pub struct Shell {
    /// The options that the window was opened with.
    pub start: Start,
    pub(super) session: Session,
    /// Hands a job to whoever has threads; [`Shell::take`] takes its result.
    pub(super) run_job: Box<dyn Fn(Job)>,
    /// The texture formats that the adapter supports; not set before there is a device.
    pub(super) block_formats: Arc<OnceLock<BlockFormats>>,
    pub(super) requests: Vec<Request>,
    /// `None` until there is a device, and while another one is opened.
    pub(super) painter: Option<Painter>,
    pub(super) resident: Resident,
    pub(super) picks: Picks,
    /// What is being read back from the GPU.
    pub(super) reads: Vec<Reading>,
    pub(super) panels: Panels,
    pub(super) ctx: egui::Context,
    /// The comparison of both models; `None` while there is one model.
    pub(super) comparison: Option<Comparison>,
    /// The recording that runs. It ends before the device is closed.
    pub(super) recorder: Option<Recorder>,
    pub(super) driver: Driver,
    pub(super) frames: Frames,
    /// The size of the window's contents in pixels.
    pub(super) size: [u32; 2],
    /// Whether the window is covered or minimised, so that nothing is drawn.
    pub(super) hidden: bool,
    pub(super) title: String,
    /// Whether a dialog is open.
    pub(super) asking: bool,
    /// The settings that were restored or written last; `None` until they have been restored, or without any.
    pub(super) kept: Option<settings::Settings>,
    pub(super) poses: AwaitedPoses,
}

/// When frames are drawn, and which were.
pub(super) struct Frames {
    /// Whether a frame would show something that the last one does not.
    pub dirty: bool,
    /// The time at which egui wants the next frame.
    pub repaint_at: Option<Duration>,
    /// The time of the last frame, while the clip plays.
    pub clock: Option<Duration>,
    pub pace: Pace,
    /// The time of the frame that is laid out, and whether it shows a model that was just uploaded.
    pub laid_out: (Duration, bool),
    /// Whether the last frame drew the model.
    pub drew: bool,
    /// The number of frames so far, and of those that drew the model.
    pub shown: u64,
    pub drawn: u64,
}

impl Default for Frames {
    fn default() -> Self {
        Self {
            dirty: true,
            repaint_at: None,
            clock: None,
            pace: Pace::default(),
            laid_out: (Duration::ZERO, false),
            drew: false,
            shown: 0,
            drawn: 0,
        }
    }
}

/// A comparison that runs or has ended, and what it has found. Another one replaces it as a whole.
pub(super) struct Comparison {
    pub comparer: Comparer,
    pub heat: HeatModel,
}

/// Poses that were dropped with a model, which is still being read.
#[derive(Debug, Default)]
pub(super) struct AwaitedPoses {
    pub files: Vec<PathBuf>,
    /// The load that was shown when they were dropped.
    pub shown: Option<LoadId>,
}

impl Shell {
    /// The context of the panels.
    pub fn ctx(&self) -> &egui::Context {
        &self.ctx
    }

    /// The device, while there is one.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.painter.as_ref().map(|painter| &painter.gpu)
    }

    /// Requests another frame.
    pub fn redraw(&mut self) {
        self.frames.dirty = true;
    }

    /// Hides or shows the window. Time does not pass while it is hidden.
    pub fn hide(&mut self, hidden: bool) {
        (self.hidden, self.frames.dirty, self.frames.clock) = (hidden, true, None);
    }

    /// Sets the size of the window's contents in pixels.
    pub fn resize(&mut self, size: [u32; 2]) {
        if self.size != size {
            (self.size, self.frames.dirty) = (size, true);
            self.frames.pace.reset();
        }
    }

    /// Whether frames are visible.
    pub fn is_visible(&self) -> bool {
        !self.hidden && !self.size.contains(&0)
    }

    /// Whether no frame is drawn until the next model is uploaded.
    pub fn awaits_model(&self) -> bool {
        self.resident.awaits()
    }

    /// Whether a script needs the accessibility tree.
    pub fn needs_tree(&self) -> bool {
        self.driver.listed
    }

    /// Whether an answer of the GPU is still to come.
    pub fn awaits_gpu(&self) -> bool {
        self.picks.is_asking() || !self.reads.is_empty()
    }

    /// Whether the colours of the shown instant are still to come.
    pub(super) fn awaits_heat(&self) -> bool {
        let moves = self.session.playback().is_moving();
        !moves && self.comparison.as_ref().is_some_and(|comparison| comparison.comparer.works())
    }

    /// Whether another frame would show the same, apart from the clip's time.
    pub fn is_settled(&self) -> bool {
        !self.frames.dirty && !self.awaits_heat() && self.reads.is_empty()
    }
}
