//! All panels of a frame: parts around the picture, the transport below it, and cards over it.

use egui::{Frame, Margin, Panel, Rect, Ui};

use super::arrangement::Arrangement;
use super::banner::PanelsHint;
use super::gizmo::Gizmo;
use super::keymap::Keymap;
use super::layout::{LaidOut, Layout};
use super::menu_focus::MenuFocus;
use super::node_menu::PictureMenu;
use super::palette::CommandPalette;
use super::timing::Timing;
use super::welcome::Welcome;
use super::window_parts::PartStates;
use super::{TextureCopy, TextureId};
use super::{badges, banner, help, hover, keys, legend, measure, mouse, sides, theme, transport};
use rigview_session::{Action, FileSource, Session, WindowPart};

/// The actions of a frame, and the room that the panels leave for the picture.
#[derive(Debug)]
pub struct Shown {
    /// The actions of the person, in order.
    pub actions: Vec<Action>,
    /// The room for the picture, in points.
    pub picture: Rect,
    /// The places of the cards over the picture that stay, in points.
    pub cards: Vec<Rect>,
}

/// The panels' state between frames that is not part of the session.
#[derive(Debug, Default)]
pub struct Panels {
    /// The file that the parts show.
    source: Option<FileSource>,
    layout: Layout,
    contents: PartStates,
    chosen: legend::Chosen,
    drag: mouse::Drag,
    gizmo: Gizmo,
    focus: keys::Focus,
    welcome: Welcome,
    panels_hint: PanelsHint,
    menu: PictureMenu,
    menus: MenuFocus,
    palette: CommandPalette,
    help: help::Help,
    /// Of [`Desktop::searches`](rigview_session::Desktop::searches) in the last frame.
    searches: u32,
}

impl Panels {
    /// Shows all panels and handles the frame's input.
    pub fn show(&mut self, ui: &mut Ui, session: &Session) -> Shown {
        theme::follow(ui.ctx(), session.desktop().theme());
        Keymap::follow(ui.ctx(), session.desktop().keys());
        self.focus.flies = self.drag.is_right_held();
        self.focus.hold_for_field(ui.ctx());
        self.focus.move_on(ui.ctx());
        if session.help() && !self.help.takes_keys() {
            self.help.take_scrolling(ui.ctx());
        }
        let takes_keys = session.desktop().palette() || session.help() && self.help.takes_keys();
        let mut actions = if takes_keys {
            Vec::new()
        } else {
            keys::key_actions(ui.ctx(), session.playback(), &mut self.focus)
        };
        self.forget_other_file(session);
        let mut picture = ui.available_rect_before_wrap();
        if session.panels() {
            picture = self.parts_ui(ui, session, &mut actions);
        }
        let side = sides::side_under_pointer(ui, picture, session.compared());
        let first = sides::first_picture(picture, session.compared());
        let mut below = sides::below_names(picture, session.compared());
        let mut taken = Vec::new();
        if session.panels() {
            let badges = badges::badges_ui(ui, below, session, &mut actions);
            below = badges.map_or(below, |badges| below.with_min_y(badges.bottom()));
            taken.extend(badges);
        }
        let claimed = self.gizmo.show(ui, first, first.intersect(below), session, &mut actions);
        taken.extend(self.gizmo.tools());
        if let Some(tools) = self.gizmo.tools().filter(|tools| is_at_top(*tools, below)) {
            below.set_top(tools.bottom());
        }
        self.drag.leave_to_gizmo(claimed);
        mouse::mouse_ui(ui, side.picture, session.selection(), &mut self.drag, &mut actions);
        side.leave_out_picks(session, &mut actions);
        if let Some(at) = self.drag.take_menu() {
            self.menu.open(at, session);
        }
        if !self.drag.is_held() {
            hover::hover_ui(ui, picture, session);
        }
        measure::measure_ui(ui, first, session);
        let mut cards = taken.clone();
        cards.extend(sides::sides_ui(ui, picture, session, &mut actions));
        // In a low picture a message covers what is at its top, rather than what is below it.
        let room = if below.height() < banner::MESSAGE { picture } else { below };
        let message = banner::message_ui(ui, room, session, &mut actions);
        taken.extend(message);
        taken.extend(cards_ui(ui, picture, session, &mut actions));
        cards.extend(legend::legend_ui(ui, picture, session, &taken, &mut self.chosen));
        self.panels_hint.show(ui, picture, session.panels());
        if session.desktop().recording().is_none() {
            self.welcome.hints_ui(ui, picture, session);
        }
        if session.help() {
            self.help.show(ui, session, &mut actions);
        }
        self.menu.show(ui, picture, session, &mut actions);
        self.palette.show(ui, session, message, &mut actions);
        self.menus.follow(ui.ctx());
        let (ctx, layout) = (ui.ctx(), &self.layout);
        self.focus.drop_what_a_click_gave(ctx, |widget| layout.is_nameless(ctx, widget));
        Shown { actions, picture, cards }
    }

