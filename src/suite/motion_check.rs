//! The motion of a case: its golden, and the scripts from which the report plays it.

use std::path::Path;

use super::goldens::motion_name;
use super::judge::{Judge, open_check, pose_in_words, shown, unfetched};
use super::motion::{Poses, PosesError, motion_difference, motion_scripts};
use super::pose_golden::{
    GoldenInstant, PosedModel, compare_with_golden, golden_text, golden_time,
};
use super::results::{CheckResult, Kind, MotionFiles, PoseResult, Status};
use rigview_compare::Surface;
use rigview_model::OverBudget;
use rigview_session::Session;

impl Judge<'_> {
    /// Compares the motion of a case that expects poses with its golden, over the whole clip. If the session plays a clip, also
    /// writes the scripts of the report: those of a case that passed without the reference, which is the same.
    pub fn motion(&mut self, session: &Session) {
        let golden = self.order.goldens.join(motion_name(&self.order.case));
        let bytes = std::fs::read(&golden).ok();
        let approved = bytes.as_deref().map(Poses::from_bytes).transpose();
        if self.order.case.expect.contains(&Kind::Pose) {
            self.compare_motion(session, &golden, &approved);
        }
        if self.order.report.is_some() {
            let reference = approved.ok().flatten().filter(|_| self.has_failed());
            self.motion = self.write_scripts(session, reference.as_ref().map(|(poses, _)| poses));
        }
    }

    fn compare_motion(
        &mut self,
        session: &Session,
        golden: &Path,
        approved: &Result<Option<(Poses, Vec<String>)>, PosesError>,
    ) {
        let playback = session.playback();
        let Some((document, stage)) = playback.document().zip(playback.stage()) else { return };
        let (model, clip) = (&document.model, playback.clip());
        let mut check = open_check(Kind::Pose, None);
        // What a clip that is too long or a scene that draws nothing do between the instants is not compared.
        let poses = Poses::new(model, &mut stage.clone(), clip).ok().filter(|p| !p.is_empty());
        let (name, command) = (shown(golden), &self.order.bless_command);
        match approved {
            Ok(None) if poses.is_none() => return,
            Ok(None) if self.order.bless => {}
            Ok(None) => check.message = Some(format!("no golden {name}; make it with: {command}")),
            Err(error) => {
                check.message = unfetched(golden).or_else(|| Some(format!("{name}: {error}")));
            }
            Ok(Some((approved, looks))) => {
                let tolerance = self.order.case.pose_tolerance;
                let worst = motion_difference(model, &mut stage.clone(), clip, approved);
                let worst = worst.map(|worst| {
                    let worst = worst.filter(|worst| worst.distance > tolerance)?;
                    let (distance, node, angle) = (worst.distance, worst.cause, worst.angle);
                    Some((worst.time_secs, PoseResult { distance, node, angle }))
                });
                let worst = match worst {
                    Ok(None) => looks_difference(session, looks, tolerance),
                    worst => worst,
                };
                match worst {
                    Ok(None) => return,
                    Ok(Some((time_secs, pose))) => {
                        check.time = Some(time_secs);
                        check.message = Some(pose_in_words(&pose, tolerance));
                        check.pose = Some(pose);
                    }
                    Err(why) => {
                        let why = why.trim_end_matches('.');
                        check.message = Some(format!("{name}: {why}; if it is right: {command}"));
                    }
                }
            }
        }
        self.bless_motion(golden, check, session, poses.as_ref());
    }

    /// Writes the golden of a motion if the order says so. Adds the check unless it has passed.
    fn bless_motion(
        &mut self,
        golden: &Path,
        mut check: CheckResult,
        session: &Session,
        poses: Option<&Poses>,
    ) {
        let Some(poses) = poses else { return self.remove_golden(golden, check) };
        if self.order.bless {
            let bytes = poses.to_bytes(&self.looks(session, poses));
            self.bless(golden, &mut check, |out| out.write_all(&bytes));
        }
        if check.status != Status::Passed && check.message.is_some() {
            self.checks.push(check);
        }
    }

    /// Returns the goldens of the skin at the frames that tell most, in addition to the case's instants; none of a model whose
    /// points do not fit in its budget.
    fn looks(&self, session: &Session, poses: &Poses) -> Vec<String> {
        let case = &self.order.case;
        let known: Vec<f64> = case.instants.iter().map(|instant| instant.secs).collect();
        let times = poses.telling_frames(&known).into_iter().map(|frame| poses.grid.time(frame));
        let mut looks = Vec::new();
        let text = |time_secs: f64, posed: &PosedModel| {
            let clip = session.playback().clip().and_then(|clip| clip.name());
            looks.push(golden_text(
                posed,
                GoldenInstant { file: &case.file, clip, time_secs },
                case.pose_tolerance,
            ));
        };
        let _ = at_times(session, &times.collect::<Vec<f64>>(), text);
        looks
    }

    /// Writes the scripts of the report. Returns their names; `None` without a clip, or if they can't be written.
    fn write_scripts(
        &mut self,
        session: &Session,
        approved: Option<&Poses>,
    ) -> Option<MotionFiles> {
        let playback = session.playback();
        let (document, stage, clip) = (playback.document()?, playback.stage()?, playback.clip()?);
        let scripts = motion_scripts(&document.model, &mut stage.clone(), Some(clip), approved);
        let name = &self.order.case.name;
        let [result, reference] =
            [format!("motions/{name}.js"), format!("motions/{name}@reference.js")];
        let result = self.put(result, |out| out.write_all(scripts.result.as_bytes()))?;
        let reference = scripts
            .reference
            .and_then(|script| self.put(reference, |out| out.write_all(script.as_bytes())));
        Some(MotionFiles { reference, result })
    }
}

