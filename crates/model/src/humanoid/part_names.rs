//! The names that a convention gives to the parts of a humanoid's body, as rows of a table.

use super::human_bone::BonePart as Part;

/// The names of parts, those of fingers and between hips and neck excepted; empty for a part without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartNames {
    /// Hips, neck, head, jaw and eye.
    pub body: [&'static str; 5],
    /// Shoulder, upper arm, lower arm and hand.
    pub arm: [&'static str; 4],
    /// Upper leg, lower leg, foot and toes.
    pub leg: [&'static str; 4],
}

impl PartNames {
    /// Returns the parts that have a name.
    pub fn iter(&self) -> impl Iterator<Item = (Part, &'static str)> {
        let body = [Part::Hips, Part::Neck, Part::Head, Part::Jaw, Part::Eye].into_iter();
        let arm = [Part::Shoulder, Part::UpperArm, Part::LowerArm, Part::Hand].into_iter();
        let leg = [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes].into_iter();
        let all = body.zip(self.body).chain(arm.zip(self.arm)).chain(leg.zip(self.leg));
        all.filter(|(_, name)| !name.is_empty())
    }
}
