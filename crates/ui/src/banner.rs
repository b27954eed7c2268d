//! Cards over the picture: messages, the progress of a load, and hints on where to drop a file.

use std::time::Duration;

use egui::text::LayoutJob;
use egui::{
    Align2, Area, Color32, Event, Frame, Id, Margin, Order, Rect, RichText, Role, Stroke, Ui,
    WidgetInfo, vec2,
};

use super::icon::{Icon, icon_button_ui};
use super::shortcuts::{CLOSE, OPEN, PANELS};
use super::text::{counted, one_line};
use super::theme;
use rigview_import::Progress;
use rigview_look::{CardPlace, Corner, Silhouette};
use rigview_session::{
    Action, DesktopAction, Destination, LoadFailure, LoadRequest, NoticeKind, Recording, Session,
};

/// The height of a card that shows progress, with a gap, in points.
pub(super) const CARD: f32 = 88.0;

/// The height of the room that a message needs, in points.
pub(super) const MESSAGE: f32 = 132.0;

/// The time between two frames that show progress.
const TICK: Duration = Duration::from_millis(100);

/// The time for which a message of success is shown, and in which it fades out at its end, in seconds.
const NOTICE_SECS: f64 = 8.0;
const FADE_SECS: f64 = 1.0;

/// The time between two frames that fade something.
const FADE_TICK: Duration = Duration::from_millis(40);

/// The height of the picture in points below which a message is cut to this number of rows until it is unfolded.
const LOW: f32 = 420.0;
const FEW_ROWS: usize = 2;

/// The distance of cards from the edges of such a picture, and the usual height of a message there.
const LOW_MARGIN: f32 = 8.0;
const LOW_MESSAGE: f32 = 60.0;

/// Identifies the message that has a side of a low picture.
const MESSAGE_SIDE: &str = "message side";

/// Identifies the message that was unfolded.
const UNFOLDED: &str = "unfolded message";

/// Identifies the text of the notice that is shown, with the time since when.
const NOTICE_SINCE: &str = "notice since";

/// Shows why the last file can't be opened, and a notice. A notice of success alone fades out after some seconds in which
/// the pointer is elsewhere. Returns the card's place.
pub(super) fn message_ui(
    ui: &Ui,
    picture: Rect,
    session: &Session,
    actions: &mut Vec<Action>,
) -> Option<Rect> {
    let (failure, notice) =
        (session.loads().failure(), session.notice_kind().zip(session.notice()));
    let (text, color) = match (failure, notice) {
        (Some(failure), _) => (failure.message.as_str(), theme::colors(ui).error),
        (None, Some((NoticeKind::Done, text))) => (text, theme::colors(ui).accent),
        (None, Some((NoticeKind::Warning, text))) => (text, theme::colors(ui).warning),
        (None, None) => {
            forget_since(ui);
            return None;
        }
    };
    let left = match (failure, notice) {
        (None, Some((NoticeKind::Done, text))) => Some(secs_left(ui, text)),
        _ => None,
    };
    let opacity = left.map_or(1.0, |secs| (secs / FADE_SECS).clamp(0.0, 1.0) as f32);
    // The help covers almost all of the window. The message hides its last lines, which can be scrolled into sight.
    let (order, picture) = if session.help() {
        (Order::Tooltip, ui.ctx().content_rect())
    } else {
        (Order::Middle, picture)
    };
    let is_low = picture.height() < LOW;
    let align = if session.help() {
        Align2::CENTER_BOTTOM
    } else if is_low {
        freer_side(ui, picture, session, text)
    } else {
        Align2::CENTER_TOP
    };
    let card = Card { opacity, order, ..Card::new("message", align, color) };
    let shown = card.show(ui, picture, |ui| {
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                let beside = if is_low { 84.0 } else { 120.0 };
                ui.set_max_width((picture.width() - beside).clamp(120.0, 560.0));
                match failure {
                    Some(failure) => {
                        ui.label(RichText::new(failed(failure)).color(color).strong());
                    }
                    // One line is as high as the button.
                    None => ui.add_space(3.0),
                }
                text_ui(ui, text, is_low);
                if let Some((_, notice)) = notice.filter(|_| failure.is_some()) {
                    ui.separator();
                    text_ui(ui, notice, is_low);
                }
                if let Some(path) = session.saved_file()
                    && ui.small_button("Copy path").clicked()
                {
                    ui.ctx().copy_text(path.display().to_string());
                }
            });
            if icon_button_ui(ui, Icon::Close, 24.0, "Dismiss", &CLOSE.hint(ui, "Dismiss"))
                .clicked()
            {
                actions.push(Action::Dismiss);
            }
        });
    });
    // The card is in a layer of its own, above that of `ui`.
    let pointer = ui.input(|i| i.pointer.hover_pos());
    match left {
        // It is shown anew for the whole time.
        Some(_) if pointer.is_some_and(|at| shown.contains(at)) => forget_since(ui),
        Some(secs) if secs <= 0.0 => actions.push(Action::Dismiss),
        Some(secs) => {
            let opaque = Duration::from_secs_f64((secs - FADE_SECS).max(0.0));
            ui.ctx().request_repaint_after(opaque.max(FADE_TICK));
        }
        None => {}
    }
    Some(shown)
}

