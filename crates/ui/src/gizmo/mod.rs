//! The gizmo: handles over the picture that move, turn or scale the selected node, and the tools above them.

mod drag;
mod grabbed;
mod handles;

use egui::{
    Align, Align2, Area, Color32, Event, FontId, Frame, Id, Key, Layout, Margin, Order, Painter,
    PointerButton, Pos2, Rect, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, vec2,
};
use glam::DVec2;

use self::drag::{Drag, DragResult};
use self::grabbed::{Grabbed, Handle};
use self::handles::{Scenery, Shown, grip_of, handle_at, head};
use super::posing::tools_ui;
use super::theme;
use rigview_session::{Action, HandValue, PoseAction, Session, Tool};

/// The colour of the handle under the pointer or in use.
const LIT: Color32 = Color32::from_rgb(0xff, 0xd8, 0x4a);

/// The distance of the tools from the picture's edges, and the height of the room that they need below each other, in
/// points.
const EDGE: f32 = 10.0;
const ROOM_FOR_COLUMN: f32 = 240.0;

/// The share of the pointer's way that counts while Shift is held.
const SLOW: f64 = 0.1;

/// The gizmo's state between frames.
#[derive(Debug, Default)]
pub(super) struct Gizmo {
    held: Option<ActiveHandle>,
    hovered: Option<Handle>,
    /// The place of the tools in the last frame; `None` if they were not shown.
    tools: Option<Rect>,
}

/// A handle that is dragged.
#[derive(Debug)]
struct ActiveHandle {
    node: usize,
    tool: Tool,
    drag: Drag,
    /// Where the pointer would be if it had never been slowed down.
    place: DVec2,
    last: Pos2,
    snaps: bool,
    effect: Option<DragResult>,
}

impl Gizmo {
    /// The place of the tools; `None` if they are not shown.
    pub fn tools(&self) -> Option<Rect> {
        self.tools
    }

    /// Shows the tools in a part of the picture, and the handles, and handles their input. Returns whether the pointer
    /// is in use, or over a handle.
    pub fn show(
        &mut self,
        ui: &Ui,
        picture: Rect,
        room: Rect,
        session: &Session,
        actions: &mut Vec<Action>,
    ) -> bool {
        let tool = session.posing().tool();
        let scenery = scenery_of(session, picture);
        let selected = session.selection().node();
        if let Some(held) =
            self.held.take_if(|held| Some(held.node) != selected || held.tool != tool)
        {
            log::debug!("the drag of node {} ends: another one is selected", held.node);
            actions.push(PoseAction::End.into());
        }
        if tool == Tool::Select || session.playback().stage().is_none() {
            (self.hovered, self.tools) = (None, None);
            return false;
        }
        self.tools = Some(toolbar_ui(ui, room, session, actions));
        let Some(scenery) = scenery else {
            self.hovered = None;
            return false;
        };
        let handles = scenery.handles(tool);
        let used = self.input(ui, &scenery, &handles, selected, tool, actions);
        self.paint(ui, &scenery, &handles);
        if self.held.is_none() {
            describe(ui, &handles);
        }
        used || self.held.is_some() || self.hovered.is_some()
    }

    /// Handles the frame's events. Returns whether one of them was the gizmo's.
    fn input(
        &mut self,
        ui: &Ui,
        scenery: &Scenery,
        handles: &[Shown],
        node: Option<usize>,
        tool: Tool,
        actions: &mut Vec<Action>,
    ) -> bool {
        let ctx = ui.ctx();
        let (events, pointer) = ctx.input(|i| (i.events.clone(), i.pointer.latest_pos()));
        let free = |at: Pos2| {
            let above = ctx.layer_id_at(at).is_some_and(|l| l.order != Order::Background);
            scenery.picture.contains(at) && !above && !ctx.egui_is_using_pointer()
        };
        let mut used = false;
        let mut moved = None;
        let modifiers = ctx.input(|i| i.modifiers);
        for event in &events {
            match event {
                Event::PointerMoved(to) => {
                    if let Some(held) = &mut self.held {
                        held.follow(*to, scenery, modifiers);
                        moved = Some(held.node);
                    }
                }
                Event::PointerButton {
                    pos, button: PointerButton::Primary, pressed: true, ..
                } if self.held.is_none() && free(*pos) => {
                    let handle = handle_at(handles, *pos);
                    if let Some((handle, node)) = handle.zip(node) {
                        self.held = Some(ActiveHandle::new(handle, node, tool, scenery, *pos));
                        actions.push(PoseAction::Begin.into());
                        used = true;
                    }
                }
                Event::PointerButton { button: PointerButton::Primary, pressed: false, .. } => {
                    if let Some(held) = self.held.take() {
                        actions.extend(held.action().filter(|_| moved.take().is_some()));
                        actions.push(PoseAction::End.into());
                        used = true;
                    }
                }
                Event::PointerButton {
                    button: PointerButton::Secondary, pressed: true, ..
                }
                | Event::Key { key: Key::Escape, pressed: true, .. }
                    if self.held.is_some() =>
                {
                    (self.held, moved, used) = (None, None, true);
                    // Escape cancels the drag and nothing else.
                    actions.retain(|action| !matches!(action, Action::Escape));
                    actions.push(PoseAction::Cancel.into());
                }
                Event::WindowFocused(false) if self.held.is_some() => {
                    (self.held, moved) = (None, None);
                    actions.push(PoseAction::End.into());
                }
                _ => {}
            }
        }
        if let (Some(held), Some(_)) = (&self.held, moved) {
            actions.extend(held.action());
        }
        self.hovered = match &self.held {
            Some(held) => Some(held.drag.handle),
            None => pointer.filter(|at| free(*at)).and_then(|at| handle_at(handles, at)),
        };
        used
    }

