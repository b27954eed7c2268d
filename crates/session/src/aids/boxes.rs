//! The boxes of the model: of the file's vertices without a pose, over the shown clip, and at this instant.

use glam::{Affine3A, DVec3};

use crate::camera::file_camera::instant_hull;
use crate::{ClipsId, Playback};
use rigview_look::{LegendRow, Stroke};
use rigview_model::{Aabb, DrawnVertices, HeldRoot, Model, Node, SceneBox, Stage};

rigview_anim::named_enum! {
    /// A box of the model.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BoxOf {
        /// The vertices as the file has them (accessor minimum and maximum), placed by their nodes at rest
        /// and by their instances. Skins, morph targets and nodes that the file hides do not count.
        File = "File",
        /// The posed vertices over the shown clip, at its keys, 30 times per second and at 33 even times.
        Clip = "Clip",
        /// The posed vertices at this instant.
        Instant = "Now",
    }
}

impl BoxOf {
    /// Returns the sRGB of its lines.
    pub fn color(self) -> [u8; 4] {
        match self {
            BoxOf::File => [0xff, 0xc8, 0x4a, 220],
            BoxOf::Clip => [0x5c, 0xad, 0xff, 220],
            BoxOf::Instant => [0xd8, 0xdc, 0xe4, 220],
        }
    }

    /// Returns the number of dashes per edge.
    fn dashes(self) -> usize {
        match self {
            BoxOf::File => 6,
            BoxOf::Clip => 14,
            BoxOf::Instant => 1,
        }
    }
}

/// Diagonal of what is framed with the file's box, in multiples of that of the clip's box, up to which it is framed.
const MOST_FRAMED: f64 = 20.0;

/// What drawings of a whole clip depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipInputs {
    clips: ClipsId,
    scene: (usize, bool),
    clip: Option<usize>,
    /// The root that is held in its place.
    held: Option<HeldRoot>,
}

impl ClipInputs {
    /// Returns that of a playback; `None` without a model.
    pub fn shown(playback: &Playback) -> Option<Self> {
        let (document, stage) = playback.document().zip(playback.stage())?;
        Some(Self {
            clips: document.clips_id(),
            scene: (stage.scene, stage.stood_up()),
            clip: playback.framed_clip(),
            held: playback.held_in_frame(),
        })
    }
}

/// The boxes; `None` for empty ones. Hidden nodes count, so that no box jumps when
/// a node is hidden.
#[derive(Debug, Default)]
pub(crate) struct Boxes {
    of: Option<ClipInputs>,
    vertices: DrawnVertices,
    /// By the order of [`BoxOf::ALL`].
    boxes: [Option<SceneBox>; 3],
}

impl Boxes {
    /// Returns a box.
    pub fn get(&self, of: BoxOf) -> Option<SceneBox> {
        self.boxes[of as usize]
    }

    /// Finds the boxes of a posed playback if they are to be shown.
    pub fn show(&mut self, playback: &Playback, wanted: bool) {
        let shown = playback.document().zip(playback.stage()).filter(|_| wanted);
        let Some((document, stage)) = shown else {
            return *self = Self::default();
        };
        let model = &document.model;
        let framed = playback.framed_clip();
        let clip = framed.and_then(|clip| document.clip(clip));
        let of = ClipInputs::shown(playback);
        if self.of != of {
            self.of = of;
            self.vertices = DrawnVertices::new(model, stage);
            self.boxes[BoxOf::File as usize] = file_box(model, stage);
            let mut posed = stage.clone();
            let over = self.vertices.box_over(model, &mut posed, clip, playback.held_in_frame());
            self.boxes[BoxOf::Clip as usize] =
                in_scene(&over, stage).or_else(|| SceneBox::around(playback.hull()));
        }
        let mut now = Aabb::EMPTY;
        self.vertices.add_to(&mut now, model, stage);
        self.boxes[BoxOf::Instant as usize] =
            in_scene(&now, stage).or_else(|| SceneBox::around(&instant_hull(model, stage)));
    }

    /// Returns the boxes that the camera frames: those of file and clip. That of the file is left out where it is so
    /// large or so far away that little would be seen of the model beside it, and that of the instant because the camera
    /// keeps still while the clip plays.
    pub fn framed(&self) -> impl Iterator<Item = SceneBox> + use<> {
        let [file, clip] = [BoxOf::File, BoxOf::Clip].map(|of| self.get(of));
        let diagonal = |bounds: SceneBox| bounds.size().length();
        let is_near = |file: &SceneBox| {
            clip.is_none_or(|clip| diagonal(file.union(clip)) <= MOST_FRAMED * diagonal(clip))
        };
        file.filter(is_near).into_iter().chain(clip)
    }

