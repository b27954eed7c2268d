//! Compares the pose of a case with its golden: at the case's instants, and over the whole clip.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::case::{Case, CaseInstant};
use super::golden::{draw_only, golden_bytes, playing, read_golden, shown_meshes};
use super::goldens::{golden_name, older_goldens};
use super::judge::{Judge, open_check, pose_in_words, shown};
use super::motion_scripts::motion_scripts;
use super::results::{CheckResult, Kind, MotionFiles, PoseResult, Status};
use rigview_anim::{Clip, instants};
use rigview_compare::{Apart, CompareProgress, ComparisonError, Measuring, Moment};
use rigview_import::escaped;
use rigview_model::{Model, Stage};
use rigview_report::counted;
use rigview_session::Session;

/// The golden and the file of a case, each with the case's clip alone and with the meshes that are visible in it.
#[derive(Debug)]
pub struct PosePair {
    pub golden: Model,
    pub file: Model,
}

/// A difference of a golden and its file.
struct Difference {
    time_secs: f64,
    /// Whether it is the largest one of the whole clip, and not that of an instant of the case.
    is_largest: bool,
    pose: PoseResult,
}

impl Judge<'_> {
    /// Compares the pose of a session with its golden. Keeps both for the report.
    pub fn pose(&mut self, session: &Session) {
        let playback = session.playback();
        let Some((document, stage)) = playback.document().zip(playback.stage()) else { return };
        let (model, scene) = (&document.model, stage.scene);
        let case = &self.order.case;
        let golden = self.order.goldens.join(golden_name(case));
        let approved = self.read_golden(&golden).map_err(|missing| self.older_golden(missing));
        let compared = approved.and_then(|bytes| {
            let wrong = |what: String| {
                let (name, command) = (shown(&golden), &self.order.bless_command);
                format!("{name}: {}; if it is right: {command}", what.trim_end_matches('.'))
            };
            let approved = read_golden(&bytes).map_err(|what| wrong(escaped(&what)))?;
            let mut pair = PosePair {
                golden: playing(&approved, approved.default_scene, approved.clips.first()),
                file: playing(model, scene, playback.clip()),
            };
            let differences = pair.differences(case).map_err(wrong);
            self.approved = Some(pair);
            differences
        });
        let mut checks = Vec::new();
        match compared {
            Ok(differences) => {
                checks.extend(differences.into_iter().filter_map(|of| pose_check(case, of)));
            }
            Err(what) => {
                checks.push(CheckResult { message: Some(what), ..open_check(Kind::Pose, None) });
            }
        }
        if let Some(failed) = checks.iter().find(|check| check.status != Status::Passed) {
            let mut verdict = failed.clone();
            let clip = playback.clip_index().filter(|clip| *clip < model.clips.len());
            self.bless(&golden, &mut verdict, |out| {
                let bytes = golden_bytes(model, scene, clip, case.pose_tolerance);
                out.write_all(&bytes.map_err(std::io::Error::other)?)
            });
            match (verdict.status, verdict.message) {
                (Status::Passed, _) => {
                    checks.iter_mut().for_each(|check| {
                        (check.status, check.message) = (Status::Passed, None);
                    });
                }
                (Status::Error, message) => {
                    checks[0].status = Status::Error;
                    checks[0].message = message;
                }
                (Status::Failed, _) => {}
            }
        }
        self.checks.extend(checks);
    }

    /// Says that a golden is missing, and that there is one of an older kind, if so.
    fn older_golden(&self, missing: String) -> String {
        let older = older_goldens(&self.order.case).into_iter();
        let mut older = older.map(|name| self.order.goldens.join(name)).filter(|at| at.exists());
        match older.next() {
            Some(older) => format!("{} is a golden of an older kind; {missing}", shown(&older)),
            None => missing,
        }
    }
}

