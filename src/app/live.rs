//! An open window: its device, its input, and the time of its next frame.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::accesskit::{Action as Request, ActionRequest, NodeId, TreeId, TreeUpdate};
use egui_winit::accesskit_winit::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};
use winit::window::Window;

use super::frame::{Drawn, Layout, Painter, lay_out, repaint_delay};
use super::heat::Heated;
use super::input::open_input;
use super::pair::size_of_one;
use super::picks::Picks;
use super::resident::Resident;
use super::screen::Screen;
use super::shot::Shot;
use super::state::ShownFrames;
use super::taken::Taken;
use super::wake::Wake;
use crate::capture::Picture;
use crate::render::{AdapterChoice, Gpu, GpuError, missing_font_message, thumbnail};
use crate::session::{Action, Effect, NoticeKind, PickAction, Session, SightAction, Together};
use crate::ui::Panels;

/// The longest time step of a frame. After a stall the clip continues instead of jumping.
const LONGEST_STEP: Duration = Duration::from_millis(250);

/// The largest side in pixels of a texture's copy in the panels.
const THUMBNAIL: u32 = 512;

/// Delay before a surface without a texture is tried again.
const RETRY: Duration = Duration::from_millis(16);

/// A window and its state.
pub(super) struct Live {
    pub window: Arc<Window>,
    /// `None` only while another device is opened.
    painter: Option<Painter>,
    /// The models on the GPU.
    pub resident: Resident,
    pub input: egui_winit::State,
    pub panels: Panels,
    /// The model in the colours of its distance from the one that is compared.
    pub heat: Heated,
    /// Questions about what the picture shows.
    pub picks: Picks,
    /// Whether a frame would show something that the last one does not.
    pub dirty: bool,
    /// What is done with a dropped file, by the keys that are held.
    pub dropped_as: Taken,
    /// The time at which egui wants the next frame.
    repaint_at: Option<Instant>,
    /// The time of the last frame, while the clip plays.
    clock: Option<Instant>,
    /// Whether the window is covered or minimised, so that nothing is drawn.
    pub hidden: bool,
    /// Frames shown so far.
    pub frames: u64,
    /// The path for a picture of the next frame, and the result of the last picture.
    pub picture: Option<PathBuf>,
    pub written: Option<Result<(), String>>,
    /// The accessibility tree of the last frame, once it was asked for.
    tree: Option<TreeUpdate>,
    /// Whether a script has asked for the tree.
    listed: bool,
    title: String,
}

/// Opens a device that can draw on the window's surface.
pub(super) fn open_painter(
    window: &Arc<Window>,
    choice: &AdapterChoice,
    display: winit::event_loop::OwnedDisplayHandle,
    proxy: EventLoopProxy<Wake>,
    read_back: bool,
) -> Result<Painter, GpuError> {
    let instance = Gpu::instance(choice, Some(Box::new(display)))?;
    let surface = Screen::surface(&instance, Arc::clone(window)).map_err(|why| {
        log::debug!("{why}");
        Gpu::no_surface(choice)
    })?;
    let gpu = pollster::block_on(Gpu::open(instance, choice, Some(&surface)))?;
    gpu.device.set_device_lost_callback(move |reason, why| {
        // Other reasons mean that the device was dropped on purpose.
        if reason == wgpu::DeviceLostReason::Unknown {
            let _ = proxy.send_event(Wake::DeviceLost(why));
        }
    });
    let size = window.inner_size();
    let screen = Screen::new(&gpu, surface, [size.width, size.height], read_back)?;
    Ok(Painter::new(gpu, screen))
}

impl Live {
    pub fn new(window: Arc<Window>, painter: Painter, resident: Resident) -> Self {
        let input = open_input(&window, &painter);
        Self {
            window,
            painter: Some(painter),
            resident,
            input,
            panels: Panels::default(),
            heat: Heated::default(),
            picks: Picks::default(),
            dirty: true,
            dropped_as: Taken::Opened,
            repaint_at: None,
            clock: None,
            hidden: false,
            frames: 0,
            picture: None,
            written: None,
            tree: None,
            listed: false,
            title: String::new(),
        }
    }

    /// The painter, while there is a device.
    pub fn painter(&mut self) -> Option<&mut Painter> {
        self.painter.as_mut()
    }

    /// The painter and the models on the GPU.
    pub fn painter_and_resident(&mut self) -> (Option<&mut Painter>, &mut Resident) {
        (self.painter.as_mut(), &mut self.resident)
    }

    /// Draws the view as the window shows it, without the panels. Returns `None` while there is no device.
    pub fn still(&mut self, session: &Session, bare: bool) -> Option<Result<Picture, GpuError>> {
        let Self { painter, resident, heat, .. } = self;
        let shot = Shot { heat: Some(heat), ..Shot::new(session, resident) };
        Some(painter.as_mut()?.still(shot, bare))
    }

    /// Drops a lost device and the surface on it, because a window can have only one surface.
    pub fn drop_painter(&mut self) {
        self.painter = None;
        self.picks = Picks::default();
        self.heat.lose();
        self.resident.lose();
    }

