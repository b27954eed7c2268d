//! The motion of a case: its golden, and the scripts from which the report plays it.

use std::path::Path;

use super::goldens::motion_name;
use super::judge::{Judge, open_check, pose_in_words, shown, unfetched};
use super::motion::{Poses, PosesError, motion_difference, motion_scripts};
use super::results::{CheckResult, Kind, MotionFiles, PoseResult, Status};
use crate::session::Session;

impl Judge<'_> {
    /// Compares the motion of a case that expects poses with its golden, over the whole clip. If the session plays a clip, also writes the scripts of the report: those of a case that passed without
    /// the reference, which is the same.
    pub fn motion(&mut self, session: &Session) {
        let golden = self.order.goldens.join(motion_name(&self.order.case));
        let bytes = std::fs::read(&golden).ok();
        let approved = bytes.as_deref().map(Poses::from_bytes).transpose();
        if self.order.case.expect.contains(&Kind::Pose) {
            self.compare_motion(session, &golden, &approved);
        }
        if self.order.report.is_some() {
            let reference = approved.ok().flatten().filter(|_| self.has_failed());
            self.motion = self.write_scripts(session, reference.as_ref());
        }
    }

    fn compare_motion(
        &mut self,
        session: &Session,
        golden: &Path,
        approved: &Result<Option<Poses>, PosesError>,
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
            Ok(Some(approved)) => {
                let worst = match motion_difference(model, &mut stage.clone(), clip, approved) {
                    Ok(None) => return,
                    Ok(Some(worst)) => worst,
                    Err(why) => {
                        let why = why.trim_end_matches('.');
                        check.message = Some(format!("{name}: {why}; if it is right: {command}"));
                        self.bless_motion(golden, check, poses.as_ref());
                        return;
                    }
                };
                let (distance, node, angle) = (worst.distance, worst.cause, worst.angle);
                let pose = PoseResult { distance, node, angle };
                let tolerance = self.order.case.pose_tolerance;
                if distance <= tolerance {
                    return;
                }
                check.time = Some(worst.time_secs);
                check.message = Some(pose_in_words(&pose, tolerance));
                check.pose = Some(pose);
            }
        }
        self.bless_motion(golden, check, poses.as_ref());
    }

    /// Writes the golden of a motion if the order says so. Adds the check unless it has passed.
    fn bless_motion(&mut self, golden: &Path, mut check: CheckResult, poses: Option<&Poses>) {
        let Some(poses) = poses else { return self.remove_golden(golden, check) };
        let bytes = poses.to_bytes();
        self.bless(golden, &mut check, |out| out.write_all(&bytes));
        if check.status != Status::Passed && check.message.is_some() {
            self.checks.push(check);
        }
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
