//! The table of shortcuts. Key handling, the help panel, hover texts and the table of docs/keys.md are made from it.

use egui::Key;

use super::key_name::HeldKeys;
use super::key_name::key_name;
use rigview_session::{
    Action, CameraAction, ComparedAction, CopyAction, CopyOf, DesktopAction, Destination,
    FileQuestion, HiddenAction, LoadAction, LookAction, Mark, MeasureAction, Playback,
    PlaybackAction, PoseAction, Side, Tool, WindowPart,
};

/// A key and its action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shortcut {
    pub held: HeldKeys,
    pub key: Key,
    action: fn(&Playback) -> Action,
    /// What it does, in the command palette, where its line describes several shortcuts; else empty.
    title: &'static str,
}

/// A line of the table: related shortcuts, or something that the mouse does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// What the mouse does; precedes the keys.
    pub mouse: &'static str,
    pub shortcuts: &'static [Shortcut],
    pub what: &'static str,
}

/// Related lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub title: &'static str,
    pub lines: &'static [Line],
}

const fn plain(key: Key, action: fn(&Playback) -> Action) -> Shortcut {
    Shortcut { held: HeldKeys::None, key, action, title: "" }
}

const fn shift(key: Key, action: fn(&Playback) -> Action) -> Shortcut {
    Shortcut { held: HeldKeys::Shift, key, action, title: "" }
}

const fn ctrl(key: Key, action: fn(&Playback) -> Action) -> Shortcut {
    Shortcut { held: HeldKeys::Ctrl, key, action, title: "" }
}

const fn any(key: Key, action: fn(&Playback) -> Action) -> Shortcut {
    Shortcut { held: HeldKeys::Any, key, action, title: "" }
}

const fn keys(shortcuts: &'static [Shortcut], what: &'static str) -> Line {
    Line { mouse: "", shortcuts, what }
}

const fn mouse(mouse: &'static str, what: &'static str) -> Line {
    Line { mouse, shortcuts: &[], what }
}

// Shortcuts that buttons and checkboxes have too.
pub(super) const PLAY: Shortcut = plain(Key::Space, |_| PlaybackAction::TogglePlay.into());
pub(super) const FRAME_BACK: Shortcut =
    plain(Key::ArrowLeft, |_| PlaybackAction::StepFrames(-1).into());
pub(super) const FRAME_ON: Shortcut =
    plain(Key::ArrowRight, |_| PlaybackAction::StepFrames(1).into());
pub(super) const FIRST_FRAME: Shortcut = plain(Key::Home, |_| PlaybackAction::Seek(0.0).into());
pub(super) const LAST_FRAME: Shortcut =
    plain(Key::End, |playback| PlaybackAction::Seek(playback.duration_secs()).into());
pub(super) const FRAME: Shortcut = plain(Key::F, |_| Action::FrameSelection);
pub(super) const FRAME_ALL: Shortcut = shift(Key::F, |_| CameraAction::FrameAll.into());
pub(super) const RESET_CAMERA: Shortcut = plain(Key::Num0, |_| CameraAction::ResetCamera.into());
pub(super) const ORTHOGRAPHIC: Shortcut =
    plain(Key::Num5, |_| CameraAction::ToggleOrthographic.into());