    /// Continues with another device. The panels' textures are recreated.
    pub fn replace_painter(&mut self, painter: Painter) {
        let reader = self.input.accesskit.take();
        self.input = open_input(&self.window, &painter);
        self.input.accesskit = reader;
        // A screen reader that has the tree gets updates of it.
        self.input.egui_ctx().enable_accesskit();
        self.tree = None;
        self.painter = Some(painter);
        self.dirty = true;
    }

    /// Returns the accessibility tree of the last frame. The first call requests a frame that has one and returns
    /// `None`; egui makes no tree until then.
    pub fn tree(&mut self) -> Option<&TreeUpdate> {
        if self.tree.is_none() {
            self.input.egui_ctx().enable_accesskit();
            (self.listed, self.dirty) = (true, true);
        }
        self.tree.as_ref()
    }

    /// Scrolls to a control in the next frame.
    pub fn scroll_to(&mut self, control: NodeId) {
        let request = ActionRequest {
            action: Request::ScrollIntoView,
            target_tree: TreeId::ROOT,
            target_node: control,
            data: None,
        };
        let events = &mut self.input.egui_input_mut().events;
        events.push(egui::Event::AccessKitActionRequest(request));
        self.dirty = true;
    }

    /// Shows the window, which screen readers must be connected to before.
    pub fn appear(&mut self, event_loop: &ActiveEventLoop, proxy: EventLoopProxy<Wake>) {
        self.input.init_accesskit(event_loop, &self.window, proxy);
        self.window.set_visible(true);
    }

    /// Handles an event of a screen reader.
    pub fn heed(&mut self, event: WindowEvent) {
        match event {
            WindowEvent::InitialTreeRequested => self.input.egui_ctx().enable_accesskit(),
            WindowEvent::ActionRequested(request) => {
                self.input.on_accesskit_action_request(request)
            }
            WindowEvent::AccessibilityDeactivated if !self.listed => {
                self.input.egui_ctx().disable_accesskit();
            }
            WindowEvent::AccessibilityDeactivated => {}
        }
        self.dirty = true;
    }

    /// The size of the window's contents in pixels.
    pub fn size(&self) -> [u32; 2] {
        let size = self.window.inner_size();
        [size.width, size.height]
    }

    /// What was shown, for scripts.
    pub fn shown(&mut self) -> ShownFrames {
        let cpu_ms = self.panels.timing().cpu_ms();
        let dark = self.input.egui_ctx().theme() == egui::Theme::Dark;
        ShownFrames { frames: self.frames, size: self.size(), dark, cpu_ms }
    }

    /// Takes the theme that the desktop prefers, which the window library does not tell on Linux.
    #[cfg(target_os = "linux")]
    pub fn follow_system(&mut self, theme: Option<winit::window::Theme>) {
        self.input.egui_input_mut().system_theme = theme.map(|theme| match theme {
            winit::window::Theme::Light => egui::Theme::Light,
            winit::window::Theme::Dark => egui::Theme::Dark,
        });
        self.dirty = true;
    }

    /// Whether frames are visible.
    pub fn is_visible(&self) -> bool {
        !self.hidden && !self.size().contains(&0)
    }

    /// Frees the shown model to make room for the next one. The picture on screen stays until that is uploaded.
    pub fn make_room(&mut self, session: &Session) {
        self.resident.make_room(session.exhibit().document().map(|document| &document.model));
        if let Some(painter) = &mut self.painter {
            painter.let_go();
        }
    }

    /// Whether a frame can be drawn and seen.
    fn can_draw(&self) -> bool {
        self.is_visible() && !self.resident.awaits()
    }

    /// Whether to draw a frame now.
    pub fn wants_frame(&self, session: &Session, now: Instant) -> bool {
        let due = self.repaint_at.is_some_and(|at| at <= now);
        self.can_draw() && (self.dirty || due || session.is_moving())
    }

    /// The time of the next frame if nothing happens before.
    pub fn next_frame(&self) -> Option<Instant> {
        self.repaint_at.filter(|_| self.can_draw())
    }

    /// Restarts the clock, so that the time since the last frame does not count as playing time.
    pub fn restart_clock(&mut self) {
        self.clock = None;
    }

