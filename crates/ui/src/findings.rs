//! What the import and the check have found: counts by level beside the file's name, and a list by level and rule.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::text::{LayoutJob, TextFormat};
use egui::{
    Button, CollapsingHeader, Color32, FontId, PopupCloseBehavior, RichText, ScrollArea, Ui,
};

use super::section::section_ui;
use super::shortcuts::SAVE_FIXED;
use super::text::{counted, one_line};
use super::theme;
use super::timeline::jump;
use rigview_check::Level;
use rigview_import::Warning;
use rigview_model::three_digits;
use rigview_session::{
    Action, ClipFinding, CopyAction, CopyOf, Document, FileSource, Item, LookAction, MendAction,
    Mending, SelectionAction, Session, TimelineAction,
};

/// The size of the list in points, and its least width.
const LIST: egui::Vec2 = egui::vec2(480.0, 460.0);
const LEAST_WIDTH: f32 = 280.0;

/// The height in points that is left for what is above and below the list.
const BESIDE_LIST: f32 = 150.0;

/// Findings of one rule that are listed, and the number of rules from which on they are folded at first.
const LISTED: usize = 100;
const FOLDED_FROM: usize = 6;

/// The levels, the worst first, with their signs.
const LEVELS: [(Level, &str, &str); 3] =
    [(Level::Error, "✖", "error"), (Level::Warning, "⚠", "warning"), (Level::Note, "ℹ", "note")];