    /// Adds the lines of the boxes.
    pub fn add(&self, strokes: &mut Vec<Stroke>) {
        for of in BoxOf::ALL {
            if let Some(bounds) = self.get(of) {
                Stroke::add_box(strokes, bounds, of.color(), of.dashes());
            }
        }
    }

    /// Returns the legend: name and size of each box.
    pub fn legend_rows(&self) -> Vec<LegendRow> {
        let row = |of: BoxOf| {
            let (size, [r, g, b, _]) = (self.get(of)?.size(), of.color());
            let text = format!("{}: {}", of.name(), size_text(size));
            Some(LegendRow { color: [r, g, b], text })
        };
        BoxOf::ALL.into_iter().filter_map(row).collect()
    }
}

/// Returns the size of a box in metres as text: in the unit in which its longest side has three or four digits, with as
/// many decimals for each side.
fn size_text(size: DVec3) -> String {
    let longest = size.max_element();
    let (per_metre, unit) = match longest {
        metres if metres >= 1e3 => (1e-3, "km"),
        metres if metres >= 0.1 || metres <= 0.0 => (1.0, "m"),
        metres if metres >= 1e-4 => (1e3, "mm"),
        _ => (1e6, "µm"),
    };
    let decimals = match per_metre * longest {
        longest if longest >= 1000.0 => 0,
        longest if longest >= 100.0 => 1,
        longest if longest >= 10.0 => 2,
        _ => 3,
    };
    let side = |axis: usize| format!("{:.decimals$}", per_metre * size[axis]);
    format!("{} × {} × {} {unit}", side(0), side(1), side(2))
}

/// Returns the ends of a box that is relative to a stage's origin in scene space; `None` for an empty one.
fn in_scene(bounds: &Aabb, stage: &Stage) -> Option<SceneBox> {
    let ends = [bounds.min, bounds.max].map(|corner| corner.as_dvec3() + stage.origin);
    if bounds.is_empty() { None } else { SceneBox::around(&ends) }
}

