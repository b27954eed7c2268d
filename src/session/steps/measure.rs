//! Measures the distance between two points.

use crate::look::Stroke;
use crate::session::measure::COLOR;
use crate::session::{Effect, MeasureAction, Session};

impl Session {
    pub(super) fn change_measure(&mut self, action: MeasureAction) -> Vec<Effect> {
        let of = self.playback.document().map(|document| document.load);
        self.measure.apply(action, of.filter(|_| self.playback.stage().is_some()));
        Vec::new()
    }

    /// Adds the points and the line between them.
    pub(super) fn add_measure(&self, strokes: &mut Vec<Stroke>) {
        let places = self.measure.places(&self.playback);
        if let [a, b] = places[..] {
            strokes.push(Stroke::line([a, b], COLOR, 1.6));
        }
        strokes.extend(places.iter().map(|at| Stroke::point(*at, COLOR, 1.0)));
    }
}
