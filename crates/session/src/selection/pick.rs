//! What is asked about a place of the picture, and the answer.

use glam::DVec2;

use crate::LoadId;
use rigview_model::{Stage, Touched};

/// The purpose of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Show the name of the node.
    Name,
    /// Select the node and the nearest vertex; if the node is selected, the joint that moves the place most.
    Select,
    /// Select the joint that moves the place most.
    SelectJoint,
    /// Frame the node, which is selected unless it or its joint is.
    Frame,
}

/// A question: what does the picture show at a place?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickRequest {
    /// The place in picture heights from the picture's centre, Y down.
    pub at: DVec2,
    /// The length of a point of the screen, in picture heights.
    pub point: f64,
    /// The purpose.
    pub purpose: Purpose,
}

/// The answer to a question.
#[derive(Debug)]
pub struct PickAnswer {
    /// The question.
    pub question: PickRequest,
    /// The load of the model that was shown.
    pub load: LoadId,
    /// The pose of the picture; `None` if it is of no use, as for a name.
    pub stage: Option<Stage>,
    /// The surface, line or point that the picture shows; `None` for the background.
    pub touched: Option<Touched>,
}

/// A step of picking.
#[derive(Debug)]
pub enum PickAction {
    /// Asks what is at a place.
    Ask(PickRequest),
    /// Takes the answer.
    Take(Box<PickAnswer>),
}
