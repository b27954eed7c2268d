//! Skinning influences: any number of JOINTS_n and WEIGHTS_n, cleaned, normalised and reduced to at
//! most sixteen per vertex.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::accessor::Accessors;
use super::attribute::{Attribute, FRACTION_TYPES, JOINT_TYPES};
use super::fault::{ImportError, Warnings};
use rigview_document::{At, Shape};
use rigview_model::{WarningCode, quoted};

/// Influences kept per vertex.
const MOST: usize = 16;

/// Deviation of a sum of weights from 1, per weight that is not 0, that is rounding of floats. Integers have to sum to 1
/// exactly. The official validator has the same number.
const ROUNDING: f64 = 2e-7;

/// Deviation of a sum of weights from 1 that is warned of where the file does not promise more: weights that a
/// compression has rounded, and those of glTF 1.0. Normalised bytes are off by up to 0.008.
const LOOSE_TOLERANCE: f64 = 0.01;

/// Four joints of the skin and their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Four {
    /// Indices into the skin's joints; 0 where the weight is 0.
    pub joints: [u16; 4],
    /// Not negative; they sum to 1 over all sets of a vertex.
    pub weights: [f32; 4],
}

/// Sums of weights this close to 1 are those of rounded numbers.
const SAME_SUM: f32 = 1e-6;

/// The influences of a primitive's vertices, before they are assigned to palettes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bindings {
    /// Sets of four per vertex: 1 to 4.
    pub sets: usize,
    /// All sets, vertex by vertex. A vertex's weights sum to 1, so at least one is not 0.
    pub list: Vec<Four>,
    /// The largest number of joints that move one vertex in the file.
    pub most: usize,
    /// The joints that are not among the strongest of some vertex that has a weight on them, in increasing order.
    pub cut: Vec<u16>,
    /// The sum of each vertex's weights in the file; empty if all are 1.
    pub sums: Vec<f32>,
}

/// The skin with the fewest joints among those that a mesh is drawn with.
#[derive(Clone, Debug)]
pub(super) struct SmallestSkin {
    /// The number of joints.
    pub joints: usize,
    /// The name of the skin in messages.
    pub title: String,
}

/// Reads the influences of a primitive; `None` if it is not skinned. `exact_sums`: the file's format asks for weights that
/// sum to 1.
pub(super) fn read(
    attributes: &[Attribute],
    vertices: usize,
    skin: Option<&SmallestSkin>,
    exact_sums: bool,
    accessors: &Accessors,
    warnings: &mut Warnings,
) -> Result<Option<Bindings>, ImportError> {
    let pairs = pairs(attributes, warnings);
    let Some((joints_0, weights_0)) = pairs.first() else { return Ok(None) };
    accessors.charge(&joints_0.at, vertices, pairs.len() * size_of::<Four>())?;
    let sets = pairs.len();
    let mut list = vec![Four::default(); vertices * sets];
    for (set, (joints, weights)) in pairs.iter().enumerate() {
        joints.require(&[Shape::Vec4], JOINT_TYPES)?;
        weights.require(&[Shape::Vec4], FRACTION_TYPES)?;
        joints.warn_if_normalized(warnings);
        accessors.integers(&joints.accessor, |i, four: [u32; 4]| {
            // `require` has limited joints to 16 bits.
            list[i * sets + set].joints = four.map(|joint| joint as u16);
        });
        let accessor = weights.as_fractions(warnings);
        accessors.floats(&accessor, |i, four| list[i * sets + set].weights = four);
    }
    let exact_sums = exact_sums && !pairs.iter().any(|(_, weights)| weights.accessor.is_own());
    if let Some(skin) = skin {
        bind_to_existing(&mut list, sets, skin.joints);
    }
    let sums = clean(&mut list, sets, exact_sums, &weights_0.at, warnings);
    check_joints(&mut list, sets, skin, &joints_0.at, warnings)?;
    Ok(Some(Bindings { sums, ..compact(list, sets, &weights_0.at, warnings) }))
}