impl Judge<'_> {
    /// Writes the scripts of the report, if the session plays a clip: those of a case that passed without the golden, which is the
    /// same.
    pub fn motion(&mut self, session: &Session) {
        let playback = session.playback();
        let (Some(document), Some(stage), Some(clip), Some(_)) =
            (playback.document(), playback.stage(), playback.clip(), &self.order.report)
        else {
            return;
        };
        let scripts = match &self.approved {
            Some(pair) if self.has_failed() => motion_scripts(&pair.file, Some(&pair.golden)),
            Some(pair) => motion_scripts(&pair.file, None),
            None => motion_scripts(&playing(&document.model, stage.scene, Some(clip)), None),
        };
        let name = self.order.case.name.clone();
        let [result, reference] =
            [format!("motions/{name}.js"), format!("motions/{name}@reference.js")];
        let Some(result) = self.put(result, |out| out.write_all(scripts.result.as_bytes())) else {
            return;
        };
        let reference = scripts
            .reference
            .and_then(|script| self.put(reference, |out| out.write_all(script.as_bytes())));
        self.motion = Some(MotionFiles { reference, result });
    }
}

/// Returns the check of a difference; `None` for that of the whole clip if it is within the tolerance.
fn pose_check(case: &Case, difference: Difference) -> Option<CheckResult> {
    let Difference { time_secs, is_largest, pose } = difference;
    let mut check = open_check(Kind::Pose, Some(time_secs));
    if pose.distance > case.pose_tolerance {
        check.message = Some(pose_in_words(&pose, case.pose_tolerance));
    } else if is_largest {
        return None;
    } else {
        check.status = Status::Passed;
    }
    check.pose = Some(pose);
    Some(check)
}

impl PosePair {
    /// Returns the differences at the case's instants, and the largest one of the clip. From then on, neither model has the
    /// meshes that are hidden throughout.
    ///
    /// # Errors
    /// In words, if a named node, a mesh or a part of one is in one of both alone.
    fn differences(&mut self, case: &Case) -> Result<Vec<Difference>, String> {
        match [&self.golden, &self.file].map(|model| model.clips.is_empty()) {
            [true, false] => return Err("the golden is of the rest pose, not of a clip".to_owned()),
            [false, true] => return Err("the golden is of a clip, not of the rest pose".to_owned()),
            _ => {}
        }
        let seen = Seen::new(self, case)?;
        let shown = |side: usize| {
            let all = seen.shown.iter().map(|(_, shown)| &shown[side]);
            all.cloned().reduce(|a, b| a.iter().zip(&b).map(|(a, b)| *a || *b).collect())
        };
        draw_only(&mut self.golden, &shown(0).unwrap_or_default());
        draw_only(&mut self.file, &shown(1).unwrap_or_default());
        let mut measured = MeasuredPair::new(self)?;
        measured.check_points()?;
        let mut differences = Vec::new();
        for (instant, nodes) in case.instants.iter().zip(&seen.at_instants) {
            let time_secs = instant.secs;
            let pose = measured.pose(time_secs, *nodes);
            differences.push(Difference { time_secs, is_largest: false, pose });
        }
        let Some(mut largest) = measured.largest(&seen)? else { return Ok(differences) };
        // Where some meshes are shown for a while, those that are hidden then may lie where the shown ones were.
        if seen.shown.len() > 1 {
            for (time_secs, shown) in &seen.shown {
                let mut pair = Self { golden: self.golden.clone(), file: self.file.clone() };
                draw_only(&mut pair.golden, &shown[0]);
                draw_only(&mut pair.file, &shown[1]);
                let mut measured = MeasuredPair::new(&pair)?;
                let missing = |what| format!("{what} at {time_secs:.3} s");
                measured.check_points().map_err(missing)?;
                let pose = measured.pose(*time_secs, None);
                if pose.distance > largest.pose.distance {
                    largest = Difference { time_secs: *time_secs, is_largest: true, pose };
                }
            }
        }
        differences.push(largest);
        Ok(differences)
    }
}

/// A named node and how far it is from where the golden has it, in metres.
#[derive(Clone, Copy)]
struct NodeApart {
    /// The node of the golden.
    node: usize,
    distance: f64,
}

/// What both models show while their clips play.
struct Seen {
    /// The named node that is farthest apart at each of the case's instants; `None` without named nodes.
    at_instants: Vec<Option<NodeApart>>,
    /// The one that is farthest apart over the clip, with the time in seconds.
    farthest: Option<(f64, NodeApart)>,
    /// Which meshes both show, by node, each with the first time in seconds.
    shown: Vec<(f64, [Vec<bool>; 2])>,
}