/// Returns the side of a low picture at which a message hides least of the model when it appears: it does not change its
/// place while the model moves.
fn freer_side(ui: &Ui, picture: Rect, session: &Session, text: &str) -> Align2 {
    let is_below_free =
        session.loads().running().is_empty() && session.desktop().recording().is_none();
    let playback = session.playback();
    let shown = playback.document().zip(playback.stage());
    let Some((document, stage)) = shown.filter(|_| is_below_free) else {
        return Align2::CENTER_TOP;
    };
    let id = Id::unique(MESSAGE_SIDE);
    let chosen = ui.data(|data| data.get_temp::<(String, Align2)>(id));
    if let Some((_, align)) = chosen.filter(|(of, _)| of == text) {
        return align;
    }
    let [picture, card] = [picture.size(), vec2(picture.width() - 2.0 * LOW_MARGIN, LOW_MESSAGE)]
        .map(|size| glam::vec2(size.x, size.y));
    let place = CardPlace { picture, card, margin: LOW_MARGIN };
    let silhouette = Silhouette::new(&document.model, [stage], &session.view(), picture);
    let align = match silhouette.freest(&place, &[Corner::UpperLeft, Corner::LowerLeft], None) {
        Corner::LowerLeft => Align2::CENTER_BOTTOM,
        _ => Align2::CENTER_TOP,
    };
    ui.data_mut(|data| data.insert_temp(id, (text.to_owned(), align)));
    align
}

/// Shows the text of a message. In a low picture, of which it would cover much, it is cut until it is unfolded.
fn text_ui(ui: &mut Ui, text: &str, is_low: bool) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let color = ui.visuals().text_color();
    let mut job = LayoutJob::simple(text.to_owned(), font, color, ui.available_width());
    job.wrap.max_rows = if is_low { FEW_ROWS } else { usize::MAX };
    let id = Id::unique(UNFOLDED);
    let unfolded = ui.data(|data| data.get_temp::<String>(id).is_some_and(|of| of == text));
    let short = ui.painter().layout_job(job);
    if !short.elided || unfolded {
        ui.add(egui::Label::new(text).wrap().selectable(true));
        return;
    }
    let cut = ui.add(egui::Label::new(short).selectable(false)).on_hover_text(text);
    // A screen reader says all of it.
    cut.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    if ui.small_button("More").on_hover_text("Show all of the message").clicked() {
        ui.data_mut(|data| data.insert_temp(id, text.to_owned()));
    }
}

/// Says what can't be done with a file.
fn failed(failure: &LoadFailure) -> String {
    let file = one_line(&failure.file);
    if failure.is_gone() {
        return format!("{file} is gone");
    }
    match failure.destination() {
        Destination::Shown => format!("Can't open {file}"),
        Destination::Beside => format!("Can't compare with {file}"),
        Destination::Clips => format!("Can't take clips from {file}"),
        Destination::Light => format!("Can't light the model with {file}"),
    }
}

/// Returns the time for which a notice is still shown, in seconds. It begins again with another text.
fn secs_left(ui: &Ui, text: &str) -> f64 {
    let now = ui.input(|i| i.time);
    let since = ui.data_mut(|data| {
        let id = Id::unique(NOTICE_SINCE);
        let kept = data.get_temp_mut_or_insert_with(id, || (text.to_owned(), now));
        if kept.0 != text || kept.1 > now {
            *kept = (text.to_owned(), now);
        }
        kept.1
    });
    NOTICE_SECS - (now - since)
}

/// Lets the time of a notice begin again.
fn forget_since(ui: &Ui) {
    ui.data_mut(|data| data.remove::<(String, f64)>(Id::unique(NOTICE_SINCE)));
}

/// The hint that says how to get the panels back.
#[derive(Debug, Default)]
pub(super) struct PanelsHint {
    /// Whether panels were shown in the last frame.
    shown: bool,
    until: f64,
    /// Whether it has just begun.
    is_new: bool,
}

