//! The camera of an approved picture. It is stored with the picture, so that a model that moves elsewhere does not move
//! everything else in it.

use glam::{DVec3, DVec4};
use serde::{Deserialize, Serialize};

use rigview_model::pose_hull;
use rigview_session::{OrbitCamera, Session};

/// The version of the format.
const FORMAT: u32 = 1;

/// The orbiting camera of a picture, and how far the model reached in it. Lengths are in metres, angles in radians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ApprovedCamera {
    format: u32,
    /// The options of the case that the camera belongs to.
    args: Vec<String>,
    size: [u32; 2],
    #[serde(flatten)]
    pub orbit: OrbitCamera,
    /// The distance of the model's outermost vertex from the middle of the picture, along the axis where it is larger:
    /// 1 is the edge.
    reach: f64,
}

impl ApprovedCamera {
    /// Returns the camera of a session that was drawn; `None` if the camera is one of the file or of the case, which needs
    /// not be stored.
    pub fn of(session: &Session, args: &[String], size: [u32; 2]) -> Option<Self> {
        let orbit = session.camera().is_orbiting().then(|| session.camera().orbit_camera())?;
        Some(Self {
            format: FORMAT,
            args: args.to_vec(),
            size,
            orbit: *orbit,
            reach: reach(session, size)?,
        })
    }

    /// Reads the text that is stored with a picture. Returns `None` if it is of another version, or belongs to a case with
    /// other options.
    pub fn read(text: &str, args: &[String], size: [u32; 2]) -> Option<Self> {
        let camera: Self = serde_json::from_str(text).ok()?;
        let OrbitCamera { target, distance, azimuth, elevation, fov_y, .. } = camera.orbit;
        let is_sound = target.is_finite()
            && [distance, azimuth, elevation, fov_y].iter().all(|x| x.is_finite())
            && distance > 0.0
            && (0.0..std::f64::consts::PI).contains(&fov_y);
        let is_of_case = camera.args == args && camera.size == size;
        (camera.format == FORMAT && is_sound && is_of_case).then_some(camera)
    }

    /// Returns the text to store with a picture.
    pub fn text(&self) -> String {
        // Numbers and strings always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns in words that the model, which was inside of the approved picture, leaves the frame in this one.
    pub fn left_by(&self, session: &Session) -> Option<String> {
        let reach = reach(session, self.size)?;
        (self.reach <= 1.0 && reach > 1.0).then(|| {
            let part = if reach.is_finite() {
                format!("by {:.0} % of half the picture", 100.0 * (reach - 1.0))
            } else {
                "and lies behind the camera".to_owned()
            };
            format!("the model leaves the frame of the golden {part}; --bless frames it again")
        })
    }
}

/// Returns how far the model reaches from the middle of the picture; `None` if nothing is shown.
fn reach(session: &Session, [width, height]: [u32; 2]) -> Option<f64> {
    let (document, stage) = session.playback().document().zip(session.playback().stage())?;
    let view = session.view();
    let aspect = f64::from(width) / f64::from(height);
    let clip_from_scene = view.projection_matrix(aspect) * view.camera_from_world(stage.origin);
    let reach = |at: DVec3| {
        let DVec4 { x, y, w, .. } = clip_from_scene * at.extend(1.0);
        if w > 0.0 { (x / w).abs().max((y / w).abs()) } else { f64::INFINITY }
    };
    let of_all = |points: &[glam::Vec3]| {
        let finite = points.iter().filter(|at| at.is_finite());
        finite.map(|at| reach(at.as_dvec3())).fold(0.0, f64::max)
    };
    // A box that is inside needs no look at the vertices.
    let of_box = of_all(&stage.bounds(&document.model).corners());
    Some(if of_box <= 1.0 { of_box } else { of_all(&pose_hull(&document.model, stage)) })
}