pub(super) const FOLLOW: Shortcut = shift(Key::J, |_| CameraAction::ToggleFollow.into());
pub(super) const TURNTABLE: Shortcut = shift(Key::R, |_| CameraAction::ToggleTurntable.into());
pub(super) const SKELETON: Shortcut = plain(Key::K, |_| LookAction::ToggleSkeleton.into());
pub(super) const PANELS: Shortcut = plain(Key::U, |_| Action::TogglePanels);
pub(super) const JOINT_NAMES: Shortcut = plain(Key::N, |_| LookAction::ToggleJointNames.into());
pub(super) const TRAIL: Shortcut = plain(Key::M, |_| LookAction::ToggleTrail.into());
pub(super) const ONION_SKIN: Shortcut = shift(Key::M, |_| LookAction::ToggleOnionSkin.into());
pub(super) const JOINT_WEIGHTS: Shortcut = plain(Key::J, |_| LookAction::ToggleWeights.into());
pub(super) const MEASURE: Shortcut = plain(Key::L, |_| MeasureAction::Toggle.into());
pub(super) const GRID: Shortcut = plain(Key::G, |_| LookAction::ToggleGrid.into());
pub(super) const AXES: Shortcut = plain(Key::X, |_| LookAction::ToggleAxes.into());
pub(super) const BOUNDS: Shortcut = plain(Key::B, |_| LookAction::ToggleBounds.into());
pub(super) const NEXT_PASS: Shortcut = plain(Key::V, |_| LookAction::NextPass.into());
pub(super) const SCENE: Shortcut = plain(Key::T, |_| Action::TogglePart(WindowPart::Scene));
pub(super) const CLIPS: Shortcut = plain(Key::C, |_| Action::TogglePart(WindowPart::Clips));
pub(super) const VIEW_SETTINGS: Shortcut = plain(Key::S, |_| Action::TogglePart(WindowPart::View));
pub(super) const INSPECTOR: Shortcut = plain(Key::P, |_| Action::TogglePart(WindowPart::Inspector));
pub(super) const TIME_LINE: Shortcut = shift(Key::T, |_| Action::TogglePart(WindowPart::TimeLine));
pub(super) const CURVES: Shortcut = shift(Key::C, |_| Action::TogglePart(WindowPart::Curves));
pub(super) const COMPARED: Shortcut = plain(Key::D, |_| Action::TogglePart(WindowPart::Compared));
/// The keys that open and close the parts of the window.
pub(super) const PARTS: [(WindowPart, Shortcut); 7] = [
    (WindowPart::Scene, SCENE),
    (WindowPart::Clips, CLIPS),
    (WindowPart::View, VIEW_SETTINGS),
    (WindowPart::Inspector, INSPECTOR),
    (WindowPart::TimeLine, TIME_LINE),
    (WindowPart::Curves, CURVES),
    (WindowPart::Compared, COMPARED),
];
pub(super) const NEXT_TOGETHER: Shortcut = shift(Key::D, |_| ComparedAction::Next.into());
pub(super) const BESIDE: Shortcut =
    ctrl(Key::D, |_| Action::Ask(FileQuestion::Open(Destination::Beside)));
pub(super) const HIDE: Shortcut = ctrl(Key::H, |_| HiddenAction::ToggleSelected.into());
pub(super) const SOLO: Shortcut = shift(Key::H, |_| HiddenAction::ToggleSoloSelected.into());
pub(super) const PALETTE: Shortcut = ctrl(Key::P, |_| DesktopAction::TogglePalette.into());
pub(super) const FIND_NODE: Shortcut = ctrl(Key::F, |_| DesktopAction::FindNode.into());
pub(super) const HELP: Shortcut = plain(Key::H, |_| Action::ToggleHelp);
pub(super) const OPEN: Shortcut =
    ctrl(Key::O, |_| Action::Ask(FileQuestion::Open(Destination::Shown)));
pub(super) const SAVE_FIXED: Shortcut = Shortcut {
    held: HeldKeys::CtrlShift,
    key: Key::S,
    action: |_| CopyAction::Ask(CopyOf::Mended).into(),
    title: "Save the fixed copy…",
};
pub(super) const CLOSE: Shortcut = plain(Key::Escape, |_| Action::Escape);

pub(super) const SELECT: Shortcut = plain(Key::Q, |_| PoseAction::SetTool(Tool::Select).into());
pub(super) const MOVE: Shortcut = plain(Key::W, |_| PoseAction::SetTool(Tool::Move).into());
pub(super) const ROTATE: Shortcut = plain(Key::E, |_| PoseAction::SetTool(Tool::Rotate).into());
pub(super) const SCALE: Shortcut = plain(Key::R, |_| PoseAction::SetTool(Tool::Scale).into());
pub(super) const NEXT_AXES: Shortcut = plain(Key::A, |_| PoseAction::NextAxes.into());
pub(super) const UNDO: Shortcut = ctrl(Key::Z, |_| PoseAction::Undo.into());
pub(super) const REDO: Shortcut = ctrl(Key::Y, |_| PoseAction::Redo.into());

fn mark_here(mark: Mark, playback: &Playback) -> Action {
    PlaybackAction::SetMark(mark, Some(playback.time_secs())).into()
}

