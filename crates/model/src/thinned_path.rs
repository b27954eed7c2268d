//! Leaves out places of a path, those first that hardly change its course.

use std::collections::BinaryHeap;

use glam::DVec3;

use rigview_anim::some_of;

/// Returns the indices of at most this many places of a path, ascending, with its ends: all, or those to which the others
/// lie nearest (Douglas and Peucker, "Algorithms for the reduction of the number of points", 1973, by the largest
/// distance first); fewer where the others lie on the lines between them. The number is at least 2. Of a very long path,
/// places at even distances are looked at.
pub(super) fn thinned(path: &[DVec3], most: usize) -> Vec<usize> {
    /// The work grows with the square of the number of turns.
    const MOST_SOUGHT: usize = 50_000;
    if path.len() <= most {
        return (0..path.len()).collect();
    }
    let sought = some_of((0..path.len()).collect(), MOST_SOUGHT.max(most));
    let places: Vec<DVec3> = sought.iter().map(|at| path[*at]).collect();
    let kept = split(&places, most);
    kept.into_iter().map(|at| sought[at]).collect()
}

fn split(path: &[DVec3], most: usize) -> Vec<usize> {
    let mut kept = vec![0, path.len() - 1];
    let mut chords = BinaryHeap::from([farthest(path, 0, path.len() - 1)]);
    while kept.len() < most
        && let Some(Chord { distance, place, ends: [start, end] }) = chords.pop()
        && distance > 0
    {
        kept.push(place);
        for [start, end] in [[start, place], [place, end]] {
            if end - start > 1 {
                chords.push(farthest(path, start, end));
            }
        }
    }
    kept.sort_unstable();
    kept
}

/// A line between two places and the place between them that is farthest from it. Ordered by that distance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Chord {
    /// The bits of the distance: those of floats from 0 upwards are ordered as their values.
    distance: u64,
    place: usize,
    ends: [usize; 2],
}

fn farthest(path: &[DVec3], start: usize, end: usize) -> Chord {
    let (from, along) = (path[start], path[end] - path[start]);
    let distance = |place: &usize| {
        let to = path[*place] - from;
        let share = (to.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let share = if share.is_finite() { share } else { 0.0 };
        to.distance(share * along).abs().to_bits()
    };
    let found = (start + 1..end).map(|place| (distance(&place), place)).max();
    let (distance, place) = found.unwrap_or((0, start));
    Chord { distance, place, ends: [start, end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turns_of_a_path_stay() {
        let mut path: Vec<DVec3> = (0..1000).map(|i| DVec3::X * f64::from(i)).collect();
        path[617].y = 3.0;
        path[40].z = 2.0;
        let kept = thinned(&path, 8);
        assert_eq!((kept.len(), kept[0], kept[7]), (8, 0, 999));
        assert!([39, 40, 41, 616, 617, 618].iter().all(|place| kept.contains(place)), "{kept:?}");
        assert_eq!(thinned(&path, 1000).len(), 1000);
        assert_eq!(thinned(&[DVec3::ONE; 50], 5), [0, 49], "nothing else is off the line");
    }
}
