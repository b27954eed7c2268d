//! Ray intersections with the posed surface, compared with the depths that the GPU draws.

use glam::DVec2;
use rigview::capture::{Picture, picture, session};
use rigview::import::{ImportOptions, load_bytes};
use rigview::look::{Look, Pass};
use rigview::session::{FileSource, Session, SessionOptions};

use crate::support::{gpu, shared};

const SIZE: [u32; 2] = [160, 120];

/// A ray is cast for every third pixel, which are in all columns and rows; each poses the whole surface.
const STEP: usize = 3;

fn opened(bytes: Vec<u8>, time_secs: f64) -> Session {
    let loaded = load_bytes(bytes.clone(), &ImportOptions::default()).unwrap();
    let source = FileSource::BuiltIn { name: "model", bytes: bytes.leak() };
    let look = Look { pass: Pass::Depth, ..Look::default() };
    let options = SessionOptions { look, time_secs: Some(time_secs), ..SessionOptions::default() };
    session(source, loaded, options)
}

/// Returns the number of pixels whose rays hit a surface, after checking that all rays agree with the picture.
fn compare(bytes: Vec<u8>, time_secs: f64) -> usize {
    let gpu = gpu();
    let mut session = opened(bytes, time_secs);
    let Picture::Grey16 { values, .. } = picture(&gpu, &mut session, SIZE).unwrap() else {
        panic!("depth is grey");
    };
    let view = session.view();
    let (near, far) = view.depth_range();
    let (model, stage) =
        (&session.playback().document().unwrap().model, session.playback().stage().unwrap());
    let eye = view.world_from_camera;
    let (mut met, mut off) = (0, 0);
    for (i, value) in values.iter().enumerate().step_by(STEP) {
        let [x, y] = [i % SIZE[0] as usize, i / SIZE[0] as usize].map(|n| n as f64 + 0.5);
        let middle = DVec2::new(f64::from(SIZE[0]), f64::from(SIZE[1])) * 0.5;
        let at = (DVec2::new(x, y) - middle) / f64::from(SIZE[1]);
        let ahead = stage.surface_along(model, None, view.ray(at)).map(|point| {
            met += 1;
            (eye.translation - point).dot(eye.matrix3.z_axis)
        });
        let (near, far) = (f64::from(near), f64::from(far));
        let want = near + f64::from(*value) / 65535.0 * (far - near);
        // On an outline, the GPU's sample may be on the other side of it.
        let wrong = (ahead.unwrap_or(far) - want).abs() > 1e-3 * (far - near);
        off += usize::from(wrong);
    }
    let cast = values.len() / STEP;
    assert!(off <= cast / 500, "{off} of {cast} pixels differ");
    STEP * met
}

#[test]
fn a_ray_meets_a_skinned_surface_where_the_gpu_draws_it() {
    let creature = include_bytes!("../../assets/creature.glb").to_vec();
    assert!(compare(creature, 0.7) > 2000);
}

#[test]
fn a_ray_meets_what_the_gpu_draws_of_morphed_mirrored_and_instanced_models() {
    let test = "a_ray_meets_what_the_gpu_draws_of_morphed_mirrored_and_instanced_models";
    let Some(shared) = shared(test) else { return };
    for name in ["AnimatedMorphCube", "NegativeScaleTest", "SimpleInstancing", "CesiumMan"] {
        let path = shared.join(format!("models/{name}/glTF-Binary/{name}.glb"));
        if let Ok(bytes) = std::fs::read(&path) {
            assert!(compare(bytes, 0.5) > 500, "{name}");
        }
    }
}
