//! What the import and the check have found: counts by level beside the file's name, and a list by level and rule.

use egui::text::{LayoutJob, TextFormat};
use egui::{Button, CollapsingHeader, Color32, FontId, RichText, ScrollArea, Ui};

use super::theme;
use super::timeline::jump;
use super::words::{counted, one_line};
use crate::check::Level;
use crate::import::Warning;
use crate::session::{
    Action, ClipFinding, Document, Item, LookAction, SelectionAction, Session, TimelineAction,
};

/// The size of the list in points.
const LIST: egui::Vec2 = egui::vec2(480.0, 340.0);

/// Findings of one rule that are listed, and the number of rules from which on they are folded at first.
const LISTED: usize = 100;
const FOLDED_FROM: usize = 6;

/// The levels, the worst first, with their signs.
const LEVELS: [(Level, &str, &str); 3] =
    [(Level::Error, "✖", "error"), (Level::Warning, "⚠", "warning"), (Level::Note, "ℹ", "note")];

/// A finding of the check, or a warning of the import.
#[derive(Clone, Copy)]
enum Found<'a> {
    Import(&'a Warning),
    Check(&'a ClipFinding),
}

impl Found<'_> {
    fn level(self) -> Level {
        match self {
            Found::Import(warning) if warning.is_hint() => Level::Note,
            Found::Import(_) => Level::Warning,
            Found::Check(finding) => finding.level,
        }
    }

    fn code(&self) -> &str {
        match self {
            Found::Import(warning) => warning.code.as_str(),
            Found::Check(finding) => &finding.code,
        }
    }

    fn line(self) -> String {
        one_line(&match self {
            Found::Import(warning) if warning.pointer.is_empty() => warning.message.clone(),
            Found::Import(warning) => format!("{} at {}", warning.message, warning.pointer),
            Found::Check(finding) => finding.message.clone(),
        })
    }

    /// Leads to the node, the vertices or the channel that it is about.
    fn lead(self, session: &Session, document: &Document, actions: &mut Vec<Action>) {
        match self {
            Found::Import(warning) => {
                let item = Item::at(&warning.pointer).filter(|item| item.is_in(&document.model));
                actions.extend(item.map(|item| SelectionAction::Select(Some(item)).into()));
            }
            Found::Check(finding) => jump(finding, session.playback(), actions),
        }
        // Faulty weights are marked at their vertices.
        let marks = session.look().aids.weight_marks;
        if self.code().starts_with("WEIGHT") && !marks {
            actions.push(LookAction::ToggleWeightMarks.into());
        }
    }
}

/// Returns all that was found: by the import, then by the check, if it has run.
fn all<'a>(session: &'a Session, document: &'a Document) -> impl Iterator<Item = Found<'a>> {
    let checked = session.timeline().findings(document).unwrap_or_default();
    document.warnings.iter().map(Found::Import).chain(checked.iter().map(Found::Check))
}

/// Shows the counts as a button that opens the list; before there are any, a button that checks the file.
pub(super) fn findings_ui(
    ui: &mut Ui,
    session: &Session,
    document: &Document,
    actions: &mut Vec<Action>,
) {
    let timeline = session.timeline();
    let counts =
        LEVELS.map(|(level, ..)| all(session, document).filter(|f| f.level() == level).count());
    if timeline.is_checking(document) {
        ui.weak("Checking…");
        return;
    }
    if counts == [0; 3] {
        match timeline.findings(document) {
            None => check_ui(ui, "Check", actions),
            Some(_) => drop(ui.weak("✔").on_hover_text("The check has found nothing")),
        }
        return;
    }
    let mut text = LayoutJob::default();
    let mut words = Vec::new();
    for ((level, sign, noun), count) in LEVELS.into_iter().zip(counts).filter(|(_, n)| *n > 0) {
        let gap = if words.is_empty() { 0.0 } else { 5.0 };
        let font_id = FontId::proportional(12.0);
        let format = TextFormat { font_id, color: color_of(ui, level), ..TextFormat::default() };
        text.append(&format!("{sign}{count}"), gap, format);
        words.push(counted(count, noun));
    }
    let words = words.join(", ");
    let button = ui.menu_button(text, |ui| list_ui(ui, session, document, actions)).response;
    button.accessible_name(format!("Findings: {words}")).on_hover_text(words);
}

fn check_ui(ui: &mut Ui, text: &str, actions: &mut Vec<Action>) {
    let button = ui.small_button(text).accessible_name("Check the file");
    if button.on_hover_text("Look for defects of rig and clips, as `rigview check` does").clicked()
    {
        actions.push(TimelineAction::Check.into());
    }
}

