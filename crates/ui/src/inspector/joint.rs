//! A joint of a skin.

use super::page::Page;
use crate::shortcuts;
use rigview_look::{Look, Pass};
use rigview_report::{JointFacts, PosedJoint};
use rigview_session::{Item, LookAction};

pub(super) fn show(page: &mut Page<'_>, facts: &JointFacts, posed: &PosedJoint) {
    page.link("Skin", Item::Skin(facts.place.skin));
    page.count("Number", facts.place.joint);
    page.count("Vertices", facts.vertices);
    page.numbers("Largest weight", &[facts.largest_weight], "");
    match facts.rest_to_bind_mm.zip(facts.rest_to_bind_degrees) {
        Some((mm, degrees)) => {
            page.numbers("Rest to bind", &[mm as f32], "mm");
            page.numbers("Turned from bind", &[degrees as f32], "°");
        }
        None => page.text("Rest to bind", "no bind pose"),
    }
    page.matrix("Inverse bind matrix", &facts.inverse_bind);
    page.matrix("Joint matrix", &posed.joint_matrix);
}

/// Shows the button that shows the weights of the selected joint, or the shaded picture again.
pub(super) fn weights_ui(page: &mut Page<'_>, look: &Look) {
    let text = if look.pass == Pass::Weights { "Show the surface" } else { "Show its weights" };
    if page
        .ui
        .small_button(text)
        .on_hover_text(shortcuts::JOINT_WEIGHTS.hint(page.ui, text))
        .clicked()
    {
        page.actions.push(LookAction::ToggleWeights.into());
    }
}
