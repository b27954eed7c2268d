//! The commands of the palette: those of the table of shortcuts, those without a key, and those made from the session.

use super::choosers::{FREE_CAMERA, camera_names};
use super::keymap::Keymap;
use super::light::preset_label;
use super::look::pass_label;
use super::shortcuts::GROUPS;
use super::text::one_line;
use super::timing::quality_label;
use rigview_anim::Repeat;
use rigview_look::{Pass, Preset};
use rigview_model::SkinForm;
use rigview_session::{
    Action, BasePose, CameraAction, CopyAction, CopyOf, DesktopAction, Destination, EngineAction,
    FileQuestion, Item, LoadAction, LookAction, MendAction, MotionQuality, Playback,
    PlaybackAction, PoseAction, SelectionAction, Session, ThemeChoice,
};

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// The title, unique among all commands unless files or clips share a name.
    pub title: String,
    /// The keys; empty for none.
    pub keys: String,
    pub action: Action,
}

/// Returns what a command does to a playback.
type Make = fn(&Playback) -> Action;

/// The commands without a key.
const KEYLESS: &[(&str, Make)] = &[
    ("Use an environment…", |_| Action::Ask(FileQuestion::Open(Destination::Light))),
    ("Automatic exposure on", |_| LookAction::SetAutoExposure(true).into()),
    ("Automatic exposure off", |_| LookAction::SetAutoExposure(false).into()),
    ("Repeat: loop", |_| PlaybackAction::SetRepeat(Repeat::Loop).into()),
    ("Repeat: once", |_| PlaybackAction::SetRepeat(Repeat::Once).into()),
    ("Repeat: ping-pong", |_| PlaybackAction::SetRepeat(Repeat::PingPong).into()),
    ("Speed: half", |_| PlaybackAction::SetSpeed(0.5).into()),
    ("Speed: normal", |_| PlaybackAction::SetSpeed(1.0).into()),
    ("Speed: double", |_| PlaybackAction::SetSpeed(2.0).into()),
    ("Reset the whole pose", |_| PoseAction::ResetAll.into()),
    ("Save the pose…", |_| PoseAction::Save.into()),
    ("Load a pose…", |_| PoseAction::Load.into()),
    ("Export the pose as a clip…", |_| CopyAction::Ask(CopyOf::PoseAsClip).into()),
    ("Export the pose as the rest pose…", |_| CopyAction::Ask(CopyOf::PoseAsRest).into()),
    ("Fix what is safe in a copy", |_| MendAction::TakeSafe.into()),
    ("Shown pose: the clip", |_| PoseAction::SetBase(BasePose::Clip).into()),
    ("Shown pose: the clip at 0 s", |_| PoseAction::SetBase(BasePose::ClipStart).into()),
    ("Shown pose: rest pose", |_| PoseAction::SetBase(BasePose::Rest).into()),
    ("Shown pose: bind pose", |_| PoseAction::SetBase(BasePose::Bind).into()),
    ("Stand the model up, or lay it down", |_| PlaybackAction::ToggleStoodUp.into()),
];

/// Returns all commands for a session.
pub(super) fn commands(session: &Session) -> Vec<Command> {
    let keymap = Keymap::new(session.desktop().keys());
    let playback = session.playback();
    let mut commands = Vec::new();
    for line in GROUPS.iter().flat_map(|group| group.lines) {
        for shortcut in line.shortcuts {
            let (title, keys) = (shortcut.title(line), keymap.name_of(shortcut));
            match commands.iter_mut().find(|command: &&mut Command| command.title == title) {
                Some(same) if keys.is_empty() || same.keys.is_empty() => same.keys += &keys,
                Some(same) => same.keys += &format!(", {keys}"),
                None => commands.push(Command { title, keys, action: shortcut.action(playback) }),
            }
        }
    }
    let mut add = |title: String, action: Action| {
        commands.push(Command { title, keys: String::new(), action });
    };
    for (title, action) in KEYLESS {
        add((*title).to_owned(), action(playback));
    }
    for (title, form) in engine_limits() {
        add(format!("Engine limits: {title}"), EngineAction::SetSkinForm(form).into());
    }
    if session.desktop().recording().is_some() {
        add("Cancel the recording".into(), DesktopAction::CancelRecording.into());
    }
    for theme in ThemeChoice::ALL {
        add(format!("Theme: {}", theme.name()), DesktopAction::SetTheme(theme).into());
    }
    for quality in MotionQuality::ALL {
        let shown = quality_label(quality);
        add(format!("While moving: {shown}"), DesktopAction::SetQuality(quality).into());
    }
    for preset in Preset::ALL {
        add(format!("Look: {}", preset_label(preset)), LookAction::SetPreset(preset).into());
    }
    for pass in Pass::ALL {
        add(format!("Show: {}", pass_label(pass)), LookAction::SetPass(pass).into());
    }
    add_clips(playback, &mut add);
    add_cameras(playback, &mut add);
    for path in session.desktop().recent() {
        let shown = one_line(&path.to_string_lossy());
        add(format!("Recent: {shown}"), LoadAction::open(path).into());
    }
    commands
}

