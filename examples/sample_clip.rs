//! Builds a clip in code and samples it with `anim` alone: no file, no GPU, no session.
//!
//! `cargo run --example sample_clip` prints where the hand of a two-joint arm is at five times.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;

use rigview::anim::{
    Channel, Clip, ClipParts, Cursor, Hierarchy, Keys, LocalPose, Track, Transform, WorldPose,
};
use rigview::glam::{DVec3, Quat, Vec3};

fn main() -> Result<(), Box<dyn Error>> {
    // The shoulder turns by 90 degrees about Z in two seconds, eased by the tangents of its keys.
    let keys = Keys::Cubic {
        in_tangents: vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 2],
        values: vec![Quat::IDENTITY, Quat::from_rotation_z(std::f32::consts::FRAC_PI_2)],
        out_tangents: vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 2],
    };
    let track = Track::new(vec![0.0, 2.0], keys, 1)?;
    let clip = Clip::new(ClipParts {
        name: Some("Raise".to_owned()),
        channels: vec![Channel::Rotation { node: 0, track }],
        duration_secs: 2.0,
        ..ClipParts::default()
    });

    // The rest pose: a shoulder at the origin and a hand 0.6 m along its X axis.
    let hand = Transform { translation: Vec3::new(0.6, 0.0, 0.0), ..Transform::IDENTITY };
    let rest = LocalPose::new(vec![Transform::IDENTITY, hand], &[vec![], vec![]]);
    let tree = Hierarchy::new(vec![None, Some(0)], vec![])?;

    // These are allocated once and used again every frame.
    let (mut cursor, mut local, mut world) =
        (Cursor::default(), rest.clone(), WorldPose::default());
    for time_secs in [0.0, 0.5, 1.0, 1.5, 2.0] {
        clip.pose(time_secs, &rest, &mut cursor, &mut local);
        tree.resolve(&local, DVec3::ZERO, &mut world);
        let Vec3 { x, y, .. } = world.world_from_node(1).translation.into();
        println!("{time_secs:.1} s: hand at ({x:.3}, {y:.3}) m");
    }
    Ok(())
}
