//! The motion of a case: its golden, and the scripts from which the report plays a case that did not pass.

use super::goldens::motion_name;
use super::judge::{Judge, open_check, shown};
use super::motion::{Poses, motion_scripts};
use super::results::{Kind, MotionFiles, Status};
use crate::session::Session;

impl Judge<'_> {
    /// Blesses the motion of a case that expects poses. If a check has failed, even if it was blessed, and the
    /// session plays a clip, also writes the scripts of the report.
    pub fn motion(&mut self, session: &Session) {
        let has_failed = self.has_failed();
        let golden = self.order.goldens.join(motion_name(&self.order.case));
        let approved = std::fs::read(&golden).ok();
        let is_due = self.order.bless && (has_failed || approved.is_none());
        if is_due && self.order.case.expect.contains(&Kind::Pose) {
            self.bless_motion(session, approved.as_deref());
        }
        if has_failed && self.order.report.is_some() {
            let poses = approved.map(|bytes| Poses::from_bytes(&bytes)).transpose();
            let poses = poses.unwrap_or_else(|error| {
                let mut check = open_check(Kind::Pose, None);
                check.message = Some(format!("{}: {error}", shown(&golden)));
                self.checks.push(check);
                None
            });
            self.motion = self.write_scripts(session, poses.as_ref());
        }
    }

    /// Writes the golden of the motion, unless it is the approved one.
    fn bless_motion(&mut self, session: &Session, approved: Option<&[u8]>) {
        let exhibit = session.exhibit();
        let Some((document, stage)) = exhibit.document().zip(exhibit.stage()) else { return };
        // A clip that is too long has no motion to approve; its poses are compared all the same.
        let poses = Poses::new(&document.model, &mut stage.clone(), exhibit.clip());
        let Ok(bytes) = poses.map(|poses| poses.to_bytes()) else { return };
        if approved == Some(&bytes) {
            return;
        }
        let golden = self.order.goldens.join(motion_name(&self.order.case));
        let mut check = open_check(Kind::Pose, None);
        check.message = Some("the motion differs".to_owned());
        self.bless(&golden, &mut check, |out| out.write_all(&bytes));
        if check.status != Status::Passed {
            self.checks.push(check);
        }
    }

    /// Writes the scripts of the report. Returns their names; `None` without a clip, or if they can't be written.
    fn write_scripts(
        &mut self,
        session: &Session,
        approved: Option<&Poses>,
    ) -> Option<MotionFiles> {
        let exhibit = session.exhibit();
        let (document, stage, clip) = (exhibit.document()?, exhibit.stage()?, exhibit.clip()?);
        let scripts = motion_scripts(&document.model, &mut stage.clone(), Some(clip), approved);
        let name = &self.order.case.name;
        let [result, reference] =
            [format!("motions/{name}.js"), format!("motions/{name}.reference.js")];
        let result = self.put(result, |out| out.write_all(scripts.result.as_bytes()))?;
        let reference = scripts
            .reference
            .and_then(|script| self.put(reference, |out| out.write_all(script.as_bytes())));
        Some(MotionFiles { reference, result })
    }
}
