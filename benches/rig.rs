//! A generated rig of a hundred joints with three children each, whose clip drives all translations,
//! rotations and scales.

use glam::{Affine3A, Quat, Vec3};
use rigview::anim::{Channel, Clip, ClipParts, Hierarchy, Keys, LocalPose, Skin, Track, Transform};

pub struct Rig {
    pub rest: LocalPose,
    pub tree: Hierarchy,
    pub skin: Skin,
    pub clip: Clip,
}

/// Joint i is a child of joint (i - 1) / 3. The clip has four seconds of keys at 30 per second.
pub fn hundred_joints() -> Rig {
    const JOINTS: usize = 100;
    const KEYS: usize = 121;
    let place = |i: usize| Transform {
        translation: Vec3::new(0.1, 0.5, 0.01 * i as f32),
        rotation: Quat::from_rotation_z(0.05 * i as f32),
        scale: Vec3::ONE,
    };
    let parents = (0..JOINTS).map(|i| (i > 0).then(|| (i as u32 - 1) / 3)).collect();
    let bind = |i: usize| Affine3A::from_translation(Vec3::new(0.0, -0.1 * i as f32, 0.0));
    let wave = |i: usize, k: usize, speed: f32| (i as f32 * 0.7 + k as f32 * speed).sin();
    let mut channels = Vec::new();
    for node in 0..JOINTS {
        let times: Vec<f32> = (0..KEYS).map(|k| k as f32 / 30.0).collect();
        let moves = |k| Vec3::new(wave(node, k, 0.05), wave(node, k, 0.09), 0.3);
        let turns = |k| {
            Quat::from_rotation_x(1.5 * wave(node, k, 0.2))
                * Quat::from_rotation_y(wave(node, k, 0.13))
        };
        let grows = |k| Vec3::splat(1.0 + 0.02 * wave(node, k, 0.1));
        let (moves, turns, grows): (Vec<_>, Vec<_>, Vec<_>) = (
            (0..KEYS).map(moves).collect(),
            (0..KEYS).map(turns).collect(),
            (0..KEYS).map(grows).collect(),
        );
        let track = |keys| Track::new(times.clone(), keys, 1).unwrap();
        channels.push(Channel::Translation { node, track: track(Keys::Linear(moves)) });
        channels.push(Channel::Scale { node, track: track(Keys::Linear(grows)) });
        let track = Track::new(times.clone(), Keys::Linear(turns), 1).unwrap();
        channels.push(Channel::Rotation { node, track });
    }
    Rig {
        rest: LocalPose::new((0..JOINTS).map(place).collect(), &vec![vec![]; JOINTS]),
        tree: Hierarchy::new(parents, vec![]).unwrap(),
        skin: Skin {
            name: None,
            joints: (0..JOINTS as u32).collect(),
            joint_from_mesh: (0..JOINTS).map(bind).collect(),
        },
        clip: Clip::new(ClipParts {
            channels,
            duration_secs: (KEYS - 1) as f32 / 30.0,
            ..ClipParts::default()
        }),
    }
}
