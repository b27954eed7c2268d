//! The unit, which files do not state: guessed from the size of the skeleton.

use super::parse::Joint;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub metres: f64,
    pub name: &'static str,
}

/// Units that occur, from the largest. A skeleton is taken to be in the first one that does not make it a giant.
const UNITS: [Unit; 5] = [
    Unit { metres: 1.0, name: "metres" },
    // The motions of Carnegie Mellon University: a unit is 1 / 0.45 inches.
    Unit { metres: 0.056_444, name: "units of 5.64 cm (CMU)" },
    Unit { metres: 0.0254, name: "inches" },
    Unit { metres: 0.01, name: "centimetres" },
    Unit { metres: 0.001, name: "millimetres" },
];

/// The largest height of a performer in the rest pose, in metres.
const TALLEST: f64 = 2.6;

/// Guesses the unit of a skeleton: its extent in the rest pose is that of a performer.
pub(super) fn guess(joints: &[Joint]) -> Unit {
    let extent = extent(joints);
    let fits = |unit: &&Unit| extent * unit.metres <= TALLEST;
    *UNITS.iter().find(fits).unwrap_or(&UNITS[UNITS.len() - 1])
}

/// Returns the largest extent of the joints along an axis, in the rest pose.
fn extent(joints: &[Joint]) -> f64 {
    let mut places: Vec<[f64; 3]> = Vec::with_capacity(joints.len());
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for joint in joints {
        let from = joint.parent.map_or([0.0; 3], |parent| places[parent]);
        // The place of the root says nothing about the size.
        let own = if joint.parent.is_some() { joint.offset } else { [0.0; 3] };
        let place = [0, 1, 2].map(|k| from[k] + own[k]);
        places.push(place);
        for k in 0..3 {
            min[k] = min[k].min(place[k]);
            max[k] = max[k].max(place[k]);
        }
    }
    let extents = (0..3).map(|k| max[k] - min[k]).filter(|x| x.is_finite());
    extents.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_performer_is_neither_a_giant_nor_a_dwarf() {
        let tall = |height: f64| {
            let root = Joint { offset: [500.0, 0.0, 0.0], ..Joint::default() };
            let head = Joint { parent: Some(0), offset: [0.0, height, 0.0], ..Joint::default() };
            guess(&[root, head]).name
        };
        assert_eq!(tall(1.8), "metres");
        assert!(tall(30.0).contains("CMU"));
        assert_eq!(tall(70.0), "inches");
        assert_eq!(tall(175.0), "centimetres");
        assert_eq!(tall(1750.0), "millimetres");
        assert_eq!(tall(0.0), "metres");
    }
}
