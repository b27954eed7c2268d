//! The part with the curves of the selected node over time: one property by component, or the angular speed of its
//! rotation. Nothing here changes the clip.

mod chosen;
mod components;
mod plot;

use egui::{Frame, Margin, Ui, UiBuilder};

use super::choice::{Choice, Entry};
use super::list::fitting_name;
use super::text::one_line;
use super::theme;
use super::timeline::axis::Clock;
use chosen::{Made, Property, choices};
use components::Components;
use plot::CurvePlot;
use rigview_report::{CurvePart, EulerOrder};
use rigview_session::{Action, ClipsId, Session, TimelineAction};

/// The width of the list of components in points.
const LIST: f32 = 148.0;

/// The share of the width that the node's name takes at most.
const NAME: f32 = 0.25;

/// The text for rotations as the file has them.
const QUATERNION: &str = "Quaternion";

/// The part's state between frames.
#[derive(Debug)]
pub(super) struct Curves {
    /// The property that was chosen last; another node may not have it.
    property: Property,
    /// The order of Euler angles by its name; `None` for quaternions.
    order: Option<&'static str>,
    components: Components,
    /// The values in sight, from and to; `None` while they are fitted to the curves.
    values: Option<[f64; 2]>,
    /// The clip and the node that these values are of.
    of: Option<(ClipsId, Option<usize>, usize)>,
    made: Made,
}

/// What stands above the curves.
struct Header<'a> {
    /// The node's whole name, and the one without what all names begin with.
    name: &'a str,
    short: &'a str,
    channels: &'a [chosen::Choice<'a>],
    /// Index of the channel whose curves are shown.
    shown: usize,
    is_set_by_hand: bool,
}

impl Default for Curves {
    fn default() -> Self {
        Self {
            property: Property::default(),
            order: Some(EulerOrder::NAMES[0]),
            components: Components::default(),
            values: None,
            of: None,
            made: Made::default(),
        }
    }
}

impl Curves {
    /// Shows the part.
    pub fn show(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let room = ui.available_rect_before_wrap();
        ui.advance_cursor_after_rect(room);
        let mut inside = ui.new_child(UiBuilder::new().max_rect(room));
        inside.shrink_clip_rect(room);
        let margin = Margin { top: 4, bottom: 4, ..Margin::symmetric(8, 0) };
        Frame::new().inner_margin(margin).show(&mut inside, |ui| {
            if let Err(why) = self.curves_ui(ui, session, actions) {
                ui.add(egui::Label::new(egui::RichText::new(why).weak()).truncate());
            }
        });
    }

