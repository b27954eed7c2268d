//! Draws a case and compares the pictures with their goldens.

use std::path::Path;

use super::approved_camera::ApprovedCamera;
use super::case::CaseInstant;
use super::goldens::{ADAPTER, picture_name, text_of};
use super::judge::{Judge, open_check, shown};
use super::results::{CheckResult, Kind, PictureResult, Status};
use rigview_capture::{Picture, PictureSeries, write_small_png};
use rigview_compare::{Bitmap, PictureDifference, PictureLimits, heat, pictures};
use rigview_import::escaped;
use rigview_render::{Gpu, GpuError, GpuModel};
use rigview_session::{CameraAction, PlaybackAction, Session};

/// Key of the camera in a golden's text chunks.
const CAMERA: &str = "Camera";

/// How a picture was made.
struct Made<'a> {
    /// The adapter and its driver.
    by: &'a str,
    /// The camera, as stored in goldens.
    camera: Option<String>,
    /// In words that the model leaves the frame of the golden.
    left: Option<String>,
}

/// A golden and how the picture differs from it.
struct Compared {
    golden: Vec<u8>,
    reference: Bitmap,
    difference: Option<PictureDifference>,
}

impl Judge<'_> {
    /// Draws the session at each instant and compares the pictures with their goldens.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn pictures(
        &mut self,
        session: &mut Session,
        gpu: &Gpu,
        series: &mut PictureSeries,
        gpu_model: &GpuModel,
    ) -> Result<(), GpuError> {
        let made_by = made_by(gpu);
        let case = &self.order.case;
        for instant in &case.instants {
            session.apply(PlaybackAction::Seek(instant.secs));
            // Frames each pose anew if only the pose is framed.
            session.apply(CameraAction::ResetCamera);
            let golden = std::fs::read(self.golden_picture(instant)).ok();
            let text = golden.and_then(|golden| text_of(&golden, CAMERA));
            let approved = text.and_then(|t| ApprovedCamera::read(&t, &case.args, case.size));
            if let Some(camera) = &approved {
                session.apply(CameraAction::StandAt(camera.orbit));
            }
            let mut picture = series.draw(session, gpu_model)?;
            let left = approved.and_then(|camera| camera.left_by(session));
            if left.is_some() && self.order.bless {
                session.apply(CameraAction::ResetCamera);
                picture = series.draw(session, gpu_model)?;
            }
            let camera = ApprovedCamera::of(session, &case.args, case.size);
            let made = Made { by: &made_by, camera: camera.map(|camera| camera.text()), left };
            self.picture(instant, &picture, made);
        }
        Ok(())
    }

    fn picture(&mut self, instant: &CaseInstant, picture: &Picture, made: Made) {
        let golden = self.golden_picture(instant);
        let result = Bitmap::from(picture);
        let mut check = open_check(Kind::Picture, Some(instant.secs));
        let compared = match self.compare(&golden, &result, &mut check) {
            Ok(compared) => Some(compared),
            Err(what) => {
                check.message = Some(what);
                None
            }
        };
        if let Some(left) = made.left {
            (check.status, check.message) = (Status::Failed, Some(left));
        }
        if check.status != Status::Passed
            && let Some(other) = compared.as_ref().and_then(|c| other_adapter(&c.golden, made.by))
        {
            check.message = check.message.map(|said| said + &other);
        }
        let name = picture_name(&self.order.case, instant);
        check.picture = Some(self.show(&name, picture, compared.as_ref(), check.status));
        let camera = made.camera.as_deref().map(|camera| (CAMERA, camera));
        let texts: Vec<(&str, &str)> = [(ADAPTER, made.by)].into_iter().chain(camera).collect();
        self.bless(&golden, &mut check, |out| write_small_png(picture, &texts, out));
        self.checks.push(check);
    }

    /// Compares a picture with its golden, and notes in the check whether it passes.
    ///
    /// # Errors
    /// In words, if there is no golden to compare with.
    fn compare(
        &self,
        golden: &Path,
        result: &Bitmap,
        check: &mut CheckResult,
    ) -> Result<Compared, String> {
        let bytes = self.read_golden(golden)?;
        let reference =
            Bitmap::from_png(&bytes).map_err(|error| format!("{}: {error}", shown(golden)))?;
        let case = &self.order.case;
        let limits = PictureLimits { visible: case.tolerance, flip: case.flip };
        let difference = match pictures(&reference, result) {
            Ok(difference) => {
                match limits.accept(&difference) {
                    true => check.status = Status::Passed,
                    false => check.message = Some(in_words(&difference, &limits)),
                }
                Some(difference)
            }
            Err(sizes) => {
                check.message = Some(format!("golden and result: {sizes}"));
                None
            }
        };
        Ok(Compared { golden: bytes, reference, difference })
    }

    /// Writes the pictures of a check to the report, and returns their names and the numbers.
    fn show(
        &mut self,
        name: &str,
        picture: &Picture,
        compared: Option<&Compared>,
        status: Status,
    ) -> PictureResult {
        let difference = compared.and_then(|compared| compared.difference.as_ref());
        let number = |of: fn(&PictureDifference) -> f64| difference.map_or(f64::NAN, of);
        let mut files = PictureResult {
            reference: None,
            result: None,
            difference: None,
            max: number(|d| d.max),
            mean: number(|d| d.mean),
            visible: number(|d| d.visible),
            flip: number(|d| d.flip),
        };
        if self.order.report.is_none() {
            return files;
        }
        let stem = name.strip_suffix(".png").unwrap_or(name);
        files.result =
            self.put(format!("pictures/{stem}.png"), |out| write_small_png(picture, &[], out));
        let Some(compared) = compared else { return files };
        // Equal pictures are one file, so that a report is as large as what changed.
        if difference.is_some_and(|difference| difference.max == 0.0) {
            files.reference.clone_from(&files.result);
            return files;
        }
        files.reference = self
            .put(format!("pictures/{stem}.reference.png"), |out| out.write_all(&compared.golden));
        if let Some(difference) = difference.filter(|_| status != Status::Passed) {
            let heat = heat(&compared.reference, &Bitmap::from(picture), difference);
            let heat = Picture::from(heat);
            files.difference = self.put(format!("pictures/{stem}.difference.png"), |out| {
                write_small_png(&heat, &[], out)
            });
        }
        files
    }
}

/// Returns the adapter and its driver, as stored in goldens.
fn made_by(gpu: &Gpu) -> String {
    let info = gpu.adapter.get_info();
    let driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ");
    format!("{} ({}, {})", info.name, gpu.backend_name(), driver.trim())
}

/// Returns what to say if a golden was made by another adapter or driver.
fn other_adapter(golden: &[u8], made_by: &str) -> Option<String> {
    let text = text_of(golden, ADAPTER)?;
    (text != made_by).then(|| {
        format!(
            "; the golden was made by {}, this picture by {}: make and test goldens on one adapter, such as \
             --adapter software, or allow a tolerance",
            escaped(&text),
            escaped(made_by)
        )
    })
}

fn in_words(difference: &PictureDifference, limits: &PictureLimits) -> String {
    let [share, tolerance] = [difference.visible, limits.visible].map(|share| share * 100.0);
    let mut said = format!("{share:.3} % of the pixels differ visibly (tolerance {tolerance} %)");
    said += &format!(", FLIP {:.4}", difference.flip);
    if let Some(limit) = limits.flip {
        said += &format!(" (limit {limit})");
    }
    if let Some([left, top, width, height]) = difference.region {
        said += &format!(", within {width}x{height} pixels at {left},{top}");
    }
    said
}
