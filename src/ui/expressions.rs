//! Expressions of a VRM file, and what the file says of itself.

use egui::{RichText, Slider, Ui};

use super::theme;
use super::words::one_line;
use crate::model::VrmMeta;
use crate::session::{Action, Playback, PlaybackAction};

/// If the file is a VRM file: shows title, author and licence, and a slider per expression.
pub(super) fn expressions_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let Some(vrm) = playback.document().and_then(|document| document.model.vrm.as_ref()) else {
        return;
    };
    let about = RichText::new(one_line(&about(&vrm.meta))).size(12.0).color(theme::of(ui).weak);
    ui.add(egui::Label::new(about).wrap()).on_hover_text(terms(&vrm.meta));
    if vrm.expressions.is_empty() {
        return;
    }
    let title = format!("Expressions ({})", vrm.expressions.len());
    egui::CollapsingHeader::new(title).id_salt("expressions").show_unindented(ui, |ui| {
        for (index, expression) in vrm.expressions.iter().enumerate() {
            let name = one_line(&expression.name);
            let mut weight = playback.expression(index);
            let slider = Slider::new(&mut weight, 0.0..=1.0).text(name);
            let hint = match expression.is_binary {
                true => "On above 0.5; morph targets only, colours and textures as in pictures with --expression",
                false => "Morph targets only; colours and textures as in pictures with --expression",
            };
            if ui.add(slider).on_hover_text(hint).changed() {
                actions.push(PlaybackAction::Express(index, weight).into());
            }
        }
    });
}

/// Returns title, authors and licence in one line.
fn about(meta: &VrmMeta) -> String {
    let title = meta.name.as_deref().unwrap_or("An avatar without a title");
    let authors = match &meta.authors[..] {
        [] => String::new(),
        authors => format!(" by {}", authors.join(", ")),
    };
    let licence = meta.licence.as_deref().unwrap_or("no licence is stated");
    format!("{title}{authors}; {licence}")
}

fn terms(meta: &VrmMeta) -> String {
    let lines = meta.terms.iter().map(|(name, value)| one_line(&format!("{name}: {value}")));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_title_authors_and_licence() {
        let meta = VrmMeta {
            name: Some("Ann".into()),
            authors: vec!["B".into(), "C".into()],
            licence: Some("CC0".into()),
            terms: vec![("modification".into(), "prohibited".into())],
        };
        assert_eq!(about(&meta), "Ann by B, C; CC0");
        assert_eq!(terms(&meta), "modification: prohibited");
        assert!(about(&VrmMeta::default()).ends_with("no licence is stated"));
    }
}