const TIME: &[Line] = &[
    keys(&[PLAY], "play or pause"),
    keys(
        &[FRAME_BACK.titled("One frame back"), FRAME_ON.titled("One frame forward")],
        "step one frame",
    ),
    keys(
        &[
            plain(Key::ArrowDown, |_| PlaybackAction::StepFrames(-10).into())
                .titled("Ten frames back"),
            plain(Key::ArrowUp, |_| PlaybackAction::StepFrames(10).into())
                .titled("Ten frames forward"),
        ],
        "step ten frames",
    ),
    keys(
        &[
            shift(Key::ArrowLeft, |_| PlaybackAction::StepKeys(-1).into())
                .titled("Previous keyframe"),
            shift(Key::ArrowRight, |_| PlaybackAction::StepKeys(1).into()).titled("Next keyframe"),
        ],
        "previous, next keyframe",
    ),
    keys(
        &[FIRST_FRAME.titled("First frame"), LAST_FRAME.titled("Last frame")],
        "first, last frame",
    ),
    keys(
        &[
            any(Key::OpenBracket, |_| PlaybackAction::PreviousClip.into()).titled("Previous clip"),
            any(Key::CloseBracket, |_| PlaybackAction::NextClip.into()).titled("Next clip"),
        ],
        "previous, next clip",
    ),
    keys(
        &[
            plain(Key::I, |playback| mark_here(Mark::In, playback)).titled("Set the in point"),
            plain(Key::O, |playback| mark_here(Mark::Out, playback)).titled("Set the out point"),
        ],
        "set the in, out point",
    ),
    keys(
        &[
            shift(Key::I, |_| PlaybackAction::SetMark(Mark::In, None).into())
                .titled("Remove the in point"),
            shift(Key::O, |_| PlaybackAction::SetMark(Mark::Out, None).into())
                .titled("Remove the out point"),
        ],
        "remove the in, out point",
    ),
];

const POSE: &[Line] = &[
    keys(&[SELECT], "select, without a tool"),
    keys(
        &[
            MOVE.titled("Move the selection"),
            ROTATE.titled("Rotate the selection"),
            SCALE.titled("Scale the selection"),
        ],
        "move, rotate, scale the selection",
    ),
    keys(&[NEXT_AXES], "next axes of the tool"),
    mouse("Shift, Ctrl + tool", "slow, snap"),
    keys(
        &[
            UNDO.titled("Undo"),
            REDO.titled("Redo"),
            Shortcut { held: HeldKeys::CtrlShift, key: Key::Z, ..REDO }.titled("Redo"),
        ],
        "undo, redo",
    ),
];

const CAMERA: &[Line] = &[
    mouse("Left drag", "orbit"),
    mouse("Right or middle drag", "pan"),
    mouse("Shift + left drag", "pan"),
    mouse("Wheel, pinch", "zoom to the pointer"),
    mouse("Double click", "frame what is there"),
    mouse("Ctrl + double click", "orbit this point"),
    mouse("Right click", "menu of the node"),
    keys(&[FRAME], "frame the selection, else the model"),
    keys(&[FRAME_ALL], "frame the model"),
    keys(
        &[Shortcut {
            held: HeldKeys::CtrlShift,
            key: Key::F,
            action: |_| CameraAction::FramePose.into(),
            title: "",
        }],
        "frame this pose",
    ),
    keys(&[RESET_CAMERA], "reset the camera"),
    keys(
        &[
            plain(Key::Num1, |_| CameraAction::LookFrom(Side::Front).into())
                .titled("Look from the front"),
            plain(Key::Num3, |_| CameraAction::LookFrom(Side::Right).into())
                .titled("Look from the right"),
            plain(Key::Num7, |_| CameraAction::LookFrom(Side::Top).into())
                .titled("Look from the top"),
        ],
        "front, right, top",
    ),
    keys(
        &[
            ctrl(Key::Num1, |_| CameraAction::LookFrom(Side::Back).into())
                .titled("Look from the back"),
            ctrl(Key::Num3, |_| CameraAction::LookFrom(Side::Left).into())
                .titled("Look from the left"),
            ctrl(Key::Num7, |_| CameraAction::LookFrom(Side::Bottom).into())
                .titled("Look from the bottom"),
        ],
        "back, left, bottom",
    ),
    keys(&[ORTHOGRAPHIC], "orthographic"),
    keys(
        &[FOLLOW.titled("Follow the selection"), TURNTABLE.titled("Turntable")],
        "follow the selection, turn",
    ),
    mouse("Right button + WASD, QE", "fly; the wheel sets the speed"),
];