impl Seen {
    /// # Errors
    /// In words, if a named node is missing, or if its mesh is hidden in one of both alone.
    fn new(PosePair { golden, file }: &PosePair, case: &Case) -> Result<Self, String> {
        let mut posed = PosedNodes::new([golden, file])?;
        let mut at_instant = |instant: &CaseInstant| {
            posed.pose(instant.secs);
            posed.farthest()
        };
        let at_instants = case.instants.iter().map(&mut at_instant).collect();
        let mut seen = Self { at_instants, farthest: None, shown: Vec::new() };
        let mut known = HashSet::new();
        let clips: Vec<&Clip> = [golden, file].iter().flat_map(|model| &model.clips).collect();
        for time_secs in instants(&clips) {
            posed.pose(time_secs);
            posed.check_visibility(time_secs)?;
            let shown = posed.shown();
            if known.insert(shown.clone()) {
                seen.shown.push((time_secs, shown));
            }
            let most = seen.farthest.map_or(-1.0, |(_, farthest)| farthest.distance);
            if let Some(apart) = posed.farthest().filter(|apart| apart.distance > most) {
                seen.farthest = Some((time_secs, apart));
            }
        }
        Ok(seen)
    }
}

/// The golden and the file, posed, and the pairs of nodes that one name alone belongs to.
struct PosedNodes<'a> {
    models: [&'a Model; 2],
    stages: [Stage; 2],
    named: Vec<[usize; 2]>,
}

impl<'a> PosedNodes<'a> {
    fn new(models: [&'a Model; 2]) -> Result<Self, String> {
        let stages = models.map(|model| Stage::new(model, model.default_scene));
        let [golden, file] = [0, 1].map(|side| named_nodes(models[side], &stages[side]));
        let mut named = Vec::with_capacity(golden.len());
        for node in &stages[0].nodes {
            let name = models[0].nodes[*node].name.as_deref().unwrap_or_default();
            if golden.contains_key(name) {
                let missing = || format!("node \"{}\" of the golden is missing", escaped(name));
                named.push([*node, *file.get(name).ok_or_else(missing)?]);
            }
        }
        Ok(Self { models, stages, named })
    }

    fn pose(&mut self, time_secs: f64) {
        for (model, stage) in self.models.iter().zip(&mut self.stages) {
            stage.pose(model, model.clips.first(), time_secs);
        }
    }

    /// Returns the node that is farthest from its place. The node of a mesh counts by its mesh: it may hold the scale of
    /// quantized vertices.
    fn farthest(&self) -> Option<NodeApart> {
        let place = |side: usize, node: usize| -> DVec3 {
            let stage: &Stage = &self.stages[side];
            stage.world.world_from_node(node).translation.as_dvec3() + stage.origin
        };
        let has_mesh = |[a, b]: &&[usize; 2]| {
            self.models[0].nodes[*a].mesh.is_some() || self.models[1].nodes[*b].mesh.is_some()
        };
        let apart = self.named.iter().filter(|pair| !has_mesh(pair)).map(|[a, b]| {
            let (of_golden, of_file) = (place(0, *a), place(1, *b));
            let distance = match [of_golden, of_file].map(|at| at.is_finite()) {
                [true, true] => of_golden.distance(of_file),
                [false, false] => 0.0,
                _ => f64::INFINITY,
            };
            NodeApart { node: *a, distance }
        });
        apart.reduce(|a, b| if b.distance > a.distance { b } else { a })
    }

    /// Checks that named nodes with a mesh are shown in both, or hidden in both.
    fn check_visibility(&self, time_secs: f64) -> Result<(), String> {
        for [a, b] in &self.named {
            let draw = self.models[0].nodes[*a].mesh.and(self.models[1].nodes[*b].mesh).is_some();
            let [was, is] = [self.stages[0].visible[*a], self.stages[1].visible[*b]];
            if draw && was != is {
                let name = self.models[0].node_name(*a);
                let [was, is] = [was, is].map(|shown| if shown { "shown" } else { "hidden" });
                return Err(format!(
                    "the mesh of \"{}\" is {is} at {time_secs:.3} s, and {was} in the golden",
                    escaped(&name)
                ));
            }
        }
        Ok(())
    }

    fn shown(&self) -> [Vec<bool>; 2] {
        [0, 1].map(|side| shown_meshes(self.models[side], &self.stages[side]))
    }
}

/// Returns the nodes of a scene whose names occur once.
fn named_nodes<'a>(model: &'a Model, stage: &Stage) -> HashMap<&'a str, usize> {
    let mut nodes: HashMap<&str, Option<usize>> = HashMap::new();
    for node in &stage.nodes {
        if let Some(name) = model.nodes[*node].name.as_deref().filter(|name| !name.is_empty()) {
            nodes.entry(name).and_modify(|node| *node = None).or_insert(Some(*node));
        }
    }
    nodes.into_iter().filter_map(|(name, node)| Some((name, node?))).collect()
}