/// Pairs JOINTS_n with WEIGHTS_n, from 0 on.
fn pairs<'l, 'a>(
    attributes: &'l [Attribute<'a>],
    warnings: &mut Warnings,
) -> Vec<(&'l Attribute<'a>, &'l Attribute<'a>)> {
    let named: HashMap<&str, &Attribute> =
        attributes.iter().rev().map(|attribute| (attribute.name, attribute)).collect();
    let find = |name: &str, set: usize| named.get(&*format!("{name}_{set}")).copied();
    let mut pairs = Vec::new();
    while let (Some(joints), Some(weights)) =
        (find("JOINTS", pairs.len()), find("WEIGHTS", pairs.len()))
    {
        pairs.push((joints, weights));
    }
    let paired: HashSet<&str> = pairs.iter().flat_map(|(j, w)| [j.name, w.name]).collect();
    for attribute in attributes {
        let name = attribute.name;
        let counts = name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
        if counts && !paired.contains(name) {
            let name = quoted(name);
            let message =
                format!("{name} is left out: JOINTS_n and WEIGHTS_n come in pairs counted from 0");
            warnings.add_at(&attribute.at, WarningCode::InfluencesUnpaired, message);
        }
    }
    pairs
}

/// Gives vertices whose weights are all 0 the skin's first joint if the one that they would get does not exist: exporters fill up
/// with numbers that mean nothing.
fn bind_to_existing(list: &mut [Four], sets: usize, joints: usize) {
    for vertex in list.chunks_exact_mut(sets) {
        let is_unbound = || vertex.iter().flat_map(|four| four.weights).all(|weight| weight == 0.0);
        if usize::from(vertex[0].joints[0]) >= joints && is_unbound() {
            vertex[0].joints[0] = 0;
        }
    }
}

/// Makes every vertex's weights non-negative, with a sum of 1. Returns the sums before; empty if all were 1.
fn clean(
    list: &mut [Four],
    sets: usize,
    exact_sums: bool,
    at: &At,
    warnings: &mut Warnings,
) -> Vec<f32> {
    let mut sums = Vec::with_capacity(list.len() / sets);
    let (mut odd, mut unbound, mut uneven) = (0, 0, 0);
    let (mut least, mut greatest) = (f32::INFINITY, 0f32);
    for vertex in list.chunks_exact_mut(sets) {
        let (mut sum, mut influences) = (0.0, 0);
        let mut is_odd = false;
        for weight in vertex.iter_mut().flat_map(|four| &mut four.weights) {
            if !(*weight >= 0.0 && weight.is_finite()) {
                is_odd = true;
                *weight = 0.0;
            }
            sum += f64::from(*weight);
            influences += usize::from(*weight > 0.0);
        }
        odd += usize::from(is_odd);
        sums.push(sum as f32);
        if sum == 0.0 {
            unbound += 1;
            vertex[0].weights[0] = 1.0;
        } else if sum != 1.0 {
            let rounding = ROUNDING * influences as f64;
            if (sum - 1.0).abs() > if exact_sums { rounding } else { LOOSE_TOLERANCE } {
                uneven += 1;
                least = least.min(sum as f32);
                greatest = greatest.max(sum as f32);
            }
            for weight in vertex.iter_mut().flat_map(|four| &mut four.weights) {
                *weight = (f64::from(*weight) / sum) as f32;
            }
        }
    }
    let all = list.len() / sets;
    if odd > 0 {
        let message = format!(
            "{odd} of {all} vertices have weights that are negative, NaN or infinite: read as 0"
        );
        warnings.add_at(at, WarningCode::WeightsOdd, message);
    }
    if unbound > 0 {
        let message = format!(
            "{unbound} of {all} vertices have only weights of 0: bound to their first joint"
        );
        warnings.add_at(at, WarningCode::WeightsZero, message);
    }
    if uneven > 0 {
        let message = format!(
            "{uneven} of {all} vertices have weights that sum to {least} .. {greatest}, not 1: \
             normalised"
        );
        warnings.add_at(at, WarningCode::WeightsSum, message);
    }
    let all_are_one = sums.iter().all(|sum| (sum - 1.0).abs() <= SAME_SUM);
    if all_are_one { Vec::new() } else { sums }
}