/// Shows the findings by level and rule. A click leads to what a finding is about.
fn list_ui(ui: &mut Ui, session: &Session, document: &Document, actions: &mut Vec<Action>) {
    ui.set_width(LIST.x.min(ui.ctx().content_rect().width() - 40.0));
    if session.timeline().findings(document).is_none() {
        ui.horizontal(|ui| {
            ui.label("Found while reading the file.");
            check_ui(ui, "Check rig and clips too", actions);
        });
    }
    let mut found: Vec<Found<'_>> = all(session, document).collect();
    found.sort_by(|a, b| b.level().cmp(&a.level()).then_with(|| a.code().cmp(b.code())));
    let rules: Vec<&[Found<'_>]> =
        found.chunk_by(|a, b| a.level() == b.level() && a.code() == b.code()).collect();
    let is_long = rules.len() >= FOLDED_FROM;
    ScrollArea::vertical().max_height(LIST.y).show(ui, |ui| {
        for of_level in rules.chunk_by(|a, b| a[0].level() == b[0].level()) {
            let level = of_level[0][0].level();
            let noun = LEVELS.iter().find(|(of, ..)| *of == level).map_or("finding", |(.., n)| n);
            let count = of_level.iter().map(|rule| rule.len()).sum();
            let title = RichText::new(counted(count, noun)).color(color_of(ui, level)).strong();
            ui.label(title);
            for rule in of_level {
                let title = format!("{} ({})", rule[0].code(), rule.len());
                let header = CollapsingHeader::new(title).default_open(!is_long);
                header.show_unindented(ui, |ui| {
                    for found in rule.iter().take(LISTED) {
                        if row_ui(ui, *found) {
                            found.lead(session, document, actions);
                            ui.close();
                        }
                    }
                    if let more @ 1.. = rule.len().saturating_sub(LISTED) {
                        ui.weak(format!("and {more} more; `rigview check` lists all"));
                    }
                });
            }
        }
    });
}

/// Shows a finding. Returns whether it was clicked.
fn row_ui(ui: &mut Ui, found: Found<'_>) -> bool {
    let line = found.line();
    let text = RichText::new(&line).size(12.0);
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    let button = Button::selectable(false, text).truncate().min_size(size);
    ui.add(button).accessible_name(&line).on_hover_text(line).clicked()
}

fn color_of(ui: &Ui, level: Level) -> Color32 {
    match level {
        Level::Note => theme::of(ui).text,
        Level::Warning => theme::of(ui).warning,
        Level::Error => theme::of(ui).error,
    }
}

#[cfg(test)]
mod tests {
    use egui::vec2;

    use crate::check::Level;
    use crate::session::sample::session;
    use crate::session::{ClipFinding, Effect, Item, Session, TimelineAction};
    use crate::ui::tests::{apply, click, says, window_of_size};

    /// Returns a session whose check has found an error of a clip, two notes of nodes, and a fault of weights.
    fn checked() -> Session {
        let mut session = session();
        let effects = session.apply(TimelineAction::Check);
        let [Effect::Check(request)] = &effects[..] else { panic!("{effects:?}") };
        let finding = |code: &str, level, item, clip, message: &str| ClipFinding {
            clip,
            item,
            node: None,
            time_secs: clip.map(|_| 0.5),
            level,
            code: code.to_owned(),
            message: message.to_owned(),
        };
        let found = vec![
            finding("NAME_TWICE", Level::Note, Some(Item::Node(0)), None, "a name"),
            finding("NAME_TWICE", Level::Note, Some(Item::Node(1)), None, "another name"),
            finding("WEIGHTS_LOW", Level::Warning, Some(Item::Node(1)), None, "weights"),
            finding("POP", Level::Error, None, Some(1), "a jump"),
        ];
        session.apply(TimelineAction::Checked(request.clone(), found));
        session
    }

    #[test]
    fn the_files_name_has_counts_by_level_which_open_a_list_by_rule() {
        let mut window = window_of_size(checked(), vec2(1280.0, 720.0));
        // The sample has a warning of the import.
        let button = "Findings: 1 error, 2 warnings, 2 notes";
        assert!(!says(&window, "NAME_TWICE (2)"));
        click(&mut window, button);
        for text in ["1 error", "POP (1)", "WEIGHTS_SUM (1)", "WEIGHTS_LOW (1)", "NAME_TWICE (2)"] {
            assert!(says(&window, text), "{text}");
        }
        assert_eq!(click(&mut window, "another name"), ["Selection(Select(Some(Node(1))))"]);
        click(&mut window, button);
        assert_eq!(click(&mut window, "a jump"), ["SelectClip(Some(1))", "Seek(0.5)"]);
        click(&mut window, button);
        let marked = ["Selection(Select(Some(Node(1))))", "ToggleWeightMarks"];
        assert_eq!(click(&mut window, "weights"), marked);
    }

    #[test]
    fn a_file_without_findings_offers_the_check() {
        let mut session = session();
        let mut loaded = crate::session::sample::loaded();
        loaded.warnings.clear();
        let effects = session.apply(crate::session::LoadAction::open("/rigs/clean.glb"));
        crate::session::sample::finish(&mut session, &effects, Ok(loaded));
        let mut window = window_of_size(session, vec2(1280.0, 720.0));
        assert_eq!(click(&mut window, "Check the file"), ["Timeline(Check)"]);
        let session = &mut window.state_mut().session;
        let effects = session.apply(TimelineAction::Check);
        let [Effect::Check(request)] = &effects[..] else { panic!("{effects:?}") };
        let request = request.clone();
        apply(&mut window, TimelineAction::Checked(request, Vec::new()));
        assert!(says(&window, "✔"));
    }
}
