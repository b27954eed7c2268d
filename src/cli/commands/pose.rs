//! `rigview pose`: prints the pose behind a picture as numbers: as text, JSON or CSV (RFC 4180), or only the largest
//! difference between the vertices that the CPU and the GPU pose.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::cli::args::clip::ClipArgs;
use crate::cli::args::scene::GpuArgs;
use crate::cli::args::values::whole;
use crate::cli::choice::{adapter, given_pose, read, scene_index, source};
use crate::cli::clips::{chosen_clip, replace_clips, warn_of_clip_fps};
use crate::cli::failure::{Failure, Result, usage_error};
use crate::cli::input::import_options;
use crate::cli::output::{Inputs, print, write_json_line};
use rigview_anim::ALL_CLIPS;
use rigview_import::{ImageDecoding, ImportError, escaped};
use rigview_model::{DrawnPrimitive, Model, Stage};
use rigview_render::{Gpu, GpuError, GpuModel, PosedPrimitive, Probe};
use rigview_report::{
    NodePose, PoseReport, VertexSample, charge_pose, counted, local_pose_of, pose_report, sampled,
};

#[derive(Debug, Args)]
pub struct PoseArgs {
    /// A model (.glb, .gltf, .vrm, .fbx, .bvh); - is standard input [default: the built-in rig].
    pub file: Option<PathBuf>,
    /// Print one line of JSON per time; same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Set the output format: text, JSON with one line per time, or CSV with one row per node (and vertex)
    /// and time.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Also print N posed vertices per primitive, evenly spread over its vertices.
    #[arg(long, value_name = "N", value_parser = whole(2, u32::MAX))]
    pub vertices: Option<u32>,
    /// Compute the vertices on the GPU.
    #[arg(long)]
    pub gpu: bool,
    /// Print only the largest difference between the vertices that CPU and GPU compute, all of them.
    #[arg(long, requires = "gpu", conflicts_with = "vertices")]
    pub compare: bool,
    /// With --compare: end with exit code 1 if a vertex is further than this many metres away, or finite on one side
    /// only.
    #[arg(long, requires = "compare", value_name = "METRES", value_parser = metres)]
    pub tolerance: Option<f32>,
    /// Pose this scene, by name or index [default: the file's default scene].
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,
    #[command(flatten)]
    pub clip: ClipArgs,
    #[command(flatten)]
    pub adapter: GpuArgs,
}