impl PanelsHint {
    /// Shows the hint for some seconds after the panels were hidden, or until something is done, unless no pointer was over the window: then a script
    /// has hidden them, for pictures without anything over the model.
    pub fn show(&mut self, ui: &Ui, picture: Rect, panels: bool) {
        const SECS: f64 = 4.0;
        let now = ui.input(|i| i.time);
        let is_person = ui.input(|i| i.pointer.hover_pos().is_some());
        if std::mem::replace(&mut self.shown, panels) && !panels && is_person {
            (self.until, self.is_new) = (now + SECS, true);
        }
        // The key itself is no answer to the hint.
        let is_new = std::mem::replace(&mut self.is_new, false);
        if !is_new && is_used(ui) {
            self.until = now;
        }
        if panels || now >= self.until {
            return;
        }
        ui.ctx().request_repaint_after(Duration::from_secs_f64(self.until - now));
        let line = theme::colors(ui).line;
        let card = Card::new("panels hint", Align2::CENTER_BOTTOM, line);
        card.show(ui, picture, |ui| {
            ui.label(format!("Press {} to show the panels", PANELS.key_name(ui)));
        });
    }
}

/// Whether the person presses a key or a button, turns the wheel, touches the window or acts through an assistive
/// technology in this frame.
pub(super) fn is_used(ui: &Ui) -> bool {
    let uses = |event: &Event| match event {
        Event::Key { pressed, .. } | Event::PointerButton { pressed, .. } => *pressed,
        Event::MouseWheel { .. } | Event::Zoom(_) | Event::Touch { .. } | Event::Text(_) => true,
        Event::AccessKitActionRequest(_) => true,
        _ => false,
    };
    // Of all events, also those that a widget has taken.
    ui.input(|input| !input.raw.dropped_files.is_empty() || input.raw.events.iter().any(uses))
}

/// Shows how to open a file, while none is open.
pub(super) fn empty_ui(ui: &Ui, picture: Rect) {
    let card = Card::new("empty", Align2::CENTER_CENTER, theme::colors(ui).line);
    card.show(ui, picture, |ui| {
        ui.label(OPEN.hint(ui, "Drop a .glb, .gltf, .vrm, .fbx or .bvh file here, or open one"));
    });
}

/// Shows the file that is being read with its progress, and a button to cancel. Requests ten frames per second
/// rather than the screen's rate, because the load needs the processor more. Returns the card's place.
pub(super) fn loading_ui(
    ui: &Ui,
    picture: Rect,
    load: &LoadRequest,
    actions: &mut Vec<Action>,
) -> Option<Rect> {
    // A file that is reloaded because it changed is usually read so quickly that a card would only flash.
    const SHORT_SECS: f64 = 0.4;
    ui.ctx().request_repaint_after(TICK);
    let now = ui.input(|i| i.time);
    let since = Id::unique("load began").with(load.id.0);
    let since = ui.data_mut(|data| *data.get_temp_mut_or(since, now));
    if load.patient && now - since < SHORT_SECS {
        return None;
    }
    let work = Work {
        title: format!("Loading {}", one_line(&load.source.name())),
        share: load.progress.share(),
        stage: stage(&load.progress),
        cancel: "Cancel",
        hint: CLOSE.hint(ui, "Cancel"),
    };
    let card = Card::new("loading", Align2::CENTER_BOTTOM, theme::colors(ui).line);
    let (shown, cancelled) = work_ui(ui, picture, card, &work);
    if cancelled {
        actions.push(Action::Escape);
    }
    Some(shown)
}

/// Shows the file that is being recorded with its progress, and a button to cancel. Returns the card's place.
pub(super) fn recording_ui(
    ui: &Ui,
    picture: Rect,
    recording: &Recording,
    actions: &mut Vec<Action>,
) -> Rect {
    ui.ctx().request_repaint_after(TICK);
    let name = recording.path.file_name().unwrap_or_default().to_string_lossy();
    let [done, of] = recording.progress.frames();
    let work = Work {
        title: format!("Recording {}", one_line(&name)),
        share: f64::from(done) / f64::from(of.max(1)),
        stage: format!("{done} of {}", counted(of as usize, "frame")),
        cancel: "Cancel the recording",
        hint: "Cancel the recording; no file is written".to_owned(),
    };
    let card = Card::new("recording", Align2::RIGHT_BOTTOM, theme::colors(ui).line);
    let (shown, cancelled) = work_ui(ui, picture, card, &work);
    if cancelled {
        actions.push(DesktopAction::CancelRecording.into());
    }
    shown
}

/// Something that takes a while.
struct Work {
    title: String,
    /// The done share, from 0 to 1.
    share: f64,
    stage: String,
    /// The name and the hover text of the button that cancels it.
    cancel: &'static str,
    hint: String,
}

