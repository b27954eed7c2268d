//! What is asked about a place of the picture, and the answer.

use glam::DVec2;

use crate::look::View;
use crate::model::{DrawnPrimitive, Stage};
use crate::session::LoadId;

/// The purpose of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Show the name of the node.
    Name,
    /// Select the node and the nearest vertex; if the node is selected, the joint that moves the place most.
    Select,
    /// Select the joint that moves the place most.
    SelectJoint,
}

/// A question: what does the picture show at a place?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The place in picture heights from the picture's centre, Y down.
    pub at: DVec2,
    /// The length of a point of the screen, in picture heights.
    pub point: f64,
    /// The purpose.
    pub purpose: Purpose,
}

/// A surface, line or point that the picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The node and the primitive of its mesh.
    pub drawn: DrawnPrimitive,
    /// Index of the node's instance, if it has instances.
    pub instance: Option<usize>,
    /// The centre of its pixel in picture heights from the picture's centre, Y down.
    pub at: DVec2,
    /// Its distance in front of the camera, along the camera's axis.
    pub ahead: f64,
}

/// The answer to a question.
#[derive(Debug)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// The load of the model that was shown.
    pub load: LoadId,
    /// The camera of the picture.
    pub view: View,
    /// The pose of the picture; `None` if it is of no use, as for a name.
    pub stage: Option<Stage>,
    /// What was seen; `None` for the background.
    pub seen: Option<Seen>,
}

/// A step of picking.
#[derive(Debug)]
pub enum PickAction {
    /// Asks what is at a place.
    Ask(Question),
    /// Takes the answer.
    Take(Box<Answer>),
}
