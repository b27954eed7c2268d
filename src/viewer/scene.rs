//! Which scene of the file is shown, and by which of its cameras.

use super::Viewer;
use super::framing::scene_hull;
use crate::model::Stage;
use crate::report::lies_on_its_back;

impl Viewer {
    /// The cameras of the shown scene, in file order.
    pub fn cameras(&self) -> Vec<usize> {
        let (Some(document), Some(stage)) = (&self.document, &self.stage) else {
            return Vec::new();
        };
        let nodes = &document.model.nodes;
        let mut cameras: Vec<usize> =
            stage.nodes.iter().filter_map(|node| nodes[*node].camera).collect();
        cameras.sort_unstable();
        cameras.dedup();
        cameras
    }

    /// Shows another scene of the file, framed; clip and time go on.
    pub(super) fn select_scene(&mut self, scene: usize) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let model = &document.model;
        if scene >= model.scenes.len() || scene == stage.scene {
            return;
        }
        let stood_up = stage.stood_up();
        *stage = Stage::new(model, scene);
        self.lies = lies_on_its_back(model, stage);
        stage.stand_up(model, stood_up);
        let clip = self.clip.and_then(|clip| document.clip(clip));
        self.sight.set_hull(scene_hull(model, stage, clip));
        self.pose();
        match self.sight.file_camera() {
            Some(camera) if self.cameras().contains(&camera) => {}
            _ => {
                self.sight.look_through(self.view(), None);
                self.sight.frame(self.view(), |_| {});
            }
        }
    }

    /// Looks through a camera of the shown scene, or by the orbiting one as it stood before.
    pub(super) fn select_camera(&mut self, camera: Option<usize>) {
        if camera.is_none_or(|camera| self.cameras().contains(&camera)) {
            self.sight.look_through(self.view(), camera);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};

    use super::super::sample::{finish, loaded, viewer};
    use crate::model::Scene;
    use crate::viewer::{Action, Viewer};

    /// A session whose file has a second scene, of a node that the camera does not hang below.
    fn two_scenes() -> Viewer {
        let mut viewer = viewer();
        let mut file = loaded();
        let model = &mut file.model;
        model.scenes.push(Scene { name: Some("Empty".into()), roots: vec![] });
        model.scenes.push(Scene { name: Some("Part".into()), roots: vec![1] });
        let effects = viewer.apply(Action::open("/rigs/scenes.glb"));
        finish(&mut viewer, &effects, Ok(file));
        viewer
    }

    #[test]
    fn a_camera_of_the_file_moves_with_the_clip_until_a_person_moves_it() {
        let mut viewer = viewer();
        let free = *viewer.sight().orbit_camera();
        viewer.apply(Action::SelectCamera(Some(0)));
        assert_eq!(viewer.sight().file_camera(), Some(0));
        let eye = |viewer: &mut Viewer, time| {
            viewer.apply(Action::Seek(time));
            viewer.pose();
            viewer.view().world_from_camera.translation
        };
        assert_eq!(eye(&mut viewer, 0.0), DVec3::ZERO);
        assert_eq!(eye(&mut viewer, 2.0), DVec3::new(2.0, 0.0, 0.0));
        // Back at the orbit, nothing has moved.
        viewer.apply(Action::SelectCamera(None));
        assert_eq!((viewer.sight().file_camera(), *viewer.sight().orbit_camera()), (None, free));
        // A drag goes on from where the file's camera stands.
        viewer.apply(Action::SelectCamera(Some(0)));
        viewer.apply(Action::Orbit(DVec2::ZERO));
        assert_eq!(viewer.sight().file_camera(), None);
        let left = viewer.view().world_from_camera.translation;
        assert!((left - DVec3::new(2.0, 0.0, 0.0)).length() < 1e-9, "{left}");
        // There is no such camera.
        viewer.apply(Action::SelectCamera(Some(7)));
        assert_eq!(viewer.sight().file_camera(), None);
    }

    #[test]
    fn another_scene_is_shown_and_keeps_clip_and_time() {
        let mut viewer = two_scenes();
        viewer.apply(Action::SelectClip(Some(1)));
        viewer.apply(Action::Seek(0.5));
        viewer.apply(Action::SelectCamera(Some(0)));
        viewer.apply(Action::SelectScene(2));
        let stage = viewer.stage().unwrap();
        assert_eq!((stage.scene, &stage.nodes[..]), (2, &[1][..]));
        assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(1), 0.5));
        assert_eq!(viewer.sight().file_camera(), Some(0), "it is in this scene too");
        // A scene without the camera is seen by the free one.
        viewer.apply(Action::SelectScene(1));
        assert_eq!((viewer.sight().file_camera(), viewer.cameras()), (None, vec![]));
        viewer.apply(Action::SelectScene(9));
        assert_eq!(viewer.stage().unwrap().scene, 1);
        // Read again it is the same scene.
        viewer.apply(Action::SelectScene(2));
        let effects = viewer.apply(Action::Reload);
        let mut file = loaded();
        file.model.scenes.extend([1, 2].map(|_| Scene { name: None, roots: vec![1] }));
        finish(&mut viewer, &effects, Ok(file));
        assert_eq!(viewer.stage().unwrap().scene, 2);
    }
}