/// The golden and the file, laid out to be measured.
struct MeasuredPair<'a> {
    pair: &'a PosePair,
    measuring: Measuring<'a>,
}

impl<'a> MeasuredPair<'a> {
    fn new(pair: &'a PosePair) -> Result<Self, String> {
        let measuring = Measuring::new(&pair.golden, &pair.file).map_err(|e| e.to_string())?;
        Ok(Self { pair, measuring })
    }

    fn apart(&mut self, time_secs: f64) -> Apart {
        let clip = |model: &Model| (!model.clips.is_empty()).then_some(0);
        let clips = [clip(&self.pair.golden), clip(&self.pair.file)];
        self.measuring.apart(Moment { clips, time_secs })
    }

    /// Checks that each point has a counterpart.
    ///
    /// # Errors
    /// In words, if one has none.
    fn check_points(&mut self) -> Result<(), String> {
        let [golden, file] = self.apart(0.0).points.map(|points| {
            let lone = points.iter().filter(|point| point.is_none()).count();
            (lone > 0).then(|| format!("{lone} of {}", counted(points.len(), "point")))
        });
        match (golden, file) {
            (Some(points), _) => Err(format!("{points} of the golden are not in the file")),
            (None, Some(points)) => Err(format!("{points} of the file are not in the golden")),
            (None, None) => Ok(()),
        }
    }

    /// Returns the difference at an instant, of all points and of a named node.
    fn pose(&mut self, time_secs: f64, node: Option<NodeApart>) -> PoseResult {
        let apart = self.apart(time_secs);
        let points = apart.farthest.map_or(0.0, |farthest| farthest.distance);
        let node = node.filter(|node| node.distance > points);
        let distance = node.map_or(points, |node| node.distance);
        let cause = apart.cause.or(node.map(|node| node.node));
        let name = |node| self.pair.golden.node_name(node).into_owned();
        PoseResult { distance, node: cause.map(name), angle: apart.angle }
    }

    /// Returns the largest difference of the clip; `None` for the rest pose, and for a clip that is too long, whose instants alone
    /// are compared.
    fn largest(&mut self, seen: &Seen) -> Result<Option<Difference>, String> {
        if self.pair.file.clips.is_empty() {
            return Ok(None);
        }
        let difference = match self.measuring.difference(&CompareProgress::default()) {
            Ok(difference) => difference,
            Err(ComparisonError::TooLong { .. }) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let clip = difference.clips.first().ok_or("the clip has no counterpart in the golden")?;
        let points = clip.distance.unwrap_or(0.0);
        let nodes = seen.farthest.filter(|(_, node)| node.distance > points);
        let time_secs = nodes.map_or(clip.time.unwrap_or_default(), |(time_secs, _)| time_secs);
        let pose = self.pose(time_secs, nodes.map(|(_, node)| node));
        // Between keys, the search knows the distance better than a pose at a time that was rounded.
        let distance = pose.distance.max(points);
        let pose = PoseResult { distance, ..pose };
        Ok(Some(Difference { time_secs, is_largest: true, pose }))
    }
}