/// Fails on joints that the skin does not have. Joints of weight 0 are set to 0.
fn check_joints(
    list: &mut [Four],
    sets: usize,
    skin: Option<&SmallestSkin>,
    at: &At,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let count = skin.map_or(usize::MAX, |skin| skin.joints);
    let (mut beyond, mut largest) = (0, 0);
    for (i, four) in list.iter_mut().enumerate() {
        for (joint, weight) in four.joints.iter_mut().zip(four.weights) {
            if usize::from(*joint) >= count {
                if weight > 0.0 {
                    let title = skin.map_or("", |skin| &skin.title);
                    let vertex = i / sets;
                    return Err(at
                        .error(format!(
                            "vertex {vertex} is moved by joint {joint} of {count} of {title}"
                        ))
                        .into());
                }
                beyond += 1;
                largest = largest.max(*joint);
            }
            if weight == 0.0 {
                *joint = 0;
            }
        }
    }
    let twice = list.chunks_exact(sets).filter(|vertex| lists_a_joint_twice(vertex)).count();
    if twice > 0 {
        let message = format!(
            "{twice} of {} vertices list a joint twice: their weights are added",
            list.len() / sets
        );
        warnings.add_at(at, WarningCode::JointsDuplicate, message);
    }
    if beyond > 0 {
        let message = format!(
            "{beyond} joints of weight 0 are out of range, up to joint {largest} of {count}"
        );
        warnings.add_at(at, WarningCode::JointUnusedOutOfRange, message);
    }
    Ok(())
}

/// Whether a vertex has two weights on one joint.
fn lists_a_joint_twice(vertex: &[Four]) -> bool {
    let pairs = || vertex.iter().flat_map(|four| four.joints.into_iter().zip(four.weights));
    let used = || pairs().filter(|(_, weight)| *weight > 0.0).map(|(joint, _)| joint);
    used().enumerate().any(|(i, joint)| used().skip(i + 1).any(|other| other == joint))
}

