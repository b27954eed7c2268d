//! `rigview pose`: the numbers behind a picture.

use std::io::{self, Write};

use serde::Serialize;

use super::args::PoseArgs;
use super::choice::{adapter, chosen_clip, given_pose, read, scene_index, source, take_clips};
use super::failure::Failure;
use super::output::{json_line, print};
use crate::import::{ImageDecoding, ImportOptions, escaped};
use crate::model::{Model, Stage};
use crate::render::{Gpu, GpuModel, posed_positions};
use crate::report::{PoseReport, VertexSample, local_pose_of, pose_report, sampled};

/// One line of `pose --json`.
#[derive(Serialize)]
struct Instant<'a> {
    file: &'a str,
    clip: Option<usize>,
    clip_name: Option<&'a str>,
    time: f64,
    #[serde(flatten)]
    pose: PoseReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<GpuName>,
}

#[derive(Clone, Serialize)]
struct GpuName {
    adapter: String,
    backend: &'static str,
}

pub fn run(args: &PoseArgs) -> Result<(), Failure> {
    let source = source(args.file.as_deref());
    let options = ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::default() };
    let mut loaded = read(&source, &options)?;
    let given = given_pose(&args.clip, Some(&loaded.model))?;
    loaded.model.rest = local_pose_of(&loaded.model, &given).0;
    take_clips(&args.clip.clips, &mut loaded.model)?;
    let model = &loaded.model;
    let chosen = chosen_clip(&args.clip, model)?;
    let clip = chosen.clip.as_deref();
    let mut stage = Stage::new(model, scene_index(args.scene.as_deref(), model)?);
    let gpu = if args.gpu { Some(OnGpu::new(args, model)?) } else { None };
    let mut times = args.clip.times_secs();
    if times.is_empty() {
        times.push(0.0);
    }
    let file = source.path_text();
    let duration = clip.map_or(0.0, |c| f64::from(c.duration_secs()));
    for time in times {
        let time = time.clamp(0.0, duration);
        stage.pose(model, clip, time);
        let mut pose = pose_report(model, &stage);
        if let Some(n) = args.vertices {
            pose.vertices = match &gpu {
                Some(gpu) => gpu.vertices(model, &stage, n as usize)?,
                None => {
                    sampled(model, &stage, n as usize, |node, p| stage.deformed(model, node, p))
                }
            };
        }
        let instant = Instant {
            file: &file,
            clip: chosen.index,
            clip_name: clip.and_then(|c| c.name()),
            time,
            pose,
            gpu: gpu.as_ref().map(|g| g.name.clone()),
        };
        if args.json {
            let line = json_line(&instant)?;
            print(|out| out.write_all(line.as_bytes()))?;
        } else {
            print(|out| write_text(out, &instant))?;
        }
    }
    Ok(())
}

/// The device that vertices are computed on.
struct OnGpu {
    gpu: Gpu,
    model: GpuModel,
    name: GpuName,
}

impl OnGpu {
    fn new(args: &PoseArgs, model: &Model) -> Result<Self, Failure> {
        let gpu = Gpu::headless(&adapter(&args.adapter))?;
        let name = GpuName { adapter: gpu.adapter_name(), backend: gpu.backend_name() };
        Ok(Self { model: GpuModel::new(&gpu, model), gpu, name })
    }

    fn vertices(
        &self,
        model: &Model,
        stage: &Stage,
        count: usize,
    ) -> Result<Vec<VertexSample>, Failure> {
        let posed = posed_positions(&self.gpu, model, &self.model, stage)?;
        Ok(sampled(model, stage, count, |node, primitive| {
            let at = posed.binary_search_by_key(&(node, primitive), |p| (p.node, p.primitive));
            Some(posed[at.ok()?].positions.iter().map(|p| glam::Vec3::from(*p)).collect())
        }))
    }
}

fn write_text(out: &mut dyn Write, instant: &Instant<'_>) -> io::Result<()> {
    let clip = match (instant.clip, instant.clip_name) {
        (None, None) => "rest pose".to_owned(),
        (None, Some(_)) => "all clips".to_owned(),
        (Some(clip), name) => format!("clip {clip} \"{}\"", escaped(name.unwrap_or_default())),
    };
    writeln!(out, "{}: {clip} at {} s", escaped(instant.file), instant.time)?;
    writeln!(out, "  node  place in the scene                      name")?;
    for node in &instant.pose.nodes {
        let (i, at, name) = (node.index, &node.world[12..15], escaped(&node.name));
        writeln!(out, "  {i:>4}  {:>12.5} {:>12.5} {:>12.5}  {name}", at[0], at[1], at[2])?;
        if let Some(weights) = &node.weights {
            writeln!(out, "        morph weights {weights:?}")?;
        }
    }
    for v in &instant.pose.vertices {
        writeln!(out, "  node {} primitive {}: vertices", v.node, v.primitive)?;
        for (i, at) in v.index.iter().zip(&v.position) {
            match at {
                Some([x, y, z]) => writeln!(out, "  {i:>7}  {x:>12.5} {y:>12.5} {z:>12.5}")?,
                None => writeln!(out, "  {i:>7}  no number")?,
            }
        }
    }
    if let Some(gpu) = &instant.gpu {
        writeln!(out, "  on {} ({})", escaped(&gpu.adapter), gpu.backend)?;
    }
    Ok(())
}