impl PoseArgs {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

fn metres(text: &str) -> Result<f32, String> {
    let metres = text.parse().ok().filter(|metres: &f32| *metres >= 0.0 && metres.is_finite());
    metres.ok_or_else(|| "expected a number from 0, in metres".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One object per line.
    Json,
    /// One row per node or vertex.
    Csv,
}

#[derive(Serialize)]
struct Instant<'a> {
    file: &'a str,
    clip: Option<usize>,
    clip_name: Option<&'a str>,
    time: f64,
    #[serde(flatten)]
    said: Said,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<GpuName>,
    /// Whether it is the pose of a file, which has no time.
    #[serde(skip)]
    is_given: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Said {
    Pose(PoseReport),
    Difference { difference: Difference },
}

#[derive(Clone, Serialize)]
struct GpuName {
    adapter: String,
    backend: &'static str,
}

pub fn run(args: &PoseArgs) -> Result {
    if args.compare && args.format() == Format::Csv {
        return usage_error("--compare: use --format text or json");
    }
    warn_of_clip_fps(&args.clip);
    let source = source(args.file.as_deref());
    let options = import_options(ImageDecoding::Headers, args.clip.clips.bvh_scale());
    let inputs = Inputs::default();
    let mut loaded = read(&source, &options, &inputs)?;
    let given = given_pose(&args.clip, Some(&loaded.model))?;
    loaded.model.rest = local_pose_of(&loaded.model, &given.nodes).0;
    replace_clips(&args.clip.clips, &mut loaded.model, &inputs)?;
    let model = &loaded.model;
    let chosen = chosen_clip(&args.clip, model)?;
    let clip = chosen.clip.as_deref();
    let mut stage = Stage::new(model, scene_index(args.scene.as_deref(), model)?);
    let file = source.path_text();
    let mut gpu = if args.gpu { Some(OnGpu::new(args, model)?) } else { None };
    charge(args, &file, model)?;
    let mut times = args.clip.times_secs();
    if times.is_empty() {
        times.push(0.0);
    }
    let duration = clip.map_or(0.0, |c| f64::from(c.duration_secs()));
    if args.format() == Format::Csv {
        print(write_header)?;
    }
    let mut beyond = None;
    for time in times {
        let time = time.clamp(0.0, duration);
        stage.pose(model, clip, time);
        let said = match &mut gpu {
            Some(gpu) if args.compare => {
                let posed = gpu.posed(model, &stage)?;
                let difference = difference(model, &stage, &posed);
                if args.tolerance.is_some_and(|most| difference.is_beyond(most)) {
                    beyond = beyond.or(Some(time));
                }
                Said::Difference { difference }
            }
            gpu => Said::Pose(pose_at(args, model, &stage, gpu.as_mut(), time)?),
        };
        let instant = Instant {
            file: &file,
            clip: chosen.index,
            clip_name: clip.and_then(|c| c.name()),
            time,
            said,
            gpu: gpu.as_ref().map(|g| g.name.clone()),
            is_given: args.clip.pose.is_some(),
        };
        print(|out| match (args.format(), &instant.said) {
            (Format::Json, _) => write_json_line(out, &instant),
            (Format::Csv, Said::Pose(pose)) => write_rows(out, time, pose),
            _ => write_text(out, &instant, model),
        })?;
    }
    let (Some(time), Some(most)) = (beyond, args.tolerance) else { return Ok(()) };
    Err(Failure::No(format!("CPU and GPU differ by more than {most} m, first at {time} s")))
}

fn pose_at(
    args: &PoseArgs,
    model: &Model,
    stage: &Stage,
    gpu: Option<&mut OnGpu>,
    time: f64,
) -> Result<PoseReport> {
    let mut pose = pose_report(model, stage);
    warn_not_finite(&pose, time);
    if let Some(n) = args.vertices {
        pose.vertices = match gpu {
            Some(gpu) => gpu.vertices(model, stage, n as usize)?,
            None => sampled(model, stage, n as usize, |drawn, which| {
                stage.deformed_at(model, drawn, which)
            }),
        };
    }
    Ok(pose)
}

/// Charges the printed numbers to the file's budget. If only `--vertices` exceeds it, reports a usage
/// error, otherwise a fault of the file.
fn charge(args: &PoseArgs, file: &str, model: &Model) -> Result {
    let asked = args.vertices.map_or(0, |n| n as usize);
    let Err(over) = charge_pose(model, asked) else { return Ok(()) };
    if charge_pose(model, asked.min(2)).is_err() {
        let error = ImportError::over_budget("its pose", over);
        return Err(Failure::load(Path::new(file), error));
    }
    let limit = over.limit >> 20;
    usage_error(format!("--vertices {asked}: the samples take over {limit} MiB; ask for fewer"))
}

fn warn_not_finite(pose: &PoseReport, time: f64) {
    let mut odd = pose.nodes.iter().filter(|node| node.not_finite);
    if let Some(first) = odd.next() {
        let (index, name) = (first.index, escaped(&first.name));
        let nodes = counted(1 + odd.count(), "node");
        log::warn!(
            "at {time} s the world matrices of {nodes} are NaN or infinite, first that of node {index} \"{name}\""
        );
    }
    let mut odd = pose.skins.iter().filter(|skin| skin.not_finite);
    if let Some(first) = odd.next() {
        let (skins, index) = (counted(1 + odd.count(), "skin"), first.index);
        log::warn!(
            "at {time} s the joint matrices of {skins} are NaN or infinite, first those of skin {index}"
        );
    }
}

struct OnGpu {
    gpu: Gpu,
    probe: Probe,
    model: GpuModel,
    name: GpuName,
}

impl OnGpu {
    fn new(args: &PoseArgs, model: &Model) -> Result<Self> {
        let gpu = Gpu::headless(&adapter(&args.adapter))?;
        let name = GpuName { adapter: gpu.adapter_name(), backend: gpu.backend_name() };
        let (probe, model) = (Probe::new(&gpu), GpuModel::new(&gpu, model));
        Ok(Self { gpu, probe, model, name })
    }

    fn posed(&mut self, model: &Model, stage: &Stage) -> Result<Vec<PosedPrimitive>, GpuError> {
        self.probe.positions(model, &self.model, stage)?.wait(&self.gpu)
    }

    fn vertices(
        &mut self,
        model: &Model,
        stage: &Stage,
        count: usize,
    ) -> Result<Vec<VertexSample>> {
        let posed = self.posed(model, stage)?;
        Ok(sampled(model, stage, count, |drawn, which| {
            let key = (drawn.node, drawn.primitive);
            let at = posed.binary_search_by_key(&key, |p| (p.node, p.primitive));
            let all = &posed[at.ok()?].positions;
            Some(which.iter().map(|i| glam::Vec3::from(all[*i as usize])).collect())
        }))
    }
}

fn write_text(out: &mut dyn Write, instant: &Instant<'_>, model: &Model) -> io::Result<()> {
    let clip = match (instant.clip, instant.clip_name) {
        (None, None) => "rest pose".to_owned(),
        (None, Some(ALL_CLIPS)) => "all clips".to_owned(),
        (None, Some(names)) => format!("clips \"{}\"", escaped(names)),
        (Some(clip), name) => format!("clip {clip} \"{}\"", escaped(name.unwrap_or_default())),
    };
    let file = escaped(instant.file);
    // The times of files are single precision; further digits are noise.
    if instant.is_given {
        writeln!(out, "{file}: the pose of --pose")?
    } else {
        writeln!(out, "{file}: {clip} at {} s", instant.time as f32)?
    }
    match &instant.said {
        Said::Pose(pose) => write_pose(out, pose)?,
        Said::Difference { difference } => write_difference(out, model, difference)?,
    }
    if let Some(gpu) = &instant.gpu {
        writeln!(out, "  on {} ({})", escaped(&gpu.adapter), gpu.backend)?;
    }
    Ok(())
}

fn write_pose(out: &mut dyn Write, pose: &PoseReport) -> io::Result<()> {
    writeln!(out, "  node  position in the scene                   name")?;
    for node in &pose.nodes {
        let (i, at, name) = (node.index, &node.world[12..15], escaped(&node.name));
        if node.not_finite {
            writeln!(out, "  {i:>4}  {:<38}  {name}", "not finite")?;
            continue;
        }
        writeln!(out, "  {i:>4}  {:>12.5} {:>12.5} {:>12.5}  {name}", at[0], at[1], at[2])?;
        if let Some(weights) = &node.weights {
            writeln!(out, "        morph weights {weights:?}")?;
        }
    }
    for v in &pose.vertices {
        writeln!(out, "  node {} primitive {}: vertices", v.node, v.primitive)?;
        for (i, at) in v.index.iter().zip(&v.position) {
            match at {
                Some([x, y, z]) => writeln!(out, "  {i:>7}  {x:>12.5} {y:>12.5} {z:>12.5}")?,
                None => writeln!(out, "  {i:>7}  not finite")?,
            }
        }
    }
    Ok(())
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Difference {
    vertices: usize,
    /// Number of vertices of which only one of both positions is finite.
    not_finite: usize,
    /// The largest distance between both positions of a vertex, in metres.
    distance: f32,
    /// The vertex with the largest distance; `None` if all are equal.
    at: Option<VertexOfModel>,
}

/// A vertex of the model. Files whose vertices the import has split have other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct VertexOfModel {
    node: usize,
    primitive: usize,
    vertex: usize,
}

impl Difference {
    /// Whether a vertex is further away than some metres, or finite on one side only.
    fn is_beyond(&self, metres: f32) -> bool {
        self.not_finite > 0 || self.distance > metres
    }
}

fn difference(model: &Model, stage: &Stage, posed: &[PosedPrimitive]) -> Difference {
    let mut difference = Difference::default();
    for PosedPrimitive { node, primitive, positions } in posed {
        let (node, primitive) = (*node, *primitive);
        let all: Vec<u32> = (0..positions.len() as u32).collect();
        let drawn = DrawnPrimitive { node, primitive };
        let Some(own) = stage.deformed_at(model, drawn, &all) else { continue };
        for (vertex, (a, b)) in own.iter().zip(positions).enumerate() {
            difference.vertices += 1;
            let b = glam::Vec3::from(*b);
            let distance = a.distance(b);
            if !distance.is_finite() {
                difference.not_finite += usize::from(a.is_finite() != b.is_finite());
            } else if distance > difference.distance {
                difference.distance = distance;
                difference.at = Some(VertexOfModel { node, primitive, vertex });
            }
        }
    }
    difference
}

fn write_difference(out: &mut dyn Write, model: &Model, difference: &Difference) -> io::Result<()> {
    let Difference { vertices, not_finite, distance, at } = difference;
    write!(out, "  largest difference of {vertices} vertices: {distance:e} m")?;
    if let Some(VertexOfModel { node, primitive, vertex }) = at {
        let name = escaped(model.nodes[*node].name.as_deref().unwrap_or_default());
        write!(out, " at node {node} \"{name}\", primitive {primitive}, vertex {vertex}")?;
    }
    writeln!(out)?;
    if *not_finite > 0 {
        writeln!(out, "  not finite on one side only: {not_finite} vertices")?;
    }
    Ok(())
}

/// The columns that all rows have, and those of a node up to its matrix to the scene.
const COLUMNS: &str = "time,kind,node,name,primitive,vertex,x,y,z,translation_x,translation_y,translation_z,\
                       rotation_x,rotation_y,rotation_z,rotation_w,scale_x,scale_y,scale_z";
const LOCAL: usize = 10;
const WORLD: usize = 16;

fn write_header(out: &mut dyn Write) -> io::Result<()> {
    let world: String = (0..WORLD).map(|i| format!(",world_{i}")).collect();
    write!(out, "{COLUMNS}{world},weights\r\n")
}

/// Writes the rows of one time. Numbers that are not finite are empty.
fn write_rows(out: &mut dyn Write, time: f64, pose: &PoseReport) -> io::Result<()> {
    for node in &pose.nodes {
        write_row(out, &node_row(time, node))?;
    }
    let rest = LOCAL + WORLD + 1;
    for sample in &pose.vertices {
        let node = pose.nodes.get(sample.node);
        let name = node.map(|node| escaped(&node.name)).unwrap_or_default();
        for (vertex, position) in sample.index.iter().zip(&sample.position) {
            let mut row = vec![time.to_string(), "vertex".into(), sample.node.to_string()];
            row.extend([name.clone(), sample.primitive.to_string(), vertex.to_string()]);
            match position {
                Some(position) => row.extend(position.iter().map(|x| number(*x))),
                None => row.extend([const { String::new() }; 3]),
            }
            row.resize(row.len() + rest, String::new());
            write_row(out, &row)?;
        }
    }
    Ok(())
}

fn node_row(time: f64, node: &NodePose) -> Vec<String> {
    let mut row = vec![time.to_string(), "node".into(), node.index.to_string()];
    row.extend([escaped(&node.name), String::new(), String::new()]);
    row.extend((12..15).map(|i| node.world.get(i).map_or(String::new(), |x| number(*x))));
    let part = |list: Option<&[f32]>, count: usize| {
        let list = list.unwrap_or_default();
        (0..count).map(|i| list.get(i).map_or(String::new(), |x| number(*x))).collect::<Vec<_>>()
    };
    row.extend(part(node.translation.as_ref().map(|t| &t[..]), 3));
    row.extend(part(node.rotation.as_ref().map(|r| &r[..]), 4));
    row.extend(part(node.scale.as_ref().map(|s| &s[..]), 3));
    row.extend(part(Some(&node.world), WORLD));
    let weights = node.weights.iter().flatten().map(|x| number(*x));
    row.push(weights.collect::<Vec<_>>().join(" "));
    row
}

fn number(x: f32) -> String {
    if x.is_finite() { x.to_string() } else { String::new() }
}

fn write_row(out: &mut dyn Write, row: &[String]) -> io::Result<()> {
    for (i, field) in row.iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        if field.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?
        } else {
            out.write_all(field.as_bytes())?
        }
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_quotes_are_one_field() {
        let mut out = Vec::new();
        write_row(&mut out, &["a".into(), "b, \"c\"".into(), String::new()]).unwrap();
        assert_eq!(out, b"a,\"b, \"\"c\"\"\",\r\n");
    }
}