/// The forms of skins that engines often have.
fn engine_limits() -> [(&'static str, SkinForm); 5] {
    let file = SkinForm::default();
    [
        ("as in the file", file),
        ("8 influences", SkinForm { influences: 8, ..file }),
        ("4 influences", SkinForm { influences: 4, ..file }),
        ("weights of 16 bits", SkinForm { weight_bits: 16, ..file }),
        ("weights of 8 bits", SkinForm { weight_bits: 8, ..file }),
    ]
}

/// Adds the nodes whose names match words, of a file with many of them only the first ones.
pub(super) fn nodes(session: &Session, words: &str) -> Vec<(u32, Command)> {
    /// Most nodes that are looked at in a frame, and most that are listed.
    const MOST: usize = 20_000;
    const MOST_FOUND: usize = 50;
    let Some(document) = session.playback().document().filter(|_| !words.trim().is_empty()) else {
        return Vec::new();
    };
    let found = (0..document.model.nodes.len().min(MOST)).filter_map(|node| {
        let title = format!("Node: {}", one_line(&document.model.node_name(node)));
        let rank = rank(&title, words)?;
        let action = SelectionAction::Select(Some(Item::Node(node))).into();
        Some((rank, Command { title, keys: String::new(), action }))
    });
    let mut found: Vec<(u32, Command)> = found.collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.truncate(MOST_FOUND);
    found
}

fn add_clips(playback: &Playback, add: &mut impl FnMut(String, Action)) {
    let Some(document) = playback.document() else { return };
    for (clip, name) in document.clip_names.iter().enumerate() {
        add(format!("Clip: {}", one_line(name)), PlaybackAction::SelectClip(Some(clip)).into());
    }
    if document.all_clips_index() > 1 {
        let all = Some(document.all_clips_index());
        add("Clip: all at once".into(), PlaybackAction::SelectClip(all).into());
    }
    add("Clip: rest pose".into(), PlaybackAction::SelectClip(None).into());
}

fn add_cameras(playback: &Playback, add: &mut impl FnMut(String, Action)) {
    let cameras = camera_names(playback);
    if !cameras.is_empty() {
        add(format!("Camera: {FREE_CAMERA}"), CameraAction::SelectCamera(None).into());
    }
    for (camera, name) in cameras {
        add(format!("Camera: {name}"), CameraAction::SelectCamera(Some(camera)).into());
    }
}

/// Returns how well a title matches words: the lower, the better; `None` if a word does not match. A word matches best
/// as a whole word, then at the title's start, then at the start of another word, then anywhere, then with letters left
/// out between its own.
pub(super) fn rank(title: &str, words: &str) -> Option<u32> {
    let title: Vec<char> = title.chars().flat_map(char::to_lowercase).collect();
    words.split_whitespace().map(|word| rank_of_word(&title, word)).sum()
}

fn rank_of_word(title: &[char], word: &str) -> Option<u32> {
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let starts = |at: usize| at == 0 || !title[at - 1].is_alphanumeric();
    let mut found = None;
    for (at, _) in title.windows(word.len()).enumerate().filter(|(_, part)| *part == word) {
        let end = at + word.len();
        let rank = match (at, starts(at)) {
            (_, true) if end == title.len() || !title[end].is_alphanumeric() => 0,
            (0, _) => 1,
            (_, true) => 2,
            (_, false) => 3,
        };
        found = Some(found.map_or(rank, |best: u32| best.min(rank)));
    }
    found.or_else(|| Some(4 + left_out(title, &word)?))
}

/// Returns the number of letters that a title has between those of a word, which it must have in the same order.
fn left_out(title: &[char], word: &[char]) -> Option<u32> {
    let (mut at, mut gaps) = (0, 0);
    for (i, letter) in word.iter().enumerate() {
        let next = title[at..].iter().position(|own| own == letter)?;
        // Letters before the first one of the word are no gap.
        gaps += if i == 0 { 0 } else { next };
        at += next + 1;
    }
    u32::try_from(gaps).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use rigview_session::sample::session;

    #[test]
    fn every_command_has_a_title_of_its_own() {
        let commands = commands(&session());
        let mut titles = BTreeSet::new();
        for command in &commands {
            let title = &command.title;
            assert!(!title.trim().is_empty() && titles.insert(title), "{title:?} is there twice");
        }
        let keys = |title: &str| {
            let found = commands.iter().find(|command| command.title == title);
            found.unwrap_or_else(|| panic!("no {title:?} in {titles:?}")).keys.clone()
        };
        assert_eq!(keys("Next clip"), "]");
        assert_eq!(keys("Keyboard and mouse"), "H, ?, F1");
        assert_eq!(keys("Save a picture"), "F12");
        for title in ["Clip: Walk", "Clip: rest pose", "Show: Normals", "Look: Clay"] {
            assert_eq!(keys(title), "");
        }
    }

    #[test]
    fn words_match_best_at_the_start_of_words() {
        assert_eq!(rank("Save a picture", ""), Some(0));
        assert_eq!(rank("Save a picture", "SAVE pic"), Some(2));
        assert_eq!(rank("Save a picture", "sav"), Some(1));
        assert_eq!(rank("Save a picture", "ave"), Some(3));
        assert_eq!(rank("Save a picture", "spc"), Some(4 + 7));
        // A whole word comes before the start of a longer one.
        assert!(rank("Clip: Run", "run") < rank("Runway", "run"));
        assert_eq!(rank("Save a picture", "save x"), None);
        assert_eq!(rank("Clip: 歩く", "歩"), Some(2));
        assert_eq!(rank("Axes", "axes of the scene"), None);
    }
}
