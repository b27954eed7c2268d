//! Picks of the GPU compared with a ray cast of the exact pose, for random pixels of shared models; and the reach of
//! points and lines.

mod alpha;
mod cast;

use std::path::Path;

use cast::{Answer, Cast};
use rigview::capture::session;
use rigview::import::{ImportOptions, load};
use rigview::look::{Look, Pass};
use rigview::model::{DrawnPrimitive, Model, Stage, Topology};
use rigview::render::{AdapterChoice, Frame, Gpu, GpuModel, PickPlace, Renderer};
use rigview::session::{FileSource, Session, SessionOptions};

use crate::support::{adapter_choice, for_each, say_at_the_end, shared};

const SIZE: [u32; 2] = [400, 300];

/// Covered pixels that are compared per model.
const PIXELS: usize = 200;

/// The models, the clip's time, and what they have.
const MODELS: [(&str, f64); 24] = [
    ("CesiumMan/glTF-Binary/CesiumMan.glb", 0.7),
    ("Fox/glTF-Binary/Fox.glb", 1.3),
    ("RiggedFigure/glTF-Draco/RiggedFigure.gltf", 0.6),
    ("RiggedSimple/glTF-Binary/RiggedSimple.glb", 1.1),
    ("SimpleSkin/glTF/SimpleSkin.gltf", 1.5),
    // Several skins.
    ("RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb", 0.4),
    ("AssetGenerator/Animation_Skin/Animation_Skin_04.gltf", 0.5),
    // Palettes in parts, and many influences.
    ("Synth/SynthRig143/SynthRig143.glb", 0.8),
    ("Synth/SynthThreeSets/SynthThreeSets.glb", 0.5),
    ("Synth/SynthManyRigid/SynthManyRigid.glb", 0.5),
    // Morph targets.
    ("AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb", 1.2),
    ("AnimatedMorphSphere/glTF-Binary/AnimatedMorphSphere.glb", 2.0),
    ("MorphStressTest/glTF-Binary/MorphStressTest.glb", 1.0),
    // Alpha masks and blending.
    ("AlphaBlendModeTest/glTF-Binary/AlphaBlendModeTest.glb", 0.0),
    ("AssetGenerator/Material_AlphaMask/Material_AlphaMask_02.gltf", 0.0),
    ("AssetGenerator/Material_AlphaMask/Material_AlphaMask_06.gltf", 0.0),
    // Instances, mirrors, both sides.
    ("SimpleInstancing/glTF-Binary/SimpleInstancing.glb", 0.0),
    ("NegativeScaleTest/glTF-Binary/NegativeScaleTest.glb", 0.0),
    ("AssetGenerator/Node_NegativeScale/Node_NegativeScale_07.gltf", 0.0),
    ("TwoSidedPlane/glTF/TwoSidedPlane.gltf", 0.0),
    // CUBICSPLINE.
    ("InterpolationTest/glTF-Binary/InterpolationTest.glb", 0.9),
    ("AssetGenerator/Animation_SamplerType/Animation_SamplerType_02.gltf", 1.0),
    ("CesiumMilkTruck/glTF-Binary/CesiumMilkTruck.glb", 0.3),
    ("DamagedHelmet/glTF-Binary/DamagedHelmet.glb", 0.0),
];

/// The counts of one model.
#[derive(Debug, Default)]
struct Count {
    covered: usize,
    bare: usize,
    /// Pixels for which the ray cast has no sure answer.
    unsure: usize,
}