    /// The duration of frames, filled in by the caller.
    pub fn timing(&mut self) -> &mut Timing {
        &mut self.contents.timing
    }

    /// A texture that a small copy is wanted of: for [`Panels::give_texture`].
    pub fn wanted_texture(&self) -> Option<TextureId> {
        self.contents.inspector.wanted_texture()
    }

    /// Takes the small copy of a texture; `None` if there is none.
    pub fn give_texture(&mut self, of: TextureId, copy: Option<TextureCopy>) {
        self.contents.inspector.give_texture(of, copy);
    }

    /// Returns the arrangement of the parts as JSON, for settings.
    pub fn arrangement(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self.layout.arrangement()?).ok()
    }

    /// Arranges the parts as [`Panels::arrangement`] returned it.
    ///
    /// # Errors
    /// If it is no such arrangement, the picture is missing or a part is there twice. Nothing changes then. Parts that
    /// an earlier version did not have are added.
    pub fn arrange(&mut self, arrangement: serde_json::Value) -> Result<(), String> {
        let new: Arrangement = serde_json::from_value(arrangement).map_err(|e| e.to_string())?;
        let new = new.completed().ok_or("the picture is missing or a part is there twice")?;
        self.layout = Layout::new(&new);
        Ok(())
    }

    /// Shows the transport and the open parts. Returns the room that they leave.
    fn parts_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) -> Rect {
        let bar = Frame::new().fill(theme::colors(ui).bar).inner_margin(Margin::symmetric(14, 10));
        Panel::bottom("transport").frame(bar).show(ui, |ui| {
            transport::transport_ui(ui, session.playback(), session.window_parts(), actions);
        });
        let searches = session.desktop().searches();
        if std::mem::replace(&mut self.searches, searches) != searches {
            self.layout.choose(WindowPart::Scene);
        }
        let contents = &mut self.contents;
        let LaidOut { picture, closed } =
            self.layout.show(ui, session.window_parts(), &mut |ui, parts| {
                contents.show(ui, session, parts, actions);
            });
        actions.extend(closed.map(Action::TogglePart));
        picture
    }

    /// Clears filters and searches when another file is shown.
    fn forget_other_file(&mut self, session: &Session) {
        let source = session.playback().document().map(|document| &document.source);
        if self.source.as_ref() != source {
            self.source = source.cloned();
            self.contents.forget();
        }
    }
}

/// Whether a card is at the top of a part of the picture, so that others have to be below it.
fn is_at_top(card: Rect, room: Rect) -> bool {
    card.center().y < room.top() + 0.3 * room.height()
}

/// Shows what is being done, and how files are opened, as cards over the picture. Returns the places of the cards.
fn cards_ui(ui: &Ui, picture: Rect, session: &Session, actions: &mut Vec<Action>) -> Vec<Rect> {
    let loads = session.loads();
    let mut cards = Vec::new();
    let load = loads.running().first();
    if let Some(recording) = session.desktop().recording() {
        let above = if load.is_some() { banner::CARD } else { 0.0 };
        let room = picture.with_max_y((picture.bottom() - above).max(picture.top()));
        cards.push(banner::recording_ui(ui, room, recording, actions));
    }
    if let Some(load) = load {
        cards.extend(banner::loading_ui(ui, picture, load, actions));
    } else if session.playback().document().is_none() && loads.failure().is_none() {
        banner::empty_ui(ui, picture);
    }
    banner::drop_hint_ui(ui, picture);
    cards
}