    fn paint(&self, ui: &Ui, scenery: &Scenery, handles: &[Shown]) {
        let painter = ui.painter().with_clip_rect(scenery.picture);
        let held = self.held.as_ref().map(|held| held.drag.handle);
        for shown in handles.iter().filter(|shown| held.is_none_or(|held| held == shown.handle)) {
            let lit = self.hovered == Some(shown.handle);
            paint_handle(&painter, scenery.middle(), shown, lit);
        }
        if let Some((held, text)) = self.held.as_ref().and_then(|held| Some((held, held.text()?))) {
            let at = held.last + vec2(16.0, -16.0);
            let font = FontId::monospace(12.0);
            let galley = painter.layout_no_wrap(text, font, theme::colors(ui).strong);
            let card = Align2::LEFT_BOTTOM.anchor_size(at, galley.size()).expand2(vec2(6.0, 3.0));
            painter.rect_filled(card, 3.0, theme::colors(ui).card.gamma_multiply(0.92));
            painter.galley(card.min + vec2(6.0, 3.0), galley, theme::colors(ui).strong);
        }
    }
}

impl ActiveHandle {
    fn new(handle: Handle, node: usize, tool: Tool, scenery: &Scenery, at: Pos2) -> Self {
        let start = scenery.picture_point(at);
        let drag = Drag {
            handle,
            grabbed: scenery.grabbed,
            axes: scenery.axes,
            view: scenery.view,
            start,
            radius: scenery.radius(),
        };
        Self { node, tool, drag, place: start, last: at, snaps: false, effect: None }
    }

    /// Follows the pointer. Where the line of sight does not meet the axis, the last effect stays.
    fn follow(&mut self, to: Pos2, scenery: &Scenery, modifiers: egui::Modifiers) {
        let by = scenery.picture_point(to) - scenery.picture_point(self.last);
        self.place += if modifiers.shift { SLOW * by } else { by };
        self.last = to;
        self.snaps = modifiers.command;
        self.effect = self.drag.to(self.place, self.snaps).or(self.effect);
    }

    fn action(&self) -> Option<Action> {
        let effect = self.effect?;
        Some(PoseAction::Set(self.node, effect.value).into())
    }

    /// The amount of the drag.
    fn text(&self) -> Option<String> {
        let DragResult { value, amount } = self.effect?;
        Some(match value {
            HandValue::Rotation(_) => format!("{:.1}°", amount.to_degrees()),
            HandValue::Scale(_) => format!("× {amount:.3}"),
            _ => format!("{amount:.4} m"),
        })
    }
}

/// Returns the selected node as it can be grabbed.
fn scenery_of(session: &Session, picture: Rect) -> Option<Scenery> {
    let is_posed = |node: &usize| {
        session.playback().can_pose(*node) && !session.playback().ignores_transform(*node)
    };
    let node = session.selection().node().filter(is_posed)?;
    let (document, stage) = session.playback().document().zip(session.playback().stage())?;
    let local = stage.local.transform(node);
    let grabbed = Grabbed {
        scene_from_parent: stage.scene_from_parent(&document.model, node),
        translation: local.translation.as_dvec3(),
        rotation: local.rotation.as_dquat(),
        scale: local.scale.as_dvec3(),
    };
    Some(Scenery { grabbed, axes: session.posing().axes(), view: session.view(), picture })
}

