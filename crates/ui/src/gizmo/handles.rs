//! The gizmo's handles on the screen: their lines and areas, and which handle is under the pointer. Lengths are in
//! points.

use egui::{Color32, Pos2, Rect};
use glam::{DVec2, DVec3};

use super::grabbed::{Grabbed, Handle, length_shown, ring, to_camera};
use rigview_look::View;
use rigview_session::orbit::project;
use rigview_session::{Axes, Tool};

/// The gizmo's radius in points, and the share of the picture's height that it may have.
const RADIUS: f32 = 80.0;
const MOST: f32 = 0.25;

/// Distance in points within which a line is grabbed, and half the size of the handle in the middle.
const REACH: f32 = 6.0;
const MIDDLE: f32 = 7.0;

/// An axis is hidden if the cosine of its angle with the line of sight is larger: it points at the camera.
const AT_CAMERA: f64 = 0.985;
/// A plane is hidden if the cosine of its normal is smaller: it is seen from its edge.
const FROM_EDGE: f64 = 0.17;

/// The colours of X, Y and Z, and of handles without an axis.
const COLORS: [Color32; 3] = [
    Color32::from_rgb(0xf0, 0x5a, 0x5a),
    Color32::from_rgb(0x74, 0xc9, 0x4f),
    Color32::from_rgb(0x4f, 0x96, 0xff),
];
const NEUTRAL: Color32 = Color32::from_rgb(0xe4, 0xe7, 0xec);

/// A handle as it is shown.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub handle: Handle,
    pub color: Color32,
    /// Lines to be grabbed.
    pub lines: Vec<Vec<Pos2>>,
    /// A convex area to be grabbed; empty for none.
    pub area: Vec<Pos2>,
    /// The end of an axis.
    pub tip: Option<Pos2>,
}

/// A node, and the picture that it is shown in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenery {
    pub grabbed: Grabbed,
    pub axes: Axes,
    pub view: View,
    pub picture: Rect,
}

impl Scenery {
    /// The gizmo's radius in heights of the picture.
    pub fn radius(&self) -> f64 {
        let height = self.picture.height().max(1.0);
        f64::from(RADIUS.min(MOST * height) / height)
    }

    /// Returns a position in points in heights of the picture from its centre.
    pub fn picture_point(&self, at: Pos2) -> DVec2 {
        let from = at - self.picture.center();
        DVec2::new(f64::from(from.x), f64::from(from.y)) / f64::from(self.picture.height().max(1.0))
    }

    fn at(&self, place: DVec2) -> Pos2 {
        let from = place * f64::from(self.picture.height());
        self.picture.center() + egui::vec2(from.x as f32, from.y as f32)
    }

    fn point(&self, scene: DVec3) -> Pos2 {
        self.at(project(&self.view, scene, 1.0).0)
    }

    /// The middle of the gizmo in points.
    pub fn middle(&self) -> Pos2 {
        self.point(self.grabbed.center())
    }

    /// Returns the handles of a tool; none if the node is not in front of the camera.
    pub fn handles(&self, tool: Tool) -> Vec<Shown> {
        let center = self.grabbed.center();
        let shown = to_camera(&self.view, center)
            .zip(length_shown(&self.view, center, self.radius()))
            .filter(|_| self.grabbed.is_reachable());
        let Some((sight, length)) = shown else { return Vec::new() };
        match tool {
            Tool::Select => Vec::new(),
            Tool::Move => self.movers(sight, length),
            Tool::Rotate => self.rings(sight),
            Tool::Scale => {
                let mut handles = self.arms(Axes::Local, sight, length, Handle::Scale);
                handles.push(self.in_middle(Handle::ScaleAll));
                handles
            }
        }
    }

    fn movers(&self, sight: DVec3, length: f64) -> Vec<Shown> {
        let mut handles = self.arms(self.axes, sight, length, Handle::Move);
        for (axis, color) in COLORS.into_iter().enumerate() {
            let [a, b] = [1, 2].map(|i| self.grabbed.axis(self.axes, (axis + i) % 3));
            let Some((a, b)) = a.zip(b) else { continue };
            let normal = a.cross(b).try_normalize();
            if normal.is_none_or(|normal| normal.dot(sight).abs() < FROM_EDGE) {
                continue;
            }
            let corner =
                |x: f64, y: f64| self.point(self.grabbed.center() + length * (x * a + y * b));
            let area = [(0.3, 0.3), (0.55, 0.3), (0.55, 0.55), (0.3, 0.55)];
            handles.push(Shown {
                handle: Handle::MovePlane(axis),
                color,
                lines: Vec::new(),
                area: area.map(|(x, y)| corner(x, y)).into(),
                tip: None,
            });
        }
        handles.push(self.in_middle(Handle::MoveFree));
        handles
    }

