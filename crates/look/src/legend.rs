//! The legends of passes that show numbers by colours. The colours are those of the passes' shaders.

use std::borrow::Cow;

use super::{Look, Pass};
use rigview_model::{Model, three_digits};

const BLUE: [u8; 3] = [0, 0, 255];
const CYAN: [u8; 3] = [0, 255, 255];
const GREEN: [u8; 3] = [0, 255, 0];
const YELLOW: [u8; 3] = [255, 255, 0];
const RED: [u8; 3] = [255, 0, 0];
/// A surface without a value that is half turned away.
const GREY: [u8; 3] = [0x61; 3];
/// The same where weights that sum to 1 are grey.
const BROWN: [u8; 3] = [0x6b, 0x52, 0x27];
/// Weights that sum to 1, on a surface that faces the camera.
const EVEN: [u8; 3] = [0x59; 3];

/// A colour scale: evenly spaced colours and evenly spaced labels, both from the scale's start to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// sRGB; interpolated linearly in between.
    pub colors: &'static [[u8; 3]],
    /// The values.
    pub labels: Vec<Cow<'static, str>>,
    /// The colour of surfaces that have no value, and what to call them.
    pub outside: Option<([u8; 3], &'static str)>,
}

impl Scale {
    /// Returns the colour at a share of the scale, from 0 to 1.
    pub fn color(&self, share: f32) -> [u8; 3] {
        let last = self.colors.len() - 1;
        let at = share.clamp(0.0, 1.0) * last as f32;
        let from = (at as usize).min(last.saturating_sub(1));
        let (a, b) = (self.colors[from], self.colors[(from + 1).min(last)]);
        let mixed = |i: usize| {
            let (a, b) = (f32::from(a[i]), f32::from(b[i]));
            (a + (b - a) * (at - from as f32)).round() as u8
        };
        [mixed(0), mixed(1), mixed(2)]
    }
}

impl Scale {
    /// Returns the colour scale of a look whose pass shows numbers by colours.
    pub fn from_look(look: &Look) -> Option<Self> {
        const HEAT: &[[u8; 3]] = &[BLUE, CYAN, GREEN, YELLOW, RED];
        let scale = |colors, labels: &[&'static str], outside| {
            let labels = labels.iter().map(|label| Cow::Borrowed(*label)).collect();
            Some(Self { colors, labels, outside })
        };
        match look.pass {
            Pass::Weights => scale(HEAT, &["0", "0.5", "1"], Some((GREY, "no weight"))),
            Pass::Influences => scale(HEAT, &["1", "2", "4", "8", "16"], Some((GREY, "none"))),
            Pass::WeightSum => {
                scale(&[BLUE, EVEN, RED], &["0.9", "1", "1.1"], Some((BROWN, "no weights")))
            }
            Pass::Overdraw => scale(HEAT, &["1", "2", "4", "8", "16", "32"], None),
            Pass::RestToBind => {
                let hottest = f64::from(look.bind.as_ref().map_or(1.0, |bind| bind.hottest_mm));
                let labels = vec![
                    Cow::Borrowed("0"),
                    three_digits(0.5 * hottest, 3).into(),
                    format!("{} mm", three_digits(hottest, 3)).into(),
                ];
                Some(Self { colors: HEAT, labels, outside: Some((GREY, "no bind pose")) })
            }
            _ => None,
        }
    }
}

/// A legend: a title over a colour scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What the colours show.
    pub title: String,
    /// The colours.
    pub scale: Scale,
}

impl Legend {
    /// Returns the legend of a look; `None` if its pass has no colour scale.
    pub fn new(look: &Look, model: &Model) -> Option<Self> {
        let scale = Scale::from_look(look)?;
        let title = match (look.pass, look.joint) {
            (Pass::Weights, Some(joint)) => format!("Weight of {}", model.node_name(joint)),
            (Pass::Weights, None) => "This model has no joints".to_owned(),
            (Pass::Influences, _) => "Joint influences".to_owned(),
            (Pass::WeightSum, _) => "Sum of weights".to_owned(),
            (Pass::RestToBind, _) => "Distance from rest to bind".to_owned(),
            _ => "Faces over each other".to_owned(),
        };
        Some(Self { title, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BindDistances;

    #[test]
    fn colours_between_two_labels_are_mixed() {
        let look = |pass| Look { pass, ..Look::default() };
        let scale = Scale::from_look(&look(Pass::Weights)).unwrap();
        assert_eq!(
            [0.0, 0.125, 0.5, 1.0].map(|share| scale.color(share)),
            [BLUE, [0, 128, 255], GREEN, RED]
        );
        assert_eq!(scale.color(7.0), RED);
        assert_eq!(Scale::from_look(&look(Pass::Albedo)), None);
    }

    #[test]
    fn millimetres_are_labelled_with_three_digits() {
        for (hottest_mm, labels) in [
            (1.0, ["0", "0.5", "1 mm"]),
            (12.345, ["0", "6.17", "12.3 mm"]),
            (2400.0, ["0", "1200", "2400 mm"]),
        ] {
            let bind = BindDistances { hottest_mm, ..BindDistances::default() };
            let look = Look { pass: Pass::RestToBind, bind: Some(bind.into()), ..Look::default() };
            assert_eq!(Scale::from_look(&look).unwrap().labels, labels);
        }
    }
}