/// Returns the largest distance beyond the tolerance of the skin from its looks, with its time in seconds.
///
/// # Errors
/// In words, if they can't be compared.
fn looks_difference(
    session: &Session,
    looks: &[String],
    tolerance: f64,
) -> Result<Option<(f64, PoseResult)>, String> {
    let times: Vec<f64> =
        looks.iter().map(|look| golden_time(look.as_bytes())).collect::<Result<_, _>>()?;
    let (mut rest, mut results) = (looks.iter(), Vec::new());
    let compare = |time_secs: f64, posed: &PosedModel| {
        let look = rest.next().map_or(&[][..], |look| look.as_bytes());
        results.push(compare_with_golden(look, posed).map(|pose| (time_secs, pose)));
    };
    at_times(session, &times, compare).map_err(|error| error.to_string())?;
    // A distance that is no number is over any tolerance.
    let off =
        |pose: &PoseResult| if pose.distance.is_nan() { f64::INFINITY } else { pose.distance };
    let results: Vec<(f64, PoseResult)> = results.into_iter().collect::<Result<_, _>>()?;
    let over = results.into_iter().filter(|(_, pose)| off(pose) > tolerance);
    Ok(over.reduce(|a, b| if off(&b.1) > off(&a.1) { b } else { a }))
}

/// Poses the skin of a session's model at times of its clip, in seconds.
///
/// # Errors
/// If its points do not fit in the model's budget.
fn at_times(
    session: &Session,
    times: &[f64],
    mut with: impl FnMut(f64, &PosedModel),
) -> Result<(), OverBudget> {
    let playback = session.playback();
    let Some((document, stage)) = playback.document().zip(playback.stage()) else { return Ok(()) };
    let (model, mut stage) = (&document.model, stage.clone());
    if times.is_empty() {
        return Ok(());
    }
    let mut surface = Surface::new(model, &mut stage)?;
    for time_secs in times {
        stage.pose(model, playback.clip(), *time_secs);
        surface.pose(&stage);
        with(*time_secs, &PosedModel { model, stage: &stage, surface: &surface });
    }
    Ok(())
}
