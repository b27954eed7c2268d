//! The distances between joints at rest and their bind pose, which a pass shows as colours.

/// How far the joints of each skin at rest are from where their inverse bind matrices put them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindDistances {
    /// By skin of the model and joint of the skin, in millimetres in the scene: not finite for a joint whose matrix
    /// can't be inverted, and no entries for a skin without a bind pose.
    pub skins_mm: Vec<Vec<f32>>,
    /// The distance with the hottest colour, in millimetres; greater than 0.
    pub hottest_mm: f32,
}

impl BindDistances {
    /// The least distance with the hottest colour: up to it, a rig counts as being in its bind pose.
    pub const LEAST_HOTTEST_MM: f32 = 1.0;

    /// Returns the largest finite distance; 0 if there is none.
    pub fn largest_mm(&self) -> f32 {
        let finite = self.skins_mm.iter().flatten().copied().filter(|mm| mm.is_finite());
        finite.fold(0.0, f32::max)
    }

    /// Returns the distance of a skin's joint as a share of the hottest one, from 0 to 1; `None` without a distance.
    pub fn share(&self, skin: usize, joint: usize) -> Option<f32> {
        let mm = self.skins_mm.get(skin)?.get(joint).filter(|mm| mm.is_finite())?;
        Some((mm / self.hottest_mm).clamp(0.0, 1.0))
    }
}
