//! Tests of [`Clip::retargeted`].

use glam::{DQuat, Quat, Vec3};

use super::*;

fn transform(x: f32) -> Transform {
    Transform {
        translation: Vec3::new(x, 1.0, 0.0),
        rotation: Quat::from_rotation_z(x) * Quat::from_rotation_x(0.5),
        scale: Vec3::new(x, 1.0, 0.0),
    }
}

fn single(transform: Transform, weights: &[f32]) -> (Hierarchy, LocalPose) {
    let tree = Hierarchy::new(vec![None], vec![]).unwrap();
    (tree, LocalPose::new(vec![transform], &[weights.to_vec()]))
}

fn track<T: Value>(keys: Keys<T>, width: usize) -> Track<T> {
    Track::new(vec![0.0, 1.0], keys, width).unwrap()
}

fn clip(at: &Transform) -> Clip {
    let away = Transform {
        translation: at.translation + Vec3::Y,
        rotation: at.rotation * Quat::from_rotation_y(0.75),
        scale: at.scale * 2.0,
    };
    let turn = Keys::Cubic {
        in_tangents: vec![Quat::from_xyzw(0.1, 0.2, 0.3, 0.4); 2],
        values: vec![at.rotation, away.rotation],
        out_tangents: vec![Quat::from_xyzw(0.4, -0.2, 0.1, 0.0); 2],
    };
    let moved = Keys::Linear(vec![at.translation, away.translation]);
    let scale = Track::new(vec![0.0], Keys::Step(vec![at.scale]), 1).unwrap();
    let weights = Keys::Linear(vec![0.0, 1.0, 0.5, 0.25]);
    Clip::new(ClipParts {
        channels: vec![
            Channel::Translation { node: 0, track: track(moved, 1) },
            Channel::Rotation { node: 0, track: track(turn, 1) },
            Channel::Scale { node: 0, track: scale },
            Channel::Weights { node: 0, first: 0, track: track(weights, 2) },
        ],
        duration_secs: 1.0,
        ..ClipParts::default()
    })
}

fn weights(columns: &[Option<usize>]) -> [WeightMapping; 1] {
    [WeightMapping { node: 0, source: 0, columns: columns.to_vec() }]
}

/// A pair of rigs without a turn or alignment.
fn pair<'a>(
    from: &'a RigAtRest<'a>,
    to: &'a RigAtRest<'a>,
    follows: &'a [Option<usize>],
    weights: &'a [WeightMapping],
    size: f64,
) -> RigPair<'a> {
    let (facing, aligned) = (DQuat::IDENTITY, &[][..]);
    RigPair { from, to, follows, weights, size, facing, aligned, most_bytes: 1 << 20 }
}

fn at(clip: &Clip, rest: &LocalPose, time: f64) -> LocalPose {
    let mut out = rest.clone();
    clip.sample(time, &mut out);
    out
}

#[test]
fn onto_the_same_rest_pose_it_stays_the_same() {
    let (tree, rest) = single(transform(2.0), &[0.0, 0.0]);
    let rig = RigAtRest::new(&tree, &rest);
    let clip = clip(&transform(2.0));
    let all = weights(&[Some(0), Some(1)]);
    assert_eq!(clip.retargeted(&pair(&rig, &rig, &[Some(0)], &all, 1.0)).unwrap(), clip);
    let none = clip.retargeted(&pair(&rig, &rig, &[None], &[], 1.0)).unwrap();
    assert_eq!((none.channels(), none.duration_secs()), (&[][..], 1.0));
}

#[test]
fn a_turn_about_an_axis_of_the_scene_stays_one_and_its_interpolation_goes_along() {
    let ((tree, from), (_, to)) =
        (single(transform(2.0), &[0.0; 2]), single(transform(3.0), &[0.125; 3]));
    let (a, b) = (RigAtRest::new(&tree, &from), RigAtRest::new(&tree, &to));
    let clip = clip(&transform(2.0));
    let taken = weights(&[Some(1), None, Some(0)]);
    let other = clip.retargeted(&pair(&a, &b, &[Some(0)], &taken, 1.5)).unwrap();
    assert_eq!(other.channels()[1].interpolation(), Interpolation::CubicSpline);
    for time in [0.0, 0.25, 0.5, 1.0] {
        let (own, got) = (at(&clip, &from, time), at(&other, &to, time));
        let turned = own.transform(0).rotation * transform(2.0).rotation.inverse();
        let want = turned * transform(3.0).rotation;
        assert!(got.transform(0).rotation.dot(want).abs() > 1.0 - 1e-6, "at {time}");
        let up = got.transform(0).translation - transform(3.0).translation;
        assert!((up - 1.5 * time as f32 * Vec3::Y).length() < 1e-6, "{up}");
        let (w, v) = (own.weights(0), got.weights(0));
        assert_eq!(v, [w[1], 0.125, w[0]]);
    }
}

