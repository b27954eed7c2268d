//! The legend over the picture: the scale of the distance from a model that is compared or of a pass that shows numbers,
//! or for two seconds the name of a pass that was just chosen; and the sizes of the model's boxes. It is shown also while
//! the panels are hidden.

use egui::{
    Align2, Area, Color32, Frame, Id, Margin, Mesh, Order, Rect, RichText, Sense, Stroke, Ui, pos2,
    vec2,
};

use super::list::fitting;
use super::look::pass_label;
use super::text::{millimetres, one_line, unsigned_zero};
use super::theme;
use rigview_compare::heat_color;
use rigview_look::{Absent, CardPlace, Corner, Legend, LegendRow, Pass, Silhouette};
use rigview_report::counted;
use rigview_session::{CompareMode, Measurement, Session};

/// Seconds for which the name of a pass is shown.
const NAME_SECS: f64 = 2.0;

/// The size of a scale's bar, in points.
const BAR: egui::Vec2 = vec2(200.0, 10.0);

/// The distance of a card from the picture's edges, in points.
const MARGIN: f32 = 12.0;

/// The height of the room in points that the rows below a scale need, and the least height of a card.
const ROOM_FOR_ROWS: f32 = 150.0;
const LEAST_HEIGHT: f32 = 56.0;

/// The share of the picture's width that a card takes at most, and the limits of its width in points.
const CARD: f32 = 0.3;
const CARD_WIDTHS: std::ops::RangeInclusive<f32> = 150.0..=260.0;

/// The pass of the last frame, the time in seconds until which its name is shown, and the place of the legend.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pass: Option<Pass>,
    until: f64,
    /// The last card that had all the room that it needs; `None` if there was none.
    card: Option<(Corner, egui::Vec2)>,
}

/// Shows the scale of the pass, or its name if it was just chosen, and what colours of lines mean, beside the `taken`
/// places of other cards. Returns the place of its card, unless that goes by itself.
pub(super) fn legend_ui(
    ui: &Ui,
    picture: Rect,
    session: &Session,
    taken: &[Rect],
    chosen: &mut Chosen,
) -> Option<Rect> {
    let (playback, look) = (session.playback(), session.look());
    let pass = look.pass;
    let now = ui.input(|i| i.time);
    if chosen.pass.replace(pass).is_some_and(|before| before != pass) {
        chosen.until = now + NAME_SECS;
    }
    let document = playback.document()?;
    // Heat takes the place of the pass.
    let compared = session.compared();
    let heat = compared.is_shown() && compared.mode() == CompareMode::Heat;
    let legend = Legend::new(look, &document.model).filter(|_| look.legend && !heat);
    let key = if look.legend { &session.legend_rows()[..] } else { &[] };
    let names = legend.is_none() && !heat && now < chosen.until;
    if names {
        ui.ctx().request_repaint_after_secs((chosen.until - now) as f32);
    }
    let absent = playback.stage().map(|stage| Absent::list(look, &document.model, stage));
    let absent = absent.filter(|_| look.legend).unwrap_or_default();
    if legend.is_none() && key.is_empty() && !names && !heat && absent.is_empty() {
        chosen.card = None;
        return None;
    }
    let rows = key.len() as f32 * 20.0 + if legend.is_some() { 70.0 } else { 10.0 };
    let (present, card) = chosen.card.unzip();
    let card = card.unwrap_or(vec2(BAR.x + 20.0, rows));
    let free = freest_corner(picture, session, card, present, taken);
    let (room, corner) = match free {
        Some(corner) => (picture, corner),
        None => (largest_rest(picture, taken), Corner::default()),
    };
    // In a low room beside other cards only the scale is shown.
    let is_low = free.is_none() && room.height() < ROOM_FOR_ROWS;
    let shown = card_ui(ui, picture, room, corner, |ui| {
        if heat {
            heat_ui(ui, session);
        }
        if names {
            ui.label(RichText::new(pass_label(pass)).color(theme::colors(ui).strong));
        }
        if let Some(legend) = &legend {
            let title = match (pass, look.joint) {
                (Pass::Weights, Some(joint)) => {
                    format!("Weight of {}", document.short_name(joint))
                }
                _ => legend.title.clone(),
            };
            scale_ui(ui, legend, &title, is_low);
            if !is_low {
                weights_ui(ui, session);
            }
        }
        for absent in &absent {
            let text = format!("This model has no {}", absent.name());
            ui.label(RichText::new(text).size(11.0));
        }
        key.iter().for_each(|LegendRow { color, text }| row_ui(ui, *color, text));
    });
    // The size with all the room decides whether a corner is free, so a smaller card does not count.
    if free.is_some() {
        chosen.card = shown.map(|card| (corner, card.size()));
    }
    // A name goes after a few seconds.
    shown.filter(|_| !names)
}