/// Shows a card with the progress of work. Returns its place, and whether the work is to be cancelled.
fn work_ui(ui: &Ui, picture: Rect, card: Card, work: &Work) -> (Rect, bool) {
    let mut cancelled = false;
    let shown = card.show(ui, picture, |ui| {
        ui.horizontal(|ui| {
            ui.vertical(|ui| {
                ui.set_width((0.5 * picture.width() - 40.0).clamp(120.0, 320.0));
                ui.add(egui::Label::new(&work.title).truncate());
                bar_ui(ui, work.share as f32);
                let stage = RichText::new(&work.stage).size(11.5).color(theme::colors(ui).weak);
                ui.label(stage);
            });
            cancelled = icon_button_ui(ui, Icon::Close, 24.0, work.cancel, &work.hint).clicked();
        });
    });
    (shown, cancelled)
}

/// Describes the load's current stage, with numbers that grow.
fn stage(progress: &Progress) -> String {
    let (bytes, images) = (progress.bytes(), progress.images());
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    match progress.share() {
        1.0 => "preparing the picture".to_owned(),
        _ if bytes.of == 0 => "opening".to_owned(),
        _ if bytes.done < bytes.of || images.of == 0 => {
            format!("{:.1} of {:.1} MB", megabytes(bytes.done), megabytes(bytes.of))
        }
        _ => format!("{:.1} MB, {} of {} images", megabytes(bytes.of), images.done, images.of),
    }
}

fn bar_ui(ui: &mut Ui, share: f32) {
    let size = egui::vec2(ui.available_width(), 5.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::new(egui::Role::ProgressIndicator);
        info.value = Some(f64::from(share));
        info
    });
    let done = Rect::from_min_size(rect.min, egui::vec2(share * rect.width(), rect.height()));
    ui.painter().rect_filled(rect, 2.5, theme::colors(ui).rail);
    ui.painter().rect_filled(done, 2.5, theme::colors(ui).accent);
}

/// Marks the picture as the place to drop files, while some are dragged over the window.
pub(super) fn drop_hint_ui(ui: &Ui, picture: Rect) {
    if ui.ctx().input(|i| i.raw.hovered_files.is_empty()) {
        return;
    }
    let layer = egui::LayerId::new(Order::Tooltip, Id::unique("drop"));
    let painter = ui.ctx().layer_painter(layer);
    let rect = picture.shrink(10.0);
    painter.rect_filled(rect, 10.0, Color32::from_black_alpha(120));
    painter.rect_stroke(
        rect,
        10.0,
        Stroke::new(2.0, theme::colors(ui).accent),
        egui::StrokeKind::Inside,
    );
    let font = egui::FontId::proportional(18.0);
    let held = ui.input(|i| i.modifiers);
    let text = match (held.ctrl, held.shift) {
        (true, _) => "Drop to compare with it",
        (false, true) => "Drop to take its clips",
        (false, false) => "Drop to open; with Shift, take its clips; with Ctrl, compare",
    };
    painter.text(rect.center(), Align2::CENTER_CENTER, text, font, Color32::WHITE);
}

/// A card over the picture.
pub(super) struct Card {
    /// Identifies the card.
    pub name: &'static str,
    /// The edge of the picture that the card is at, or its middle.
    pub align: Align2,
    /// The colour of the outline.
    pub line: Color32,
    /// From 0, invisible, to 1.
    pub opacity: f32,
    /// What it is over.
    pub order: Order,
}

impl Card {
    /// Returns a card that hides what is below it.
    pub fn new(name: &'static str, align: Align2, line: Color32) -> Self {
        Self { name, align, line, opacity: 1.0, order: Order::Middle }
    }

    /// Shows the card. Returns its rectangle.
    pub fn show(self, ui: &Ui, picture: Rect, contents: impl FnOnce(&mut Ui)) -> Rect {
        let inner = picture.shrink(if picture.height() < LOW { LOW_MARGIN } else { 16.0 });
        let area = Area::new(Id::unique(self.name))
            .order(self.order)
            .fade_in(false)
            .pivot(self.align)
            .fixed_pos(self.align.pos_in_rect(&inner));
        let shown = area.show(ui.ctx(), |ui| {
            ui.set_opacity(self.opacity);
            let card = Frame::new()
                .fill(theme::colors(ui).card)
                .stroke(Stroke::new(1.0, self.line))
                .corner_radius(8)
                .inner_margin(Margin::symmetric(14, 10));
            card.show(ui, contents);
        });
        shown.response.rect
    }
}