    /// Shows the curves.
    ///
    /// # Errors
    /// If there is no curve to show; the message says why.
    fn curves_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        actions: &mut Vec<Action>,
    ) -> Result<(), String> {
        let playback = session.playback();
        let document = playback.document().ok_or("Open a file to see its curves.")?;
        let clip = playback.clip().ok_or("The rest pose has no curves.")?;
        let node = session.selection().node();
        let node = node
            .ok_or("Select a node to see its curves: in the time line, the tree or the picture.")?;
        let of = Some((document.clips_id(), playback.clip_index(), node));
        if std::mem::replace(&mut self.of, of) != of {
            self.values = None;
        }
        let name = one_line(&document.model.node_name(node));
        let channels = choices(clip, node);
        let Some(shown) = chosen::nearest(&channels, self.property) else {
            return Err(format!("The clip does not move {name}."));
        };
        let channel = channels[shown].channel;
        let property = channels[shown].property;
        let by_hand = playback.hand().get(node);
        let header = Header {
            name: &name,
            short: &one_line(&document.short_name(node)),
            channels: &channels,
            shown,
            is_set_by_hand: by_hand.is_some_and(|made| channels[shown].is_set_in(made)),
        };
        ui.horizontal_wrapped(|ui| self.header_ui(ui, &header, actions));
        let order = self.order.filter(|_| property == Property::Rotation);
        let euler = order.and_then(EulerOrder::from_name);
        let view = session.timeline().view_secs(playback);
        let points = (ui.available_width() * ui.pixels_per_point()).clamp(64.0, 8192.0) as usize;
        let of = chosen::CurveId {
            clips: document.clips_id(),
            clip: playback.clip_index(),
            node,
            property,
            order,
        };
        let part = CurvePart { secs: view, points };
        let curve = self.made.curve(&document.model, clip, channel, of, part)?;
        let now = chosen::values_now(channel, property, curve, playback.time_secs(), euler);
        let room = ui.available_rect_before_wrap();
        let list = room.with_max_x(room.left() + LIST.min(0.4 * room.width()));
        let mut side = ui.new_child(UiBuilder::new().max_rect(list));
        side.shrink_clip_rect(list);
        self.components.show(&mut side, curve, &now);
        let plot = CurvePlot {
            playback,
            clock: Clock::new(session.timeline().unit(), playback),
            view,
            curve,
            components: &self.components,
            now: &now,
            keys: channel.times(),
            least: property.least(order.is_some()),
        };
        // The label of the last time needs room.
        let room = room.with_max_x(room.right() - 12.0);
        let mut area = ui.new_child(UiBuilder::new().max_rect(room.with_min_x(list.right() + 4.0)));
        if plot.show(&mut area, &mut self.values, actions) {
            self.fit(actions);
        }
        Ok(())
    }

    /// Shows the node's name, its properties and how the shown one is drawn.
    fn header_ui(&mut self, ui: &mut Ui, header: &Header, actions: &mut Vec<Action>) {
        ui.spacing_mut().item_spacing.x = 6.0;
        let title = fitting_name(ui, header.short, NAME * ui.available_width());
        let is_whole = title == header.name;
        let title = ui.label(egui::RichText::new(title).strong());
        if !is_whole {
            title.on_hover_text(header.name);
        }
        for (i, choice) in header.channels.iter().enumerate() {
            if ui.selectable_label(i == header.shown, choice.text()).clicked() {
                (self.property, self.values) = (choice.property, None);
            }
        }
        if header.is_set_by_hand {
            let mark = egui::RichText::new("● set by hand").color(theme::colors(ui).accent);
            ui.label(mark).on_hover_text("The pose has a value set by hand instead of the curve's");
        }
        if header.channels[header.shown].property == Property::Rotation {
            self.order_ui(ui);
        }
        let fit = ui.button("Fit").accessible_name("Fit the curves");
        if fit.on_hover_text("Show the whole clip and all values (double click)").clicked() {
            self.fit(actions);
        }
    }

    /// Shows the list of orders of Euler angles.
    fn order_ui(&mut self, ui: &mut Ui) {
        let text = |order: Option<&str>| {
            order.map_or(QUATERNION.to_owned(), |name| format!("Euler {}", name.to_uppercase()))
        };
        let hint = "Degrees about x, y and z, turned in this order about the parent's axes";
        let list =
            Choice { name: "Rotation as", label: None, text: text(self.order), hint, width: 100.0 };
        let entries = || {
            let orders = EulerOrder::NAMES.into_iter().map(Some);
            std::iter::once(None)
                .chain(orders)
                .map(|order| Entry::new(order, text(order)))
                .collect()
        };
        if let Some(order) = list.show(ui, &self.order, entries) {
            (self.order, self.values) = (order, None);
        }
    }

    /// Shows the whole clip and all values.
    fn fit(&mut self, actions: &mut Vec<Action>) {
        self.values = None;
        actions.push(TimelineAction::ShowAll.into());
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;

    use super::*;
    use rigview_session::sample::{finish, loaded, session};
    use rigview_session::{Item, LoadAction, PlaybackAction, SelectionAction};

    #[test]
    fn another_node_or_clip_is_fitted() {
        let mut session = session();
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        let mut curves = Curves::default();
        let mut show = |session: &Session, values| {
            curves.values = values;
            let curves = &mut curves;
            Harness::new_ui(|ui| curves.show(ui, session, &mut Vec::new()));
            curves.values
        };
        let zoomed = Some([7.0, 8.0]);
        assert_eq!(show(&session, zoomed), None, "the zoom is of something else");
        assert_eq!(show(&session, zoomed), zoomed);
        session.apply(PlaybackAction::SelectClip(Some(1)));
        assert_eq!(show(&session, zoomed), None);
        assert_eq!(show(&session, zoomed), zoomed);
        for node in [0, 1] {
            session.apply(SelectionAction::Select(Some(Item::Node(node))));
            assert_eq!(show(&session, zoomed), None, "another node");
        }
        session.apply(PlaybackAction::SelectClip(Some(0)));
        assert_eq!(show(&session, zoomed), None);
        let effects = session.apply(LoadAction::open("/rigs/other.glb"));
        finish(&mut session, &effects, Ok(loaded()));
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        assert_eq!(show(&session, zoomed), None, "another file");
    }
}