fn paint_handle(painter: &Painter, middle: Pos2, shown: &Shown, lit: bool) {
    let color = if lit { LIT } else { shown.color };
    let is_ball = shown.handle == Handle::Roll;
    let width = if lit { 3.0 } else { 2.0 };
    for line in &shown.lines {
        // A dark edge, so that it is seen before any background.
        let edge = Stroke::new(width + 2.0, Color32::from_black_alpha(90));
        painter.add(Shape::line(line.clone(), edge));
        painter.add(Shape::line(line.clone(), Stroke::new(width, color)));
    }
    if !shown.area.is_empty() {
        let fill = match (is_ball, lit) {
            (true, false) => Color32::from_white_alpha(6),
            (true, true) => Color32::from_white_alpha(22),
            _ => color.gamma_multiply(if lit { 0.9 } else { 0.45 }),
        };
        let stroke = if is_ball { Stroke::NONE } else { Stroke::new(1.0, color) };
        painter.add(Shape::convex_polygon(shown.area.clone(), fill, stroke));
    }
    if let Some(tip) = shown.tip {
        let is_box = matches!(shown.handle, Handle::Scale(_));
        let edge = Stroke::new(1.0, Color32::from_black_alpha(90));
        painter.add(Shape::convex_polygon(head(middle, tip, is_box), color, edge));
    }
}

/// Gives each handle an accessible name, at a place where a drag grabs it.
fn describe(ui: &Ui, handles: &[Shown]) {
    for shown in handles {
        let Some(at) = grip_of(handles, shown) else { continue };
        let name = name(shown.handle);
        let rect = Rect::from_center_size(at, vec2(6.0, 6.0));
        let place = ui.interact(rect, Id::unique(("gizmo", name.as_str())), Sense::hover());
        place.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
    }
}

fn name(handle: Handle) -> String {
    let axis = |i: usize| ["X", "Y", "Z"][i];
    match handle {
        Handle::Move(i) => format!("Move along {}", axis(i)),
        Handle::MovePlane(i) => format!("Move in {}{}", axis((i + 1) % 3), axis((i + 2) % 3)),
        Handle::MoveFree => "Move freely".into(),
        Handle::Turn(i) => format!("Rotate about {}", axis(i)),
        Handle::TurnView => "Rotate in the picture".into(),
        Handle::Roll => "Rotate freely".into(),
        Handle::Scale(i) => format!("Scale along {}", axis(i)),
        Handle::ScaleAll => "Scale evenly".into(),
    }
}

/// Shows the tools at the left edge of a part of the picture, or where it is too low for them, in a row at its top.
/// Returns their place.
fn toolbar_ui(ui: &Ui, room: Rect, session: &Session, actions: &mut Vec<Action>) -> Rect {
    let inner = room.shrink(EDGE);
    let is_low = room.height() < ROOM_FOR_COLUMN;
    let align = if is_low { Align2::LEFT_TOP } else { Align2::LEFT_CENTER };
    let area = Area::new(Id::unique("tools"))
        .order(Order::Middle)
        .fade_in(false)
        .pivot(align)
        .fixed_pos(align.pos_in_rect(&inner));
    let shown = area.show(ui.ctx(), |ui| {
        let card = Frame::new()
            .fill(theme::colors(ui).card.gamma_multiply(0.94))
            .stroke(Stroke::new(1.0, theme::colors(ui).line))
            .corner_radius(6)
            .inner_margin(Margin::same(6));
        card.show(ui, |ui| {
            ui.spacing_mut().item_spacing = egui::Vec2::splat(4.0);
            ui.spacing_mut().button_padding.x = 6.0;
            let mut tools = |ui: &mut Ui| {
                tools_ui(ui, session, actions);
                if let Some(hint) = hint(session) {
                    ui.label(RichText::new(hint).size(11.5).color(theme::colors(ui).weak));
                }
            };
            if is_low {
                ui.set_max_width((inner.width() - 14.0).max(66.0));
                ui.horizontal_wrapped(tools);
            } else {
                ui.set_width(66.0);
                ui.with_layout(Layout::top_down_justified(Align::LEFT), &mut tools);
            }
        });
    });
    shown.response.rect
}

/// Says why nothing can be posed; `None` if the selected node can.
fn hint(session: &Session) -> Option<&'static str> {
    let playback = session.playback();
    match session.selection().node() {
        None => Some("Select a joint"),
        Some(node) if !playback.can_pose(node) => Some("This node can't be posed"),
        Some(node) if playback.ignores_transform(node) => {
            Some("glTF ignores the transform of a skinned mesh: pose its joints")
        }
        Some(_) => None,
    }
}
