//! The numbers beside the heat of a joint's weights.

use crate::{LoadId, PickAnswer, Playback};
use rigview_look::{Look, Pass};
use rigview_model::DrawnPrimitive;
use rigview_report::{JointWeights, joint_weights, weight_at};

/// Most vertices of a primitive of which the one under the pointer is looked for.
const MOST_VERTICES: usize = 300_000;

/// The weights of the shown joint, and the vertex under the pointer.
#[derive(Debug, Default)]
pub(crate) struct Heat {
    of: Option<(LoadId, usize)>,
    weights: Option<JointWeights>,
    hovered: Option<(LoadId, DrawnPrimitive, u32)>,
}

impl Heat {
    /// The weights of the joint, while the pass shows them.
    pub fn weights(&self) -> Option<JointWeights> {
        self.weights
    }

    /// Finds the numbers of the joint if it is another one.
    pub fn show(&mut self, playback: &Playback, look: &Look) {
        let joint = look.joint.filter(|_| look.pass == Pass::Weights);
        let of = playback.document().map(|document| document.load).zip(joint);
        if of != self.of {
            let model = playback.document().map(|document| &document.model);
            self.of = of;
            self.weights = of.zip(model).map(|((_, joint), model)| joint_weights(model, joint));
        }
    }

    /// Notes the vertex under the pointer.
    pub fn hover(&mut self, playback: &Playback, answer: &PickAnswer) {
        self.hovered = self.of.and_then(|_| {
            let (document, stage) = playback.document().zip(playback.stage())?;
            let (model, touched) = (&document.model, answer.touched?);
            let drawn = touched.drawn;
            let mesh = model.nodes[drawn.node].mesh?;
            let primitive = &model.meshes[mesh].primitives[drawn.primitive];
            if primitive.vertices.len() > MOST_VERTICES {
                return None;
            }
            let touch = stage.touch(model, &touched)?;
            Some((document.load, drawn, touch.nearest))
        });
    }

    /// The weight of the joint at the vertex under the pointer, as it is used.
    pub fn hovered(&self, playback: &Playback) -> Option<f32> {
        let (document, (_, joint)) = playback.document().zip(self.of)?;
        let (load, drawn, vertex) = self.hovered?;
        (load == document.load).then(|| weight_at(&document.model, drawn, vertex, joint))
    }
}