/// Returns the corner of the picture in which a card of this size hides least of the model and no other card; `None` if
/// there is none. It stays in its present one unless another is clearly better, so that it does not jump while the model
/// moves.
fn freest_corner(
    picture: Rect,
    session: &Session,
    card: egui::Vec2,
    present: Option<Corner>,
    taken: &[Rect],
) -> Option<Corner> {
    let [size, margin] = [picture.size(), egui::Vec2::splat(MARGIN)];
    let place = {
        let [picture, card] = [size, card].map(|size| glam::vec2(size.x, size.y));
        CardPlace { picture, card, margin: MARGIN }
    };
    let is_free = |corner: &Corner| {
        let at = place.at(*corner);
        let at = Rect::from_min_size(picture.min + vec2(at.x, at.y), card).expand2(0.5 * margin);
        !taken.iter().any(|other| other.intersects(at))
    };
    let free: Vec<Corner> = Corner::ALL.into_iter().filter(is_free).collect();
    let playback = session.playback();
    // Two models leave one corner free, and small pictures no choice.
    let has_choice = !session.compared().is_shown() && size.x >= 2.0 * card.x + 3.0 * MARGIN;
    match playback.document().zip(playback.stage()).filter(|_| has_choice && !free.is_empty()) {
        Some((document, stage)) => {
            let view = session.view();
            let silhouette = Silhouette::new(&document.model, [stage], &view, place.picture);
            Some(silhouette.freest(&place, &free, present))
        }
        None => free.first().copied(),
    }
}

/// Returns a large part of the picture beside all other cards.
fn largest_rest(picture: Rect, taken: &[Rect]) -> Rect {
    taken.iter().filter(|card| card.is_positive()).fold(picture, |room, card| {
        let parts = [
            room.with_max_x(card.left()),
            room.with_min_x(card.right()),
            room.with_max_y(card.top()),
            room.with_min_y(card.bottom()),
        ];
        let parts = parts.into_iter().filter(|part| part.is_positive());
        let largest = parts.max_by(|a, b| a.area().total_cmp(&b.area()));
        largest.filter(|_| room.intersects(*card)).unwrap_or(room)
    })
}

/// Shows the scale under a short title; the whole one is shown on hover.
fn scale_ui(ui: &mut Ui, Legend { title, scale }: &Legend, short: &str, is_low: bool) {
    let (width, title) = (ui.available_width(), one_line(title));
    let shown = fitting(ui, &one_line(short), width);
    let is_whole = shown == title;
    let label = ui.label(RichText::new(shown).color(theme::colors(ui).strong));
    if !is_whole {
        label.on_hover_text(title);
    }
    gradient_ui(ui, scale.colors, &scale.labels);
    if let Some((color, label)) = scale.outside.filter(|_| !is_low) {
        row_ui(ui, color, label);
    }
}

/// Shows a colour and its meaning.
fn row_ui(ui: &mut Ui, [r, g, b]: [u8; 3], text: &str) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(BAR.y, BAR.y), Sense::hover());
        ui.painter().rect_filled(rect, 2.0, Color32::from_rgb(r, g, b));
        ui.label(RichText::new(text).size(11.0));
    });
}

/// Shows the colours of the distances from the model that is compared, or why there are none.
fn heat_ui(ui: &mut Ui, session: &Session) {
    let (compared, playback) = (session.compared(), session.playback());
    let hottest = compared.moment(playback).and_then(|_| compared.hottest(playback));
    let title = match (compared.measurement(), hottest) {
        (Measurement::Running(_), _) => "Comparing…".to_owned(),
        (Measurement::Failed(why), _) => one_line(why),
        (_, None) => {
            let unmeasured = compared.difference().and_then(|difference| difference.unmeasured);
            match (unmeasured, compared.not_as_in_file(playback)) {
                (Some(why), _) => format!("Not measured: {why}"),
                (None, Some(what)) => format!("{what}: can't be measured"),
                (None, None) => "This clip can't be measured".to_owned(),
            }
        }
        (_, Some(0.0)) => "No distance from the other model".to_owned(),
        (_, Some(_)) => "Distance from the other model".to_owned(),
    };
    ui.add(egui::Label::new(RichText::new(title).color(theme::colors(ui).strong)).wrap());
    if let Some(hottest) = hottest.filter(|hottest| *hottest > 0.0) {
        let colors = [0.0, 0.25, 0.5, 0.75, 1.0].map(heat_color);
        gradient_ui(ui, &colors, &[0.0, 0.5, 1.0].map(|share| millimetres(share * hottest)));
        let grey = RichText::new("grey: no counterpart").size(11.0);
        ui.label(grey.color(theme::colors(ui).weak));
    }
}