/// A forearm that is bent in the rig's rest pose and straight in the clip's, which does not move it, becomes straight.
#[test]
fn joints_that_do_not_move_hold_an_aligned_rest_pose() {
    let tree = Hierarchy::new(vec![None, Some(0)], vec![]).unwrap();
    let bent = Transform { rotation: Quat::from_rotation_x(1.5), ..Transform::IDENTITY };
    let pose = |child| LocalPose::new(vec![Transform::IDENTITY, child], &[[0.0; 0]; 2]);
    let (straight, bent) = (pose(Transform::IDENTITY), pose(bent));
    let (from, to) = (RigAtRest::new(&tree, &straight), RigAtRest::new(&tree, &bent));
    let turn = track(Keys::Linear(vec![Quat::IDENTITY, Quat::from_rotation_z(1.0)]), 1);
    let channels = vec![Channel::Rotation { node: 0, track: turn }];
    let clip = Clip::new(ClipParts { channels, duration_secs: 1.0, ..ClipParts::default() });
    let plain = pair(&from, &to, &[Some(0), Some(1)], &[], 1.0);
    assert_eq!(clip.retargeted(&plain).unwrap().channels().len(), 1);
    let aligned = [DQuat::IDENTITY, DQuat::from_rotation_x(1.5)];
    let straightened = clip.retargeted(&RigPair { aligned: &aligned, ..plain }).unwrap();
    assert_eq!(straightened.duration_secs(), 1.0);
    for time in [0.0, 0.5, 1.0] {
        let rotation = at(&straightened, &bent, time).transform(1).rotation;
        assert!(rotation.angle_between(Quat::IDENTITY) < 1e-3, "{rotation} at {time}");
    }
}

#[test]
fn a_single_weight_goes_where_it_is_taken() {
    let ((tree, from), (_, to)) =
        (single(transform(1.0), &[0.0; 2]), single(transform(1.0), &[0.125; 3]));
    let (a, b) = (RigAtRest::new(&tree, &from), RigAtRest::new(&tree, &to));
    let half = track(Keys::Linear(vec![0.0, 0.5]), 1);
    let channels = vec![Channel::Weights { node: 0, first: 1, track: half }];
    let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
    let mappings = weights(&[Some(1), Some(0), Some(1)]);
    let taken = clip.retargeted(&pair(&a, &b, &[None], &mappings, 1.0)).unwrap();
    assert_eq!(at(&taken, &to, 0.5).weights(0), [0.25, 0.125, 0.25]);
    let mappings = weights(&[Some(0), None, None]);
    let elsewhere = clip.retargeted(&pair(&a, &b, &[None], &mappings, 1.0)).unwrap();
    assert_eq!(elsewhere.channels(), []);
}

/// A face whose targets two meshes of the clip's rig have between them: no mapping holds the weights of the other.
#[test]
fn several_nodes_drive_different_weights_of_one() {
    let ((tree, from), (_, to)) =
        (single(transform(1.0), &[0.0; 2]), single(transform(1.0), &[0.125; 3]));
    let (a, b) = (RigAtRest::new(&tree, &from), RigAtRest::new(&tree, &to));
    let both = track(Keys::Linear(vec![0.5, 0.75, 0.5, 0.75]), 2);
    let channels = vec![Channel::Weights { node: 0, first: 0, track: both }];
    let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
    let columns = [vec![None, Some(0), None], vec![None, None, Some(1)]];
    let mappings = columns.map(|columns| WeightMapping { node: 0, source: 0, columns });
    let taken = clip.retargeted(&pair(&a, &b, &[None], &mappings, 1.0)).unwrap();
    assert_eq!(at(&taken, &to, 0.5).weights(0), [0.125, 0.5, 0.75]);
}

