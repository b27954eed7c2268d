//! The window's contents without a window, for tests: a shell that draws on a texture at exact times.

use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::workers::Workers;
use super::{AppError, Start};
use rigview_render::{Gpu, GpuError, Target};
use rigview_session::Destination;
use rigview_shell::{DialogAnswer, Request, Shell, settings};

/// The time from one frame to the next.
const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Real time after which a job counts as hung.
const LIMIT: Duration = Duration::from_secs(120);

/// A shell that is driven by the lines of a script; see `docs/script.md`.
///
/// There is no clock: a frame takes a sixtieth of a second, and while a step waits for a time, the time passes at once.
/// A step that waits for jobs, such as `loaded`, waits for them without frames. A frame is drawn if a script wants a
/// picture of it, or if nothing changes any more before the next step; other frames are only laid out. Many of them can
/// share a device.
pub struct Headless {
    shell: Shell,
    workers: Rc<Workers>,
    gpu: Gpu,
    target: wgpu::Texture,
    scale: f32,
    now: Duration,
    answers: Receiver<Vec<u8>>,
    closed: bool,
}

/// Passes answers on.
struct Answers(Sender<Vec<u8>>);

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(std::io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Headless {
    /// Returns a shell on a display with this many pixels per point.
    pub fn open(start: Start, gpu: Gpu, scale: f32) -> Self {
        let (sender, answers) = channel();
        let size = start.size.map(|points| (points as f32 * scale).round() as u32);
        let settings = start.settings.as_deref().map(settings::read);
        let workers = Rc::new(Workers::new(|| ()));
        let threads = Rc::clone(&workers);
        let run_job = move |job| threads.start(job);
        let mut shell = Shell::new(start, run_job, Box::new(Answers(sender)));
        let target = texture(&gpu, size);
        shell.resize(size);
        shell.attach(gpu.clone(), target.format());
        if let Some(settings) = settings {
            shell.restore_settings(settings);
        }
        let now = Duration::ZERO;
        Self { shell, workers, gpu, target, scale, now, answers, closed: false }
    }

    /// Runs the steps of a line to their end.
    ///
    /// # Errors
    /// If a step fails. The message has the line.
    pub fn run(&mut self, line: &str) -> Result<(), String> {
        self.shell.add_line(line)?;
        while !self.closed && !self.shell.is_driven() {
            self.turn()?;
        }
        Ok(())
    }

    /// Opens files as if they were dropped together.
    pub fn drop_files(&mut self, files: Vec<PathBuf>) {
        self.shell.open(files, Destination::Shown);
    }

    /// Returns the answers that were requested as `-` since the last call.
    pub fn answers(&mut self) -> String {
        let bytes: Vec<u8> = self.answers.try_iter().flatten().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The time since the start.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Whether the window was closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Closes the window: settings are kept.
    ///
    /// # Errors
    /// If the settings can't be written.
    pub fn close(mut self) -> std::io::Result<()> {
        self.shell.detach();
        self.workers.join_recording();
        self.keep_settings()
    }

    fn keep_settings(&self) -> std::io::Result<()> {
        match &self.shell.start.settings {
            Some(path) => settings::write(path, &self.shell.settings()),
            None => Ok(()),
        }
    }

    fn turn(&mut self) -> Result<(), String> {
        if self.shell.awaits_gpu() {
            self.gpu.wait();
        }
        if self.shell.settings_changed() {
            self.keep_settings().map_err(|error| error.to_string())?;
        }
        while let Some(report) = self.workers.poll() {
            self.shell.take(report);
        }
        let requests = self.shell.step(self.now);
        self.perform(requests)?;
        if self.closed || self.shell.is_driven() {
            return Ok(());
        }
        if self.shell.waits_for_jobs() {
            let report = self.workers.wait(LIMIT).ok_or("no job has ended for two minutes")?;
            self.shell.take(report);
            return Ok(());
        }
        if self.shell.wants_frame(self.now) {
            return self.frame();
        }
        self.now = match self.shell.next_wake(self.now) {
            Some(at) => at.max(self.now + Duration::from_millis(1)),
            None => self.now + FRAME,
        };
        Ok(())
    }

    fn frame(&mut self) -> Result<(), String> {
        let requests = self.shell.frame(self.now, self.input());
        if self.shell.wants_drawing() {
            let size = self.target.size();
            let view = &self.target.create_view(&Default::default());
            let rect = [0, 0, size.width, size.height];
            self.shell.draw(&Target { view, format: self.target.format(), rect, part: None });
            self.shell.write_picture(&self.target);
        }
        self.now += FRAME;
        self.shell.presented(self.now, FRAME);
        self.perform(requests)
    }

    fn input(&self) -> egui::RawInput {
        let size = self.target.size();
        let points = egui::vec2(size.width as f32, size.height as f32) / self.scale;
        let mut input = egui::RawInput {
            time: Some(self.now.as_secs_f64()),
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, points)),
            max_texture_side: Some(self.gpu.device.limits().max_texture_dimension_2d as usize),
            ..Default::default()
        };
        let viewport = input.viewports.entry(egui::ViewportId::ROOT).or_default();
        viewport.native_pixels_per_point = Some(self.scale);
        input
    }

    fn perform(&mut self, requests: Vec<Request>) -> Result<(), String> {
        for request in requests {
            match request {
                Request::Resize(size) => {
                    self.target = texture(&self.gpu, size);
                    self.shell.resize(size);
                }
                Request::Ask(dialog) => self.shell.answer(dialog.question, DialogAnswer::NoDialog),
                Request::Reopen(_) => self.reopen().map_err(|error| error.to_string())?,
                Request::Close => self.closed = true,
                Request::Fail(AppError::Script(what)) => return Err(what),
                Request::Fail(error) => return Err(error.to_string()),
                // There is no window that could show them, and no file is watched.
                Request::Output(_)
                | Request::SetTitle(_)
                | Request::SetTheme(_)
                | Request::ToggleFullScreen
                | Request::Minimise(_)
                | Request::Focus
                | Request::Watch(_) => {}
            }
        }
        Ok(())
    }

    /// Continues on a device of its own.
    fn reopen(&mut self) -> Result<(), GpuError> {
        self.shell.end_recording();
        self.shell.detach();
        self.workers.join_recording();
        self.gpu = Gpu::headless(&self.shell.start.adapter)?;
        let size = self.target.size();
        self.target = texture(&self.gpu, [size.width, size.height]);
        self.shell.attach(self.gpu.clone(), self.target.format());
        Ok(())
    }
}

fn texture(gpu: &Gpu, size: [u32; 2]) -> wgpu::Texture {
    gpu.texture("window", size, wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureUsages::COPY_SRC)
}