/// Moves each vertex's influences to the front of its sets and drops sets that no vertex needs.
/// Of more than sixteen the strongest are kept.
fn compact(list: Vec<Four>, sets: usize, at: &At, warnings: &mut Warnings) -> Bindings {
    let used = |vertex: &[Four]| vertex.iter().flat_map(|f| f.weights).filter(|w| *w > 0.0).count();
    let most = list.chunks_exact(sets).map(used).max().unwrap_or(0);
    if sets == 1 {
        return Bindings { sets, list, most, cut: Vec::new(), sums: Vec::new() };
    }
    let kept_sets = most.clamp(1, MOST).div_ceil(4);
    let mut kept = Vec::with_capacity(list.len() / sets * kept_sets);
    let mut entries: Vec<(u16, f32)> = Vec::new();
    let (mut cut, mut worst, mut total) = (0, 0f32, 0f64);
    let mut cut_joints = BTreeSet::new();
    for vertex in list.chunks_exact(sets) {
        entries.clear();
        let pairs = vertex.iter().flat_map(|four| four.joints.into_iter().zip(four.weights));
        entries.extend(pairs.filter(|(_, weight)| *weight > 0.0));
        if entries.len() > MOST {
            entries.sort_by(|a, b| b.1.total_cmp(&a.1));
            cut_joints.extend(entries[MOST..].iter().map(|(joint, _)| *joint));
            let lost: f32 = entries.drain(MOST..).map(|(_, weight)| weight).sum();
            entries.iter_mut().for_each(|(_, weight)| *weight /= 1.0 - lost);
            cut += 1;
            worst = worst.max(lost);
            total += f64::from(lost);
        }
        for set in 0..kept_sets {
            let mut four = Four::default();
            for (slot, (joint, weight)) in entries.iter().skip(4 * set).take(4).enumerate() {
                four.joints[slot] = *joint;
                four.weights[slot] = *weight;
            }
            kept.push(four);
        }
    }
    if cut > 0 {
        let all = list.len() / sets;
        let mean = 100.0 * total / f64::from(cut);
        let message = format!(
            "{cut} of {all} vertices are moved by up to {most} joints: the {MOST} strongest are \
             kept, which drops {mean:.2} % of their weight, {:.2} % at most",
            100.0 * worst
        );
        warnings.add_at(at, WarningCode::InfluencesCut, message);
    }
    let cut = cut_joints.into_iter().collect();
    Bindings { sets: kept_sets, list: kept, most, cut, sums: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_document::Document;

    fn four(joints: [u16; 4], weights: [f32; 4]) -> Four {
        Four { joints, weights }
    }

    fn at_root<T>(f: impl FnOnce(&At, &mut Warnings) -> T) -> (T, Vec<&'static str>) {
        let document = Document::new(serde_json::json!({})).unwrap();
        let mut warnings = Warnings::default();
        let out = f(&document.root(), &mut warnings);
        (out, warnings.finish(false).iter().map(|w| w.code.as_str()).collect())
    }

    #[test]
    fn weights_become_numbers_that_sum_to_one() {
        let mut list = vec![
            four([0, 1, 2, 3], [1.0, 1.0, 1.0, 0.0]),
            four([5, 1, 2, 3], [0.0; 4]),
            four([0, 1, 0, 0], [f32::NAN, 0.25, -1.0, 0.0]),
            four([0, 1, 0, 0], [1e-40, 1e-40, 0.0, 0.0]),
            four([0, 1, 0, 0], [128.0 / 255.0, 126.0 / 255.0, 0.0, 0.0]),
        ];
        let (sums, codes) = at_root(|at, warnings| clean(&mut list, 1, true, at, warnings));
        assert_eq!(sums[..3], [3.0, 0.0, 0.25]);
        let (even, _) = at_root(|at, w| clean(&mut [four([0; 4], [0.25; 4])], 1, true, at, w));
        assert!(even.is_empty());
        assert_eq!(list[0].weights, [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
        assert_eq!(list[1].weights, [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(list[2].weights, [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(list[3].weights, [0.5, 0.5, 0.0, 0.0]);
        assert!((list[4].weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(codes, ["WEIGHTS_ODD", "WEIGHTS_ZERO", "WEIGHTS_SUM"]);
    }

    #[test]
    fn a_vertex_without_weights_has_no_joint_that_does_not_exist() {
        let mut list = vec![
            four([65535, 7, 0, 0], [0.0; 4]),
            four([1, 65535, 0, 0], [0.0; 4]),
            four([65535, 0, 0, 0], [0.0, 1.0, 0.0, 0.0]),
        ];
        bind_to_existing(&mut list, 1, 2);
        let joints: Vec<u16> = list.iter().map(|four| four.joints[0]).collect();
        assert_eq!(joints, [0, 1, 65535]);
    }

    #[test]
    fn messages_count_vertices_not_sets() {
        let mut list = vec![Four::default(); 6];
        list[0].weights = [0.5, 0.5, 0.0, 0.0];
        list[2].weights = [0.5, 0.0, 0.0, 0.0];
        list[3].weights = [0.25, 0.0, 0.0, 0.0];
        list[5] = four([1, 7, 0, 0], [0.5, 0.5, 0.0, 0.0]);
        let document = Document::new(serde_json::json!({})).unwrap();
        let mut warnings = Warnings::default();
        clean(&mut list, 2, true, &document.root(), &mut warnings);
        assert_eq!(
            warnings.finish(false)[0].message,
            "1 of 3 vertices have weights that sum to 0.75 .. 0.75, not 1: normalised"
        );
        let skin = SmallestSkin { joints: 2, title: "skin 0".into() };
        let (checked, _) = at_root(|at, w| check_joints(&mut list, 2, Some(&skin), at, w));
        let message = "vertex 2 is moved by joint 7 of 2 of skin 0";
        assert_eq!(checked.unwrap_err().message(), message);
    }

    #[test]
    fn joints_out_of_range_are_refused_only_where_they_weigh() {
        let skin = SmallestSkin { joints: 2, title: "skin \"Arm\"".into() };
        let mut light = vec![four([1, 9, 0, 0], [1.0, 0.0, 0.0, 0.0])];
        let (checked, codes) = at_root(|at, w| check_joints(&mut light, 1, Some(&skin), at, w));
        assert_eq!((checked, light[0].joints), (Ok(()), [1, 0, 0, 0]));
        assert_eq!(codes, ["JOINT_UNUSED_OUT_OF_RANGE"]);
        let mut heavy = vec![four([1, 2, 0, 0], [0.5, 0.5, 0.0, 0.0])];
        let (checked, _) = at_root(|at, w| check_joints(&mut heavy, 1, Some(&skin), at, w));
        assert_eq!(
            checked.unwrap_err().message(),
            "vertex 0 is moved by joint 2 of 2 of skin \"Arm\""
        );
    }

    #[test]
    fn sets_that_no_vertex_needs_are_dropped() {
        let list = vec![
            four([1, 0, 0, 0], [0.5, 0.0, 0.0, 0.0]),
            four([0, 2, 0, 0], [0.0, 0.5, 0.0, 0.0]),
        ];
        let (bindings, codes) = at_root(|at, w| compact(list, 2, at, w));
        assert_eq!((bindings.sets, bindings.most), (1, 2));
        assert_eq!(bindings.list, [four([1, 2, 0, 0], [0.5, 0.5, 0.0, 0.0])]);
        assert!(codes.is_empty());
    }

    #[test]
    fn of_more_than_sixteen_the_strongest_stay_and_the_loss_is_told() {
        // 20 influences: 16 of 0.0575 and 4 of 0.02.
        let mut list = vec![Four::default(); 5];
        for (i, four) in list.iter_mut().enumerate() {
            four.joints = std::array::from_fn(|k| (4 * i + k) as u16);
            four.weights = [if i == 0 { 0.02 } else { 0.0575 }; 4];
        }
        let mut warnings = Warnings::default();
        let document = Document::new(serde_json::json!({})).unwrap();
        let bindings = compact(list, 5, &document.root(), &mut warnings);
        assert_eq!((bindings.sets, bindings.most), (4, 20));
        let sum: f32 = bindings.list.iter().flat_map(|f| f.weights).sum();
        assert!((sum - 1.0).abs() < 1e-6);
        assert!(bindings.list.iter().all(|f| f.joints.iter().all(|j| *j >= 4)));
        assert_eq!(bindings.cut, [0, 1, 2, 3]);
        assert!(warnings.finish(false)[0].message.contains("8.00 %"));
    }

    #[test]
    fn the_loss_is_a_mean_over_the_cut_vertices() {
        // Vertices of 20, 16 and 18 influences: the first loses 8 %, the second nothing, the third 4 %.
        let mut list = vec![Four::default(); 15];
        for four in &mut list {
            four.weights = [0.0575; 4];
        }
        list[0].weights = [0.02; 4];
        list[5..9].iter_mut().for_each(|four| four.weights = [0.0625; 4]);
        list[9].weights = [0.0; 4];
        list[10..14].iter_mut().for_each(|four| four.weights = [0.06; 4]);
        list[14].weights = [0.02, 0.02, 0.0, 0.0];
        let document = Document::new(serde_json::json!({})).unwrap();
        let mut warnings = Warnings::default();
        compact(list, 5, &document.root(), &mut warnings);
        assert_eq!(
            warnings.finish(false)[0].message,
            "2 of 3 vertices are moved by up to 20 joints: the 16 strongest are kept, which drops \
             6.00 % of their weight, 8.00 % at most"
        );
    }
}