    /// Returns the three axes, except one that points at the camera.
    fn arms(
        &self,
        axes: Axes,
        sight: DVec3,
        length: f64,
        handle: fn(usize) -> Handle,
    ) -> Vec<Shown> {
        let arm = |i: usize| {
            let axis = self.grabbed.axis(axes, i).filter(|a| a.dot(sight).abs() < AT_CAMERA)?;
            let at = |way: f64| self.point(self.grabbed.center() + way * length * axis);
            let tip = at(1.0);
            let lines = vec![vec![at(0.15), tip]];
            Some(Shown { handle: handle(i), color: COLORS[i], lines, area: vec![], tip: Some(tip) })
        };
        (0..3).filter_map(arm).collect()
    }

    fn in_middle(&self, handle: Handle) -> Shown {
        let square = Rect::from_center_size(self.middle(), egui::Vec2::splat(2.0 * MIDDLE));
        let area = vec![
            square.left_top(),
            square.right_top(),
            square.right_bottom(),
            square.left_bottom(),
        ];
        Shown { handle, color: NEUTRAL, lines: vec![], area, tip: None }
    }

    /// Returns the rings, of which the half is shown that faces the camera.
    fn rings(&self, sight: DVec3) -> Vec<Shown> {
        let mut handles = Vec::new();
        let center = self.grabbed.center();
        for (axis, color) in COLORS.into_iter().enumerate() {
            let ring = self
                .grabbed
                .turn_axis(self.axes, axis)
                .and_then(|about| ring(&self.grabbed, about, &self.view, self.radius()));
            let points = ring.unwrap_or_default().into_iter().map(|point| {
                let scene = self.grabbed.scene_from_parent.transform_point3(point);
                let toward = (scene - center).normalize_or_zero().dot(sight);
                (self.point(scene), toward > -0.1)
            });
            let points: Vec<(Pos2, bool)> = points.collect();
            let lines = points.split(|(_, front)| !front).filter(|run| run.len() > 1);
            let lines = lines.map(|run| run.iter().map(|(at, _)| *at).collect()).collect();
            handles.push(Shown {
                handle: Handle::Turn(axis),
                color,
                lines,
                area: vec![],
                tip: None,
            });
        }
        let radius = self.radius() as f32 * self.picture.height();
        let circle = |radius: f32| -> Vec<Pos2> {
            let point = |i: u32| {
                let (sin, cos) = (std::f32::consts::TAU * i as f32 / 64.0).sin_cos();
                self.middle() + radius * egui::vec2(cos, sin)
            };
            (0..=64).map(point).collect()
        };
        let outer = vec![circle(1.2 * radius)];
        let handle = Handle::TurnView;
        handles.push(Shown { handle, color: NEUTRAL, lines: outer, area: vec![], tip: None });
        let area = circle(0.94 * radius);
        handles.push(Shown {
            handle: Handle::Roll,
            color: NEUTRAL,
            lines: vec![],
            area,
            tip: None,
        });
        handles
    }
}

/// Returns the handle under the pointer: the nearest line within reach, except in the middle; or else an area.
pub(super) fn handle_at(handles: &[Shown], at: Pos2) -> Option<Handle> {
    let inside = |shown: &&Shown| is_inside(&shown.area, at);
    let middle = |shown: &&Shown| matches!(shown.handle, Handle::MoveFree | Handle::ScaleAll);
    if let Some(shown) = handles.iter().filter(middle).find(inside) {
        return Some(shown.handle);
    }
    let off = |shown: &Shown| {
        let lines = shown.lines.iter().flat_map(|line| line.windows(2));
        lines.map(|ends| distance(at, ends[0], ends[1])).fold(f32::INFINITY, f32::min)
    };
    let lines = handles.iter().map(|shown| (shown.handle, off(shown)));
    let nearest = lines.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, off)| *off <= REACH);
    nearest.map(|(handle, _)| handle).or_else(|| handles.iter().find(inside).map(|s| s.handle))
}

/// Returns a point at which a handle is grabbed, and no other one; `None` if others cover it.
pub(super) fn grip_of(handles: &[Shown], shown: &Shown) -> Option<Pos2> {
    let middle = |area: &[Pos2]| {
        let sum = area.iter().fold(egui::Vec2::ZERO, |sum, at| sum + at.to_vec2());
        (sum / area.len().max(1) as f32).to_pos2()
    };
    let on_lines = shown.lines.iter().flat_map(|line| {
        // From the middle of the line outwards.
        let half = line.len() / 2;
        line[half..].iter().chain(line[..half].iter().rev()).copied()
    });
    let in_area = (!shown.area.is_empty()).then(|| {
        let center = middle(&shown.area);
        let toward = shown.area.iter().map(move |corner| center.lerp(*corner, 0.5));
        std::iter::once(center).chain(toward)
    });
    let mut places = on_lines.chain(in_area.into_iter().flatten());
    places.find(|at| handle_at(handles, *at) == Some(shown.handle))
}