const VIEW: &[Line] = &[
    mouse("Click", "select a node, a vertex, a bone"),
    mouse("Alt + click, second click", "select the joint there"),
    keys(
        &[SKELETON.titled("Skeleton"), JOINT_NAMES.titled("Joint names")],
        "skeleton, joint names",
    ),
    keys(
        &[TRAIL.titled("Path of the selection"), ONION_SKIN.titled("Onion skin")],
        "path of the selection, onion skin",
    ),
    keys(&[JOINT_WEIGHTS], "weights of the selected joint"),
    keys(&[MEASURE], "measure between two points"),
    keys(
        &[GRID.titled("Grid"), AXES.titled("Axes"), BOUNDS.titled("Bounds")],
        "grid, axes, bounds",
    ),
    keys(&[NEXT_PASS], "next pass"),
    keys(&[SCENE.titled("Scene tree"), INSPECTOR.titled("Inspector")], "scene tree, inspector"),
    keys(&[CLIPS.titled("Clips"), VIEW_SETTINGS.titled("View settings")], "clips, view settings"),
    keys(&[TIME_LINE.titled("Time line"), CURVES.titled("Curves")], "time line, curves"),
    keys(
        &[COMPARED.titled("Comparison"), NEXT_TOGETHER.titled("Next way to compare")],
        "comparison, next way to compare",
    ),
    keys(
        &[HIDE.titled("Hide the selection"), SOLO.titled("Solo the selection")],
        "hide, solo the selection",
    ),
    keys(&[PANELS], "hide the panels"),
    keys(
        &[
            HELP.titled("Keyboard and mouse"),
            any(Key::Questionmark, |_| Action::ToggleHelp).titled("Keyboard and mouse"),
            any(Key::F1, |_| Action::ToggleHelp).titled("Keyboard and mouse"),
        ],
        "show this table",
    ),
    keys(&[FIND_NODE], "find a node in the tree"),
    keys(&[PALETTE], "find a command"),
    keys(&[plain(Key::F11, |_| Action::ToggleFullScreen)], "full screen"),
];

const FILE: &[Line] = &[
    Line {
        mouse: "Drop",
        shortcuts: &[OPEN.titled("Open a file")],
        what: "open a model, folder, .hdr",
    },
    mouse("Shift + drop", "take the file's clips"),
    Line {
        mouse: "Ctrl + drop",
        shortcuts: &[BESIDE.titled("Open a file beside")],
        what: "compare with the file",
    },
    keys(
        &[
            plain(Key::PageUp, |_| LoadAction::StepFiles(-1).into()).titled("Previous file"),
            plain(Key::PageDown, |_| LoadAction::StepFiles(1).into()).titled("Next file"),
        ],
        "previous, next file",
    ),
    keys(&[plain(Key::F5, |_| LoadAction::Reload.into())], "read the file again"),
    keys(&[plain(Key::F12, |_| Action::SavePicture { bare: false })], "save a picture"),
    keys(
        &[ctrl(Key::F12, |_| Action::SavePicture { bare: true })
            .titled("Save a transparent picture")],
        "the same, transparent",
    ),
    keys(
        &[ctrl(Key::S, |_| Action::Ask(FileQuestion::SaveSession)).titled("Save the session…")],
        "save the session",
    ),
    keys(&[SAVE_FIXED], "save the fixed copy"),
    keys(
        &[ctrl(Key::R, |_| Action::Ask(FileQuestion::Record)).titled("Record the clip…")],
        "record the clip",
    ),
    keys(&[ctrl(Key::C, |_| Action::CopyPicture)], "copy a picture"),
    keys(
        &[shift(Key::F12, |_| DesktopAction::CopyCommandLine.into())
            .titled("Copy as command line")],
        "copy the command that draws it",
    ),
    keys(&[CLOSE], "close, cancel a load, select nothing"),
    keys(&[ctrl(Key::Q, |_| Action::Quit)], "quit"),
];

/// The table.
pub(super) const GROUPS: [Group; 5] = [
    Group { title: "Time", lines: TIME },
    Group { title: "Pose", lines: POSE },
    Group { title: "Camera", lines: CAMERA },
    Group { title: "View", lines: VIEW },
    Group { title: "File", lines: FILE },
];

impl Shortcut {
    /// Returns the shortcut with a title of its own.
    const fn titled(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// Returns what it does: its own title, or else what its line says.
    pub fn title(&self, line: &Line) -> String {
        match (self.title, line.shortcuts) {
            ("", [_]) => capitalised(line.what),
            ("", _) => format!("{}: {}", capitalised(line.what), key_name(self.key)),
            (title, _) => title.to_owned(),
        }
    }

    /// Returns what the shortcut does to a playback.
    pub fn action(&self, playback: &Playback) -> Action {
        (self.action)(playback)
    }

    /// Whether the action repeats while the key is held.
    pub fn repeats(&self) -> bool {
        matches!(self.key, Key::ArrowLeft | Key::ArrowRight | Key::ArrowUp | Key::ArrowDown)
    }
}

/// Returns a text with a capital first letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
