//! The distance between two points of a session's model.

use glam::DVec3;

use super::{COLOR, Measure, MeasureAction, Measured};
use crate::look::Stroke;
use crate::session::{Effect, Session};

impl Session {
    /// What is measured.
    pub fn measuring(&self) -> &Measure {
        &self.measure
    }

    /// The distance between the two points in the present pose, once both are marked.
    pub fn measured(&self) -> Option<Measured> {
        let places = self.measure.places(&self.exhibit);
        let ends = <[DVec3; 2]>::try_from(places).ok()?;
        Some(Measured { ends, metres: ends[0].distance(ends[1]) })
    }

    pub(in crate::session) fn change_measure(&mut self, action: MeasureAction) -> Vec<Effect> {
        let of = self.exhibit.document().map(|document| document.load);
        self.measure.apply(action, of.filter(|_| self.exhibit.stage().is_some()));
        Vec::new()
    }

    /// Adds the points and the line between them.
    pub(in crate::session) fn add_measure(&self, strokes: &mut Vec<Stroke>) {
        let places = self.measure.places(&self.exhibit);
        if let [a, b] = places[..] {
            strokes.push(Stroke::line([a, b], COLOR, 1.6));
        }
        strokes.extend(places.iter().map(|at| Stroke::point(*at, COLOR, 1.0)));
    }
}