/// A chain of joints one unit apart.
fn chain(rotations: &[Quat]) -> (Hierarchy, LocalPose) {
    let parents = (0..rotations.len()).map(|i| i.checked_sub(1).map(|i| i as u32)).collect();
    let local = |q: &Quat| Transform { translation: Vec3::Y, rotation: *q, ..Transform::IDENTITY };
    let rest = LocalPose::new(
        rotations.iter().map(local).collect(),
        &vec![Vec::<f32>::new(); rotations.len()],
    );
    (Hierarchy::new(parents, vec![]).unwrap(), rest)
}

/// Returns the rotations in the scene.
fn turns(tree: &Hierarchy, pose: &LocalPose) -> Vec<DQuat> {
    let rig = RigAtRest::new(tree, pose);
    (0..tree.len()).map(|node| rig.turn(node)).collect()
}

#[test]
fn the_turn_of_a_joint_that_the_rig_lacks_arrives_below_it_at_and_between_keys() {
    let (x, y) = (Quat::from_rotation_x(0.4), Quat::from_rotation_y(-0.9));
    let (tree, from) = chain(&[x, y, x * y]);
    let (short, to) = chain(&[y, x]);
    let turn = |node, a: Quat, b: Quat| Channel::Rotation {
        node,
        track: track(Keys::Linear(vec![a, b]), 1),
    };
    let clip = Clip::new(ClipParts {
        channels: vec![
            turn(1, y, y * Quat::from_rotation_z(1.5)),
            turn(2, x * y, x * Quat::from_rotation_x(-1.2)),
        ],
        duration_secs: 1.0,
        ..ClipParts::default()
    });
    let (a, b) = (RigAtRest::new(&tree, &from), RigAtRest::new(&short, &to));
    let rigs = pair(&a, &b, &[Some(0), Some(2)], &[], 1.0);
    let taken = clip.retargeted(&rigs).unwrap();
    for step in 0..=20 {
        let time = f64::from(step) / 20.0;
        let own = turns(&tree, &at(&clip, &from, time));
        let want = own[2] * a.turn(2).inverse() * b.turn(1);
        let got = turns(&short, &at(&taken, &to, time));
        let off = got[1].angle_between(want);
        let most = if step % 20 == 0 { 1e-6 } else { 2e-4 };
        assert!(off < most, "at {time}: {off}");
    }
    // The keys would exceed the limit.
    let little = RigPair { most_bytes: 100, ..rigs };
    assert_eq!(clip.retargeted(&little).unwrap_err(), TooLarge);
}

#[test]
fn a_rig_without_the_moving_root_goes_where_the_root_goes() {
    let (tree, from) = chain(&[Quat::from_rotation_x(-1.0), Quat::from_rotation_x(1.0)]);
    let (single, to) = chain(&[Quat::from_rotation_z(0.3)]);
    let goes = Keys::Linear(vec![Vec3::Y, Vec3::new(4.0, 1.0, 0.0)]);
    let turns = Keys::Linear(vec![
        Quat::from_rotation_x(-1.0),
        Quat::from_rotation_z(0.7) * Quat::from_rotation_x(-1.0),
    ]);
    let clip = Clip::new(ClipParts {
        channels: vec![
            Channel::Translation { node: 0, track: track(goes, 1) },
            Channel::Rotation { node: 0, track: track(turns, 1) },
        ],
        duration_secs: 1.0,
        ..ClipParts::default()
    });
    let (a, b) = (RigAtRest::new(&tree, &from), RigAtRest::new(&single, &to));
    let taken = clip.retargeted(&pair(&a, &b, &[Some(1)], &[], 2.0)).unwrap();
    for step in 0..=10 {
        let time = f64::from(step) / 10.0;
        let pose = at(&clip, &from, time);
        let place = RigAtRest::new(&tree, &pose).position(1);
        let want = b.position(0) + 2.0 * (place - a.position(1));
        let got = at(&taken, &to, time).transform(0).translation.as_dvec3();
        assert!(got.distance(want) < 2e-3, "at {time}: {got}, not {want}");
    }
}