    /// Draws a frame: advances the session, runs the panels, applies their actions, draws. Returns the session's
    /// effects.
    pub fn frame(&mut self, session: &mut Session) -> Result<Vec<Effect>, GpuError> {
        let now = Instant::now();
        // On error the painter is not restored; its device is lost.
        let Some(mut painter) = self.painter.take() else { return Ok(Vec::new()) };
        painter.screen.resize(&painter.gpu, self.size());
        (self.dirty, self.repaint_at) = (false, None);
        let mut effects = Vec::new();
        if let Some(before) = self.clock.filter(|_| session.is_moving()) {
            let step = now.saturating_duration_since(before).min(LONGEST_STEP);
            effects.extend(session.apply(Action::Advance(step.as_secs_f64())));
        }
        let input = self.input.take_egui_input(&self.window);
        let ctx = self.input.egui_ctx().clone();
        let mut layout = lay_out(&ctx, input, &mut self.panels, session, painter.screen.size());
        for action in std::mem::take(&mut layout.actions) {
            // The panels were drawn before the action, so the next frame shows its result.
            self.dirty = true;
            effects.extend(session.apply(action));
        }
        self.picks.take(&mut effects);
        self.picks.ask(&mut painter, Shot::new(session, &self.resident), now);
        let [_, _, width, height] = layout.picture;
        let [width, height] = size_of_one(session.compared(), [width, height]);
        effects.extend(session.apply(SightAction::SetAspect(f64::from(width) / f64::from(height))));
        session.pose();
        self.note_missing_fonts(session);
        self.retitle(session);
        self.note_output(&mut layout.output, now);
        let before = self.resident.addresses();
        self.show(&mut painter, session, layout)?;
        self.copy_texture(&painter, session)?;
        let cpu = now.elapsed().saturating_sub(painter.waited);
        let asked = self.panels.timing().is_open();
        let passes = painter.pass_times(asked);
        if asked {
            self.panels.timing().add(cpu.as_secs_f64() * 1e3, passes);
        }
        // After an upload, the time of uploading and building pipelines does not count as playing time.
        let fresh = before != self.resident.addresses();
        self.clock = session.is_moving().then(|| if fresh { Instant::now() } else { now });
        self.painter = Some(painter);
        Ok(effects)
    }

    /// Gives the panels a small copy of a texture that they want to show: one per frame.
    fn copy_texture(&mut self, painter: &Painter, session: &Session) -> Result<(), GpuError> {
        let load = session.exhibit().document().map(|document| document.load);
        let wanted = self.panels.wanted_texture().filter(|(of, _)| Some(*of) == load);
        let uploaded = Shot::new(session, &self.resident).gpu_model;
        if let Some((wanted, model)) = wanted.zip(uploaded) {
            let copy = thumbnail(&painter.gpu, model, wanted.1, THUMBNAIL)?;
            self.panels.give_texture(wanted, copy.map(|copy| (copy.size, copy.rgba)));
            self.dirty = true;
        }
        Ok(())
    }

    /// Applies the answers about what the picture shows that have come, and asks the questions that are due. Only a
    /// changed selection, measure or weight needs another frame.
    pub fn take_answers(&mut self, session: &mut Session, now: Instant) {
        let Some(painter) = &mut self.painter else { return };
        for answer in self.picks.answers(&painter.gpu, now) {
            let told = |session: &Session| {
                let (selection, measure) =
                    (session.selection().clone(), session.measuring().clone());
                (selection, measure, session.hovered_weight())
            };
            let before = told(session);
            // An answer asks nothing.
            session.apply(PickAction::Take(Box::new(answer)));
            self.dirty |= told(session) != before;
        }
        self.picks.ask(painter, Shot::new(session, &self.resident), now);
    }

    fn show(
        &mut self,
        painter: &mut Painter,
        session: &Session,
        layout: Layout,
    ) -> Result<(), GpuError> {
        let picture = self.picture.take();
        let both = [session.exhibit().document(), session.compared().document()];
        let models: Vec<_> = both.into_iter().flatten().map(|document| &document.model).collect();
        self.resident.hold(&painter.gpu, &models);
        if session.compared().together() == Together::Heat {
            self.heat.upload(&painter.gpu);
        }
        let shot = Shot { heat: Some(&self.heat), ..Shot::new(session, &self.resident) };
        let ctx = self.input.egui_ctx();
        let (drawn, written) = painter.draw(shot, ctx, layout, picture.as_deref())?;
        if drawn == Drawn::Shown {
            self.frames += 1;
            self.written = picture.map(|_| written).or(self.written.take());
            return Ok(());
        }
        self.picture = picture;
        if drawn == Drawn::Hidden {
            self.hidden = true;
        } else {
            // Without a delay, a surface that is never ready would keep a core busy.
            self.repaint_at = Instant::now().checked_add(RETRY);
        }
        Ok(())
    }

    /// Handles egui's output: pointer, clipboard, accessibility tree, next frame.
    fn note_output(&mut self, output: &mut egui::FullOutput, now: Instant) {
        let platform = std::mem::take(&mut output.platform_output);
        self.tree = platform.accesskit_update.clone().filter(|_| self.listed);
        self.input.handle_platform_output(&self.window, platform);
        let delay = repaint_delay(output);
        if delay.is_zero() {
            self.dirty = true;
        } else {
            self.repaint_at = now.checked_add(delay);
        }
    }

    /// Shows a notice about characters without a font, unless another notice is shown.
    fn note_missing_fonts(&mut self, session: &mut Session) {
        if session.notice().is_none()
            && let Some(message) = missing_font_message()
        {
            self.dirty = true;
            session.apply(Action::Notice(NoticeKind::Warning, message));
        }
    }

    fn retitle(&mut self, session: &Session) {
        let title = session.title();
        if title != self.title {
            self.window.set_title(&title);
            self.title = title;
        }
    }
}
