//! How a person poses by hand: the tool in use, its axes, and the actions.

pub(super) mod base_pose;
pub(super) mod hand_pose;
pub(super) mod history;
#[cfg(test)]
mod tests;

use base_pose::BasePose;
use hand_pose::{HandField, HandValue};
use rigview_report::GivenPose;

rigview_anim::named_enum! {
    /// What a drag in the picture does to the selected node.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Tool {
        /// Nothing: clicks select, drags move the camera.
        #[default]
        Select = "select",
        /// Moves it.
        Move = "move",
        /// Turns it.
        Rotate = "rotate",
        /// Scales it.
        Scale = "scale",
    }
}

rigview_anim::named_enum! {
    /// The axes that a node is moved along and turned about. It is always scaled along its own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Axes {
        /// Its own, as it is turned.
        #[default]
        Local = "local",
        /// Those of its parent.
        Parent = "parent",
        /// Those of the scene.
        World = "world",
    }
}

/// A change of the pose by hand or of how it is made.
#[derive(Clone, Debug)]
pub enum PoseAction {
    /// Sets a value of a node. Values that the node can't have are ignored.
    Set(usize, HandValue),
    /// Lets values of a node follow the clip again.
    Reset(usize, HandField),
    /// Lets everything follow the clip again.
    ResetAll,
    /// A drag begins: the changes up to its end are undone together.
    Begin,
    /// The drag has ended.
    End,
    /// Takes back what the drag has changed.
    Cancel,
    /// Takes back the last change of the pose or of what is hidden.
    Undo,
    /// Makes the last change again that was taken back.
    Redo,
    /// Chooses the tool.
    SetTool(Tool),
    /// Chooses the axes.
    SetAxes(Axes),
    /// Chooses the next axes.
    NextAxes,
    /// Chooses the pose under the values that were set by hand.
    SetBase(BasePose),
    /// Asks for a file to save the pose to.
    Save,
    /// Asks for a file to load a pose from.
    Load,
    /// Replaces what was set by hand by the pose of a file.
    Take(Box<GivenPose>),
}

/// How a person poses: the tool and its axes.
#[derive(Clone, Debug, Default)]
pub struct Posing {
    pub(super) tool: Tool,
    pub(super) axes: Axes,
}

impl Posing {
    /// The tool in use.
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// The axes of the tool.
    pub fn axes(&self) -> Axes {
        self.axes
    }
}