fn distance(at: Pos2, from: Pos2, to: Pos2) -> f32 {
    let along = to - from;
    let share = ((at - from).dot(along) / along.length_sq().max(1e-12)).clamp(0.0, 1.0);
    (from + share * along).distance(at)
}

/// Whether a point is inside of a convex polygon.
fn is_inside(area: &[Pos2], at: Pos2) -> bool {
    let sides = (0..area.len()).map(|i| {
        let (from, to) = (area[i], area[(i + 1) % area.len()]);
        let (a, b) = (to - from, at - from);
        a.x * b.y - a.y * b.x
    });
    let sides: Vec<f32> = sides.collect();
    area.len() > 2 && (sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0))
}

/// Returns the points of an arrow's head or of a box at the end of an axis.
pub(super) fn head(middle: Pos2, tip: Pos2, is_box: bool) -> Vec<Pos2> {
    let along = (tip - middle).normalized();
    let across = along.rot90();
    if is_box {
        return [(4.0, 4.0), (4.0, -4.0), (-4.0, -4.0), (-4.0, 4.0)]
            .map(|(x, y): (f32, f32)| tip + x * along + y * across)
            .into();
    }
    vec![tip + 8.0 * along, tip + 4.5 * across - 2.0 * along, tip - 4.5 * across - 2.0 * along]
}

#[cfg(test)]
mod tests {
    use egui::pos2;
    use glam::{DAffine3, DQuat};

    use super::*;
    use rigview_model::Projection;

    fn scenery(eye: DVec3) -> Scenery {
        let lens =
            Projection::Perspective { fov_y: 0.8, aspect: None, near: 0.01, far: Some(100.0) };
        Scenery {
            grabbed: Grabbed {
                scene_from_parent: DAffine3::IDENTITY,
                translation: DVec3::ZERO,
                rotation: DQuat::IDENTITY,
                scale: DVec3::ONE,
            },
            axes: Axes::World,
            view: View::look_at(eye, DVec3::ZERO, DVec3::Y, lens),
            picture: Rect::from_min_max(pos2(100.0, 50.0), pos2(900.0, 650.0)),
        }
    }

    #[test]
    fn each_handle_has_a_place_at_which_it_is_grabbed_and_a_constant_size() {
        for distance in [1.0, 3.0, 20.0] {
            let scenery = scenery(distance * DVec3::new(0.5, 0.4, 0.8));
            for (tool, count) in [(Tool::Move, 7), (Tool::Rotate, 5), (Tool::Scale, 4)] {
                let handles = scenery.handles(tool);
                assert_eq!(handles.len(), count);
                for shown in &handles {
                    let at = grip_of(&handles, shown).expect("a place to grab it");
                    assert_eq!(handle_at(&handles, at), Some(shown.handle));
                    let far = (at - scenery.middle()).length();
                    assert!(far < 1.3 * RADIUS, "{:?}: {far}", shown.handle);
                }
                assert_eq!(handle_at(&handles, pos2(120.0, 70.0)), None);
            }
        }
        assert!(scenery(DVec3::Z).handles(Tool::Select).is_empty());
    }

    #[test]
    fn an_axis_at_the_camera_and_a_node_behind_it_have_no_handles() {
        let handles = scenery(DVec3::new(0.0, 0.0, 4.0)).handles(Tool::Move);
        let has = |handle| handles.iter().any(|shown| shown.handle == handle);
        assert!(has(Handle::Move(0)) && has(Handle::Move(1)) && !has(Handle::Move(2)));
        assert!(has(Handle::MovePlane(2)) && !has(Handle::MovePlane(0)));
        let mut behind = scenery(DVec3::new(0.0, 0.0, 4.0));
        behind.grabbed.translation = DVec3::new(0.0, 0.0, 5.0);
        assert!(behind.handles(Tool::Rotate).is_empty());
    }

    #[test]
    fn lines_are_grabbed_within_six_points() {
        let handles = scenery(DVec3::new(0.0, 0.0, 4.0)).handles(Tool::Scale);
        let at = |y: f32| handle_at(&handles, pos2(550.0, 350.0 + y));
        assert_eq!([at(0.0), at(5.5), at(-5.5)], [Some(Handle::Scale(0)); 3]);
        assert_eq!([at(6.5), at(-6.5)], [None; 2]);
    }
}