/// Returns the box of the scene's vertices as the file has them, placed by their nodes at rest and by their instances,
/// without nodes that the file hides.
fn file_box(model: &Model, shown: &Stage) -> Option<SceneBox> {
    let mut rest = Stage::new(model, shown.scene);
    rest.stand_up(model, shown.stood_up());
    // Joints may have carried the stage's origin far from the nodes of skinned meshes.
    let scene_from_nodes = rest.exact_scene_from_nodes(model);
    let mut all: Option<SceneBox> = None;
    for &node in rest.nodes.iter().filter(|node| rest.visible[**node]) {
        let Node { mesh: Some(mesh), skin, instances, .. } = &model.nodes[node] else { continue };
        // Joints place a skinned mesh, and no instances.
        let is_once = skin.is_some() || instances.is_empty();
        let places = if is_once { &[Affine3A::IDENTITY] } else { &instances[..] };
        for own in model.meshes[*mesh].primitives.iter().filter_map(|p| p.bounds.rest) {
            for place in places {
                let matrix = scene_from_nodes[node] * place.as_daffine3();
                let corners = own.corners().map(|at| matrix.transform_point3(at.as_dvec3()));
                let placed = SceneBox::around(&corners);
                all =
                    all.map_or(placed, |all| placed.map_or(Some(all), |own| Some(all.union(own))));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{finish, session};
    use crate::{Action, LoadAction, LookAction, PlaybackAction};
    use rigview_import::{ImportOptions, load_bytes};

    #[test]
    fn a_size_has_three_or_four_digits_in_a_fitting_unit() {
        for (size, text) in [
            ([0.5, 1.8234, 0.25], "0.500 × 1.823 × 0.250 m"),
            ([0.001, 0.0004, 0.0], "1.000 × 0.400 × 0.000 mm"),
            ([0.0621, 0.09, 0.03], "62.10 × 90.00 × 30.00 mm"),
            ([12.5, 3.0, 0.1234], "12.50 × 3.00 × 0.12 m"),
            ([250.0, 999.0, 1.0], "250.0 × 999.0 × 1.0 m"),
            ([3130.365, 20.0, 4.0], "3.130 × 0.020 × 0.004 km"),
            ([4e-6, 0.0, 0.0], "4.000 × 0.000 × 0.000 µm"),
            ([2e6, 1.0, 1.0], "2000 × 0 × 0 km"),
            ([0.0, 0.0, 0.0], "0.000 × 0.000 × 0.000 m"),
        ] {
            assert_eq!(size_text(size.into()), text);
        }
    }

    const CREATURE: &[u8] = include_bytes!("../../../../assets/creature.glb");

    #[test]
    fn the_instants_box_is_that_of_the_vertices_and_the_clips_box_holds_all_instants() {
        let mut session = session();
        let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
        let loaded = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
        finish(&mut session, &effects, Ok(loaded));
        session.apply(Action::from(LookAction::ToggleBounds));
        session.pose();
        let clip = session.bounds_of(BoxOf::Clip).unwrap();
        for time in [0.0, 0.31, 0.77] {
            session.apply(PlaybackAction::Seek(time));
            session.pose();
            let SceneBox { min, max } = session.bounds_of(BoxOf::Instant).unwrap();
            let playback = session.playback();
            let (model, stage) = (&playback.document().unwrap().model, playback.stage().unwrap());
            let mut own = Aabb::EMPTY;
            for &node in &stage.nodes {
                let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
                for primitive in 0..mesh.map_or(0, |mesh| mesh.primitives.len()) {
                    let all = stage.deformed(model, node, primitive).unwrap();
                    all.into_iter().for_each(|at| own.add(at));
                }
            }
            let off = (own.min.as_dvec3() - min).abs().max((own.max.as_dvec3() - max).abs());
            assert!(off.max_element() < 1e-6, "{off}");
            assert!((clip.min - min).max_element() < 1e-4 && (max - clip.max).max_element() < 1e-4);
        }
        let file = session.bounds_of(BoxOf::File).unwrap();
        assert!(file.min.cmple(file.max).all() && file != clip);
        assert_eq!(session.strokes().len(), 12 * (6 + 14 + 1));
        assert_eq!(session.legend_rows().len(), 3);
        assert!(session.legend_rows()[0].text.starts_with("File: "));
        session.apply(LookAction::ToggleBounds);
        session.pose();
        assert_eq!(session.bounds_of(BoxOf::File), None);
        assert!(session.strokes().is_empty() && session.legend_rows().is_empty());
    }

    #[test]
    fn the_files_box_holds_instances_and_leaves_out_hidden_nodes() {
        let mut model = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap().model;
        let bounds = |model: &Model| file_box(model, &Stage::new(model, model.default_scene));
        let own = bounds(&model).unwrap();
        let meshes: Vec<usize> =
            (0..model.nodes.len()).filter(|node| model.nodes[*node].mesh.is_some()).collect();
        let places = [0.0, 10.0].map(|x| Affine3A::from_translation(glam::Vec3::X * x));
        for &node in &meshes {
            model.nodes[node].instances = places.to_vec();
            model.nodes[node].skin = None;
        }
        let all = bounds(&model).unwrap();
        assert!((all.size() - own.size() - DVec3::X * 10.0).length() < 1e-4, "{all:?} {own:?}");
        meshes.iter().for_each(|node| model.nodes[*node].hidden = true);
        assert_eq!(bounds(&model), None);
    }

    /// Joints may stand far away from the node of the mesh that they move, whose box has its size all the same.
    #[test]
    fn the_files_box_is_exact_however_far_the_joints_are() {
        let mut model = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap().model;
        let own = file_box(&model, &Stage::new(&model, model.default_scene)).unwrap();
        // The root of the joints, beside the node of the mesh.
        let is_root = |node: &Node| node.name.as_deref() == Some("creature");
        let root = model.nodes.iter().position(is_root).unwrap();
        model.rest.set_translation(root, glam::Vec3::new(1e7, 0.0, 1e7));
        let moved = Stage::new(&model, model.default_scene);
        assert!(moved.origin.length() > 1e6, "{}", moved.origin);
        let found = file_box(&model, &moved).unwrap();
        assert!((found.size() - own.size()).length() < 1e-9, "{found:?} {own:?}");
    }

    #[test]
    fn a_box_of_the_file_far_from_the_model_is_not_framed() {
        let at = |x: f64, size: f64| SceneBox { min: DVec3::X * x, max: DVec3::X * x + size };
        let framed = |file: SceneBox, clip: SceneBox| {
            let boxes = Boxes { boxes: [Some(file), Some(clip), None], ..Boxes::default() };
            boxes.framed().collect::<Vec<_>>()
        };
        let clip = at(0.0, 1.0);
        assert_eq!(framed(at(3.0, 1.0), clip), [at(3.0, 1.0), clip]);
        assert_eq!(framed(at(1e4, 1.0), clip), [clip]);
        assert_eq!(framed(at(0.0, 100.0), clip), [clip]);
        assert_eq!(framed(at(0.0, 0.01), clip), [at(0.0, 0.01), clip]);
    }
}