#[test]
fn picks_agree_with_a_ray_cast_of_the_exact_pose() {
    let Some(shared) = shared("picks_agree_with_a_ray_cast_of_the_exact_pose") else { return };
    let gpu = gpu("vulkan");
    let counts = for_each(&MODELS, |(name, time_secs)| {
        let session = opened(&shared.join("models").join(name), *time_secs, Look::default());
        let count = compare(&gpu, &session).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(count.covered, PIXELS, "{name}: {count:?}");
        assert!(count.unsure <= PIXELS, "{name}: {count:?}");
        count
    });
    let sum = |number: fn(&Count) -> usize| counts.iter().map(number).sum::<usize>();
    say_at_the_end(format!(
        "picks of {} models agree with ray casts: {} covered pixels, {} bare; {} unsure ones left out",
        MODELS.len(),
        sum(|c| c.covered),
        sum(|c| c.bare),
        sum(|c| c.unsure),
    ));
}

#[test]
fn picks_through_gl_agree_too() {
    let Some(shared) = shared("picks_through_gl_agree_too") else { return };
    let gpu = gpu("gl");
    for name in ["Fox/glTF-Binary/Fox.glb", "AlphaBlendModeTest/glTF-Binary/AlphaBlendModeTest.glb"]
    {
        let session = opened(&shared.join("models").join(name), 0.4, Look::default());
        let count = compare(&gpu, &session).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(count.covered, PIXELS, "{name}: {count:?}");
    }
}

/// The faces pass shows both sides of single-sided surfaces, and masked ones whole.
#[test]
fn picks_follow_the_pass() {
    let Some(shared) = shared("picks_follow_the_pass") else { return };
    let gpu = gpu("vulkan");
    for (pass, whole) in [(Pass::Faces, true), (Pass::Mask, true), (Pass::Normal, false)] {
        let look = Look { pass, ..Look::default() };
        let path = shared.join("models/AlphaBlendModeTest/glTF-Binary/AlphaBlendModeTest.glb");
        let session = opened(&path, 0.0, look);
        let (model, stage) = shown(&session);
        let mut cast = Cast::new(model, stage, &session.view(), SIZE);
        if whole {
            cast.show_whole();
        } else {
            cast.do_not_fade();
        }
        let count = compare_with(&gpu, &session, &cast).unwrap();
        assert_eq!(count.covered, PIXELS, "{pass:?}: {count:?}");
    }
}

/// Points and lines are found from a few pixels away, and only within reach.
#[test]
fn points_and_lines_are_found_near_them() {
    let Some(shared) = shared("points_and_lines_are_found_near_them") else { return };
    let gpu = gpu("vulkan");
    let path = shared.join("models/MeshPrimitiveModes/glTF/MeshPrimitiveModes.gltf");
    let session = opened(&path, 0.0, Look::default());
    let (model, stage) = shown(&session);
    let view = session.view();
    let (gpu_model, mut renderer) = (GpuModel::new(&gpu, model), Renderer::new(&gpu));
    let mut found = 0;
    for &node in &stage.nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (i, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            if primitive.mode.topology() == Topology::Triangles {
                continue;
            }
            let drawn = DrawnPrimitive { node, primitive: i };
            let vertex = primitive.indices[0];
            let at = stage.deformed_at(model, drawn, &[vertex]).unwrap()[0];
            let pixel = cast::pixel_of(&view, SIZE, at.as_dvec3() + stage.origin);
            let pixel = [pixel.x as u32, pixel.y as u32];
            let mut pick = |dx: u32, reach: u32| {
                let place = PickPlace { pixel: [pixel[0] - dx, pixel[1]], size: SIZE, reach };
                let look = session.look();
                let frame = frame(&session, &gpu_model, &view, look);
                renderer.pick(&gpu, &frame, place).unwrap().wait(&gpu).unwrap()
            };
            let hit = pick(3, 4).expect("a point or line within reach");
            assert_eq!(hit.drawn, drawn);
            let nearest = stage.touch(model, &hit).map(|touch| touch.nearest);
            assert_eq!(nearest, Some(vertex));
            if primitive.mode.topology() == Topology::Points {
                assert_eq!(pick(3, 1), None, "out of reach");
            }
            found += 1;
        }
    }
    assert_eq!(found, 4, "points, lines, a loop and a strip");
}