/// A finding of the check, or a warning of the import with its level in a file of this format.
#[derive(Clone, Copy)]
enum Found<'a> {
    Import(&'a Warning, Level),
    Check(&'a ClipFinding),
}

impl Found<'_> {
    fn level(self) -> Level {
        match self {
            Found::Import(_, level) => level,
            Found::Check(finding) => finding.level,
        }
    }

    fn code(&self) -> &str {
        match self {
            Found::Import(warning, _) => warning.code.as_str(),
            Found::Check(finding) => &finding.code,
        }
    }

    fn line(self) -> String {
        one_line(&match self {
            Found::Import(warning, _) if warning.pointer.is_empty() => warning.message.clone(),
            Found::Import(warning, _) => format!("{} at {}", warning.message, warning.pointer),
            Found::Check(finding) => finding.message.clone(),
        })
    }

    /// Leads to the node, the vertices or the channel that it is about.
    fn lead(self, session: &Session, document: &Document, actions: &mut Vec<Action>) {
        match self {
            Found::Import(warning, _) => {
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
    let format = &document.model.source.format;
    let warned = move |warning| Found::Import(warning, Level::of_import(warning.code, format));
    document.warnings.iter().map(warned).chain(checked.iter().map(Found::Check))
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
    // Rules are unfolded and fixed without closing the list.
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let menu = MenuButton::new(text).config(config);
    let (button, _) = menu.ui(ui, |ui| list_ui(ui, session, document, actions));
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
    // The right half of the picture, which shows the fixed copy, stays in sight.
    ui.set_width((0.5 * ui.ctx().content_rect().width()).clamp(LEAST_WIDTH, LIST.x));
    if session.timeline().findings(document).is_none() {
        ui.horizontal_wrapped(|ui| {
            ui.label("Found while reading the file.");
            check_ui(ui, "Check rig and clips too", actions);
        });
    }
    let mut found: Vec<Found<'_>> = all(session, document).collect();
    found.sort_by(|a, b| b.level().cmp(&a.level()).then_with(|| a.code().cmp(b.code())));
    let rules: Vec<&[Found<'_>]> =
        found.chunk_by(|a, b| a.level() == b.level() && a.code() == b.code()).collect();
    let is_long = rules.len() >= FOLDED_FROM;
    safe_ui(ui, session, document, &rules, actions);
    let most = (ui.ctx().content_rect().height() - BESIDE_LIST).clamp(100.0, LIST.y);
    // Without the least height, a list that grows keeps the height that it had at first.
    let mut leads = false;
    let area = ScrollArea::vertical().max_height(most).min_scrolled_height(most);
    area.show(ui, |ui| {
        for of_level in rules.chunk_by(|a, b| a[0].level() == b[0].level()) {
            let level = of_level[0][0].level();
            let noun = LEVELS.iter().find(|(of, ..)| *of == level).map_or("finding", |(.., n)| n);
            let count = of_level.iter().map(|rule| rule.len()).sum();
            let title = RichText::new(counted(count, noun)).color(color_of(ui, level)).strong();
            ui.label(title);
            for rule in of_level {
                let title = format!("{} ({})", rule[0].code(), rule.len());
                let header = CollapsingHeader::new(title).default_open(!is_long);
                section_ui(ui, header, |ui| {
                    fix_ui(ui, session, document, rule[0].code(), actions);
                    for found in rule.iter().take(LISTED) {
                        if row_ui(ui, *found) {
                            found.lead(session, document, actions);
                            leads = true;
                        }
                    }
                    if let more @ 1.. = rule.len().saturating_sub(LISTED) {
                        ui.weak(format!("and {more} more; `rigview check` lists all"));
                    }
                });
            }
        }
    });
    copy_ui(ui, session, actions);
    if leads {
        // Inside of a folded section, this would fold it.
        ui.close();
    }
}

/// Whether findings about a document can be fixed: its own, and not those of a fixed copy.
fn can_fix(document: &Document) -> bool {
    document.borrowed.is_none() && !matches!(document.source, FileSource::Mended { .. })
}

/// Shows a button that fixes what no reading of the specification objects to, if any of that was found.
fn safe_ui(
    ui: &mut Ui,
    session: &Session,
    document: &Document,
    rules: &[&[Found<'_>]],
    actions: &mut Vec<Action>,
) {
    let taken = session.mending().remedies();
    let is_left = |code: &str| {
        Mending::is_safe(code) && Mending::remedy_of(code).is_some_and(|r| !taken.contains(&r))
    };
    if !can_fix(document) || !rules.iter().any(|rule| is_left(rule[0].code())) {
        return;
    }
    let hint = "Mend in a copy what the specification forbids or players read differently, as `rigview fix` does";
    if ui.add(framed(ui, "Fix what is safe")).on_hover_text(hint).clicked() {
        actions.push(MendAction::TakeSafe.into());
    }
}

/// Shows the button that fixes the findings of a rule in a copy or takes that back, and what it does or did.
fn fix_ui(
    ui: &mut Ui,
    session: &Session,
    document: &Document,
    code: &str,
    actions: &mut Vec<Action>,
) {
    let Some(remedy) = Mending::remedy_of(code).filter(|_| can_fix(document)) else { return };
    let mending = session.mending();
    let taken = mending.remedies().contains(&remedy);
    let (text, outcome) = if taken {
        ("Unfix", outcome_of(mending, code))
    } else {
        ("Fix", not_fixed(mending, code).unwrap_or_else(|| remedy.does().to_owned()))
    };
    ui.horizontal_wrapped(|ui| {
        let button = ui.add(framed(ui, text).selected(taken).small());
        let button = button.accessible_name(format!("{text} {code}"));
        let hint = if taken {
            "Leave this out of the fixed copy"
        } else {
            "Fix this in a copy, which is shown beside the file; no file is written"
        };
        if button.on_hover_text(hint).clicked() {
            actions.push(MendAction::Toggle(remedy).into());
        }
        ui.label(RichText::new(outcome).size(12.0).color(theme::colors(ui).weak));
    });
}

/// Returns why the last try has fixed no finding with a code; `None` if it was not tried.
fn not_fixed(mending: &Mending, code: &str) -> Option<String> {
    let file = mending.result()?.as_ref().ok()?;
    let left = file.left.iter().find(|left| left.code == code)?;
    Some(format!("Not fixed: {}", one_line(&left.reason)))
}

/// Says what a remedy has changed and left.
fn outcome_of(mending: &Mending, code: &str) -> String {
    let file = match mending.result() {
        None => return "Fixing…".to_owned(),
        Some(Err(why)) => return one_line(why),
        Some(Ok(file)) => file,
    };
    let fixed = || file.fixed.iter().filter(|fixed| fixed.code == code);
    let left = file.left.iter().filter(|left| left.code == code);
    let mut parts = Vec::new();
    if fixed().next().is_some() {
        let count: usize = fixed().map(|fixed| fixed.count).sum();
        let most = fixed().map(|fixed| fixed.error_mm).fold(0.0, f64::max);
        parts.push(format!("{count} changed, {} mm at the skin", three_digits(most, 4)));
    }
    let mut reasons: Vec<&str> = left.map(|left| left.reason.as_str()).collect();
    reasons.dedup();
    parts.extend(reasons.iter().take(3).map(|reason| format!("left: {}", one_line(reason))));
    if parts.is_empty() { "Nothing to fix".to_owned() } else { parts.join("; ") }
}

/// Shows the fixed copy beside the file again, or saves it.
fn copy_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    if session.mending().remedies().is_empty() {
        return;
    }
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        let has_copy = session.mending().glb().is_some();
        let save = ui.add_enabled(has_copy, framed(ui, "Save as…"));
        let save = save.accessible_name("Save the fixed copy");
        if save.on_hover_text(SAVE_FIXED.hint(ui, "Write the fixed copy to a file")).clicked() {
            actions.push(CopyAction::Ask(CopyOf::Mended).into());
            ui.close();
        }
        let beside = session.compared().document();
        let shown = beside.is_some_and(|d| matches!(d.source, FileSource::Mended { .. }));
        let show = ui.add_enabled(has_copy && !shown, framed(ui, "Show beside"));
        let show = show.accessible_name("Show the fixed copy beside");
        if show.on_hover_text("Show the fixed copy beside the file").clicked() {
            actions.push(MendAction::Show.into());
        }
    });
}

/// Returns a button with a frame, which buttons of menus do not have.
fn framed(ui: &Ui, text: &'static str) -> Button<'static> {
    Button::new(text).stroke(egui::Stroke::new(1.0, theme::colors(ui).rail)).corner_radius(4)
}

/// Shows a finding. Returns whether it was clicked.
fn row_ui(ui: &mut Ui, found: Found<'_>) -> bool {
    let line = found.line();
    let text = RichText::new(&line).size(12.0);
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    let button = Button::selectable(false, text).truncate().min_size(size);
    ui.add(button).accessible_name(&line).on_hover_text(line).clicked()
}

/// Returns the sign of a level.
pub(super) fn sign_of(level: Level) -> &'static str {
    LEVELS.iter().find(|(of, ..)| *of == level).map_or("", |(_, sign, _)| sign)
}

/// Returns the colour of a level.
pub(super) fn color_of(ui: &Ui, level: Level) -> Color32 {
    match level {
        Level::Note => theme::colors(ui).text,
        Level::Warning => theme::colors(ui).warning,
        Level::Error => theme::colors(ui).error,
    }
}

#[cfg(test)]
mod tests {
    use egui::vec2;
    use egui_kittest::kittest::Queryable as _;

    use crate::tests::{apply, click, control, says, window_of_size};
    use rigview_check::Level;
    use rigview_session::sample::session;
    use rigview_session::{ClipFinding, Effect, Item, Session, TimelineAction};

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
        session.apply(TimelineAction::Checked(request.clone(), Ok(found)));
        session
    }

    #[test]
    fn the_files_name_has_counts_by_level_which_open_a_list_by_rule() {
        let mut window = window_of_size(checked(), vec2(1280.0, 720.0));
        // The sample has a warning of the import, which is an error of the check.
        let button = "Findings: 2 errors, 1 warning, 2 notes";
        assert!(!says(&window, "NAME_TWICE (2)"));
        assert!(says(&window, "✖1  1.00 s"), "the sign of the worst finding of the clip");
        click(&mut window, button);
        for text in ["2 errors", "POP (1)", "WEIGHTS_SUM (1)", "WEIGHTS_LOW (1)", "NAME_TWICE (2)"]
        {
            assert!(says(&window, text), "{text}");
        }
        assert_eq!(click(&mut window, "another name"), ["Selection(Select(Some(Node(1))))"]);
        // Rules with a remedy are fixed from the list, which stays open.
        click(&mut window, button);
        assert!(window.query_by_label("Fix WEIGHTS_LOW").is_none(), "it has no remedy");
        assert_eq!(click(&mut window, "Fix POP"), ["Mend(Toggle(Pop))"]);
        assert!(says(&window, "Removes a single key"));
        assert_eq!(click(&mut window, "Fix what is safe"), ["Mend(TakeSafe)"]);
        assert!(says(&window, "NAME_TWICE (2)"));
        assert_eq!(click(&mut window, "a jump"), ["SelectClip(Some(1))", "Seek(0.5)"]);
        click(&mut window, button);
        let marked = ["Selection(Select(Some(Node(1))))", "ToggleWeightMarks"];
        assert_eq!(click(&mut window, "weights"), marked);
    }

    #[test]
    fn the_worst_level_is_first_in_the_list() {
        let mut window = window_of_size(checked(), vec2(1280.0, 720.0));
        click(&mut window, "Findings: 2 errors, 1 warning, 2 notes");
        let rules = ["POP (1)", "WEIGHTS_SUM (1)", "WEIGHTS_LOW (1)", "NAME_TWICE (2)"];
        let tops = rules.map(|rule| control(&window, rule).rect().top());
        assert!(tops.is_sorted(), "{tops:?}");
    }

    #[test]
    fn a_warning_of_the_import_leads_to_its_node() {
        let mut session = session();
        let mut loaded = rigview_session::sample::loaded();
        loaded.warnings[0].code = rigview_import::WarningCode::ChannelOdd;
        loaded.warnings[0].pointer = "/nodes/1/name".into();
        let effects = session.apply(rigview_session::LoadAction::open("/rigs/odd.glb"));
        rigview_session::sample::finish(&mut session, &effects, Ok(loaded));
        let mut window = window_of_size(session, vec2(1280.0, 720.0));
        click(&mut window, "Findings: 1 warning");
        let row = "weights sum to 0.98 at /nodes/1/name";
        assert_eq!(click(&mut window, row), ["Selection(Select(Some(Node(1))))"]);
    }

    #[test]
    fn the_list_leaves_the_fixed_copy_in_sight() {
        for size in [vec2(640.0, 400.0), vec2(1280.0, 720.0)] {
            let mut window = window_of_size(checked(), size);
            click(&mut window, "Findings: 2 errors, 1 warning, 2 notes");
            let row = control(&window, "a jump").rect();
            let picture = window.state().picture;
            assert!(row.right() + 10.0 < picture.center().x, "{size}: {row} {picture}");
            assert!(row.width() > 250.0, "{size}: {row}");
        }
    }

    #[test]
    fn a_file_without_findings_offers_the_check() {
        let mut session = session();
        let mut loaded = rigview_session::sample::loaded();
        loaded.warnings.clear();
        let effects = session.apply(rigview_session::LoadAction::open("/rigs/clean.glb"));
        rigview_session::sample::finish(&mut session, &effects, Ok(loaded));
        let mut window = window_of_size(session, vec2(1280.0, 720.0));
        assert_eq!(click(&mut window, "Check the file"), ["Timeline(Check)"]);
        let session = &mut window.state_mut().session;
        let effects = session.apply(TimelineAction::Check);
        let [Effect::Check(request)] = &effects[..] else { panic!("{effects:?}") };
        let request = request.clone();
        apply(&mut window, TimelineAction::Checked(request, Ok(Vec::new())));
        assert!(says(&window, "✔"));
    }
}