/// Shows a bar of evenly spaced colours with evenly spaced labels below it.
fn gradient_ui(ui: &mut Ui, colors: &[[u8; 3]], labels: &[impl AsRef<str>]) {
    let width = ui.available_width();
    let (bar, _) = ui.allocate_exact_size(vec2(BAR.x.min(width), BAR.y), Sense::hover());
    let x = |i: usize, of: usize| egui::lerp(bar.x_range(), i as f32 / (of - 1) as f32);
    let mut mesh = Mesh::default();
    for (i, [r, g, b]) in colors.iter().enumerate() {
        let x = x(i, colors.len());
        let color = Color32::from_rgb(*r, *g, *b);
        mesh.colored_vertex(pos2(x, bar.top()), color);
        mesh.colored_vertex(pos2(x, bar.bottom()), color);
        if i > 0 {
            let last = 2 * i as u32;
            mesh.add_triangle(last - 2, last - 1, last);
            mesh.add_triangle(last - 1, last, last + 1);
        }
    }
    ui.painter().add(mesh);
    let (rect, _) = ui.allocate_exact_size(vec2(bar.width(), 14.0), Sense::hover());
    let font = egui::FontId::proportional(11.0);
    for (i, label) in labels.iter().enumerate() {
        let last = labels.len() - 1;
        let align = match i {
            0 => Align2::LEFT_TOP,
            _ if i == last => Align2::RIGHT_TOP,
            _ => Align2::CENTER_TOP,
        };
        let at = pos2(x(i, last + 1), rect.top());
        ui.painter().text(at, align, label.as_ref(), font.clone(), theme::colors(ui).text);
    }
}

/// Shows the numbers of the joint whose weights are shown.
fn weights_ui(ui: &mut Ui, session: &Session) {
    let Some(weights) = session.shown_weights() else { return };
    let count = counted(weights.vertices, "vertex");
    let shown = |weight: f32| unsigned_zero(format!("{weight:.4}"));
    let mut lines = vec![match weights.vertices {
        0 => "No vertex has weight".to_owned(),
        _ => format!("{count}, at most {}", shown(weights.largest)),
    }];
    let hovered = session.hovered_weight();
    lines.extend(hovered.map(|weight| format!("At the pointer {}", shown(weight))));
    for line in lines {
        ui.label(RichText::new(line).size(11.0));
    }
}

/// Shows a card in a corner of a part of the picture, and returns its rectangle; `None` if there is no room. It ignores
/// the mouse, so that drags on it reach the model.
fn card_ui(
    ui: &Ui,
    picture: Rect,
    room: Rect,
    corner: Corner,
    contents: impl FnOnce(&mut Ui),
) -> Option<Rect> {
    let inner = room.shrink(MARGIN);
    let most = inner.width() - 24.0;
    if most < 60.0 || inner.height() < LEAST_HEIGHT {
        return None;
    }
    let align = match corner {
        Corner::LowerLeft => Align2::LEFT_BOTTOM,
        Corner::LowerRight => Align2::RIGHT_BOTTOM,
        Corner::UpperLeft => Align2::LEFT_TOP,
        Corner::UpperRight => Align2::RIGHT_TOP,
    };
    let area = Area::new(Id::unique("legend"))
        .order(Order::Middle)
        .fade_in(false)
        .interactable(false)
        .pivot(align)
        .fixed_pos(align.pos_in_rect(&inner));
    let shown = area.show(ui.ctx(), |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.spacing_mut().interact_size.y = 0.0;
        let width = (CARD * picture.width()).clamp(*CARD_WIDTHS.start(), *CARD_WIDTHS.end());
        ui.set_max_width(most.min(width));
        let card = Frame::new()
            .fill(theme::colors(ui).card.gamma_multiply(0.92))
            .stroke(Stroke::new(1.0, theme::colors(ui).line))
            .corner_radius(6)
            .inner_margin(Margin::symmetric(10, 7));
        card.show(ui, contents);
    });
    Some(shown.response.rect)
}