fn gpu(backend: &str) -> Gpu {
    let backend = cfg!(target_os = "linux").then(|| backend.to_owned());
    Gpu::headless(&AdapterChoice { backend, ..adapter_choice() }).unwrap()
}

fn opened(path: &Path, time_secs: f64, look: Look) -> Session {
    let loaded = load(path, &ImportOptions::default()).unwrap();
    let options = SessionOptions { look, time_secs: Some(time_secs), ..SessionOptions::default() };
    let mut session = session(FileSource::Path(path.to_owned()), loaded, options);
    let aspect = f64::from(SIZE[0]) / f64::from(SIZE[1]);
    session.apply(rigview::session::CameraAction::SetAspect(aspect));
    session.pose();
    session
}

fn shown(session: &Session) -> (&Model, &Stage) {
    let playback = session.playback();
    (&playback.document().unwrap().model, playback.stage().unwrap())
}

fn frame<'a>(
    session: &'a Session,
    gpu_model: &'a GpuModel,
    view: &'a rigview::look::View,
    look: &'a Look,
) -> Frame<'a> {
    let (model, stage) = shown(session);
    Frame {
        model,
        gpu_model,
        stage,
        others: &[],
        ghosts: &[],
        view,
        look,
        bounds: session.camera().bounds(),
        metered: None,
    }
}

fn compare(gpu: &Gpu, session: &Session) -> Result<Count, String> {
    let (model, stage) = shown(session);
    compare_with(gpu, session, &Cast::new(model, stage, &session.view(), SIZE))
}

/// Compares random pixels until enough covered ones were sure.
fn compare_with(gpu: &Gpu, session: &Session, cast: &Cast) -> Result<Count, String> {
    let (model, stage) = shown(session);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let [left, top, right, bottom] = cast.part_of(SIZE);
    let (mut count, mut wanted) = (Count::default(), Vec::new());
    for _ in 0..20_000 {
        if count.covered == PIXELS {
            break;
        }
        let pixel = [random.between(left, right), random.between(top, bottom)];
        match cast.at(pixel) {
            Answer::Unsure => count.unsure += 1,
            Answer::Nothing if count.bare == PIXELS / 4 => {}
            Answer::Nothing => {
                count.bare += 1;
                wanted.push((pixel, None));
            }
            Answer::Vertex { node, primitive, vertex } => {
                count.covered += 1;
                wanted.push((pixel, Some((node, primitive, vertex))));
            }
        }
    }
    let (gpu_model, mut renderer) = (GpuModel::new(gpu, model), Renderer::new(gpu));
    let view = session.view();
    let frame = frame(session, &gpu_model, &view, session.look());
    let picks: Vec<_> = wanted
        .iter()
        .map(|(pixel, _)| {
            let place = PickPlace { pixel: *pixel, size: SIZE, reach: 3 };
            renderer.pick(gpu, &frame, place).unwrap()
        })
        .collect();
    for ((pixel, want), pick) in wanted.into_iter().zip(picks) {
        let hit = pick.wait(gpu).map_err(|e| e.to_string())?;
        let got = hit.map(|hit| {
            let touch = stage.touch(model, &hit).ok_or("nothing touched")?;
            let mesh = &model.meshes[model.nodes[hit.drawn.node].mesh.unwrap()];
            let vertex = mesh.primitives[hit.drawn.primitive].index_in_file(touch.nearest);
            Ok::<_, String>((hit.drawn.node, hit.drawn.primitive, vertex))
        });
        let got = got.transpose()?;
        if got != want {
            return Err(format!("pixel {pixel:?}: {got:?} instead of {want:?}; {hit:?}"));
        }
    }
    Ok(count)
}

/// Numbers of xorshift64*.
struct Random(u64);

impl Random {
    /// Both ends are possible.
    fn between(&mut self, first: u32, last: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        first + (number % u64::from(last - first + 1)) as u32
    }
}
