//! Compares two models in structure, at rest, and clip by clip.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use glam::Vec3;
use rayon::prelude::*;

use super::cause::Rigs;
use super::change::{Change, Kind};
use super::changes::attributes::attribute_changes;
use super::changes::bare_nodes::bare_node_changes;
use super::changes::bind::bind_changes;
use super::changes::drawn::{drawn_pairs, size, unpaired};
use super::changes::extras::extras_changes;
use super::changes::images::{image_pairs, pair_other_images};
use super::changes::instances::instance_change;
use super::changes::interpolations::interpolation_changes;
use super::changes::lone_nodes::LoneNodes;
use super::changes::materials::{
    join_materials, material_changes, material_pairs, pair_other_materials, used_materials,
};
use super::changes::names::{Names, changes, changes_of_used};
use super::changes::paired_mesh::PairedMesh;
use super::changes::properties::property_changes;
use super::changes::scenes::variant_pairs;
use super::changes::structure::{join_meshes, mesh_pairs, skin_pairs, structure};
use super::changes::targets::target_changes;
use super::changes::tex_coords::TexCoordsAgree;
use super::changes::winding::triangle_changes;
use super::error::ComparisonError;
use super::measured::{Measured, Paired, PairedPoints, PointPair};
use super::measured_instances::{add_instances, instances_apart, show_instances};
use super::model_difference::{
    ClipDifference, Distances, ModelDifference, RestDifference, Unmeasured,
};
use super::motion::blocks::Blocks;
use super::motion::spans::ClipPair;
use super::motion::{Farthest, Field, Meter, PosedPair, farthest, largest_turn};
use super::pairing::clip_pairs::{ClipMatch, PairedBy, clip_pairs, given_name};
use super::pairing::instance_pairs::InstancePairs;
use super::pairing::leftover::{CutPart, move_feet};
use super::pairing::near_pairs::NodePlaces;
use super::pairing::node_pairs::node_pairs;
use super::pairing::pairs::Pairs;
use super::pairing::pairs::{ModelPairs, Models};
use super::pairing::target_pairs::target_pairs;
use super::pairing::vertex_pairs::{Drawn, vertex_pairs};
use super::progress::CompareProgress;
use super::side::{Side, origin_offset};
use rigview_anim::Clip;
use rigview_model::{Model, OverBudget, Stage, VertexPlace, Work, WorkLimit};

/// Compares two models: their default scenes, all their clips and their materials.
///
/// The same vertex is that of the same index where both meshes have the same triangles, else that at the same place,
/// at last the nearest point of the other surface. Where neither model draws anything, the origins of nodes are
/// compared. Clips are compared at all key times of both, every 1/30 s, and between them as fine as it takes to be
/// within 1 % or 0.05 mm of the true maximum; the clip that ends first holds its last pose.
///
/// # Errors
/// If the data that the comparison needs does not fit in a model's budget, or if the clips are too long for the default
/// limit.
pub fn models(a: &Model, b: &Model) -> Result<ModelDifference, ComparisonError> {
    models_within(a, b, WorkLimit::default())
}

/// Compares two models as [`models`] does, within another limit of work.
///
/// # Errors
/// As [`models`].
pub fn models_within(
    a: &Model,
    b: &Model,
    limit: WorkLimit,
) -> Result<ModelDifference, ComparisonError> {
    Comparison::new(a, b)?.difference(limit, &CompareProgress::default())
}

/// Returns the largest distances between the posed skins of two versions of a model in any of its scenes, at rest and in each
/// clip that both have; `None` if no mesh and no node can be paired. As many clips are in the same order, whatever their names. Clips that
/// play the same on the same rig are not measured.
///
/// # Errors
/// As [`models`].
pub fn distances(a: &Model, b: &Model) -> Result<Option<Distances>, ComparisonError> {
    let comparison = Comparison::of_stages(a, b, Stage::of_all_scenes)?;
    let in_order = |i| ClipMatch { a: i, b: i, by: PairedBy::Name };
    let clips = match a.clips.len() == b.clips.len() {
        true => (0..a.clips.len()).map(in_order).collect(),
        false => clip_pairs(comparison.models()),
    };
    comparison.charge(&clips, WorkLimit::default())?;
    let meter = Meter::new(WorkLimit::default());
    let of_clip =
        |clip: &ClipMatch| Some((clip.b, comparison.distance(comparison.clip_pair(clip), &meter)?));
    let of_clips = clips.par_iter().filter_map(of_clip).collect();
    let at_rest = comparison.distance(ClipPair { a: None, b: None }, &meter);
    comparison.check(&meter, &clips)?;
    Ok(at_rest.map(|at_rest| Distances { at_rest, clips: of_clips }))
}

/// Whether two models have the same nodes, constraints, meshes and skins, so that the same clip moves both alike.
fn is_same_rig(a: &Model, b: &Model) -> bool {
    a.nodes == b.nodes
        && a.rest == b.rest
        && a.constraints == b.constraints
        && a.hierarchy == b.hierarchy
        && a.skins == b.skins
        && (a.default_scene, &a.scenes) == (b.default_scene, &b.scenes)
        && a.meshes == b.meshes
}

/// The nodes that draw the same mesh, with their part of the paired points.
struct DrawnPoints {
    drawn: Drawn,
    pairs: Range<usize>,
    rivals: Range<usize>,
    by: Paired,
}

/// Pairs all lists of two models, given the places of their nodes.
fn pair_all([a, b]: [&Model; 2], places: &[NodePlaces; 2]) -> ModelPairs {
    let mut images = image_pairs(a, b);
    let mut materials = material_pairs(a, b, &images);
    let nodes = node_pairs(a, b, places, &materials);
    let mut meshes = mesh_pairs(a, b, &nodes, &materials);
    // What names and content leave is known by what uses it.
    pair_other_materials([a, b], &meshes, &mut materials);
    pair_other_images([a, b], &materials, &mut images);
    join_materials([a, b], &images, &mut materials);
    join_meshes([a, b], &materials, &mut meshes);
    ModelPairs {
        targets: target_pairs([a, b], &meshes),
        variants: variant_pairs([a, b], &meshes, &materials),
        skins: skin_pairs(a, b, &nodes),
        meshes,
        materials,
        nodes,
        images,
    }
}

/// Two models, laid out to be measured.
pub(super) struct Comparison<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    pub pairs: ModelPairs,
    /// `None` if no mesh can be paired.
    pub measured: Option<Measured>,
    /// Bounds of all distances, made when they are needed first.
    blocks: OnceLock<Blocks>,
    /// Whether the same clip moves both models alike.
    is_same_rig: bool,
    /// The nodes that draw the same mesh.
    drawn: Vec<DrawnPoints>,
    /// The nodes that draw a part of another node's mesh.
    parts: Vec<CutPart>,
    /// Meshes that both models have, but whose vertices can't be paired.
    unpaired: Vec<Change>,
    /// Nodes whose instances moved.
    moved_instances: Vec<Change>,
    size: f32,
}

impl<'a> Comparison<'a> {
    /// Pairs the default scenes of two models.
    pub fn new(a: &'a Model, b: &'a Model) -> Result<Self, ComparisonError> {
        Self::of_stages(a, b, |model| Stage::new(model, model.default_scene))
    }

    /// Pairs what two stages of models show.
    fn of_stages(
        a: &'a Model,
        b: &'a Model,
        of: fn(&Model) -> Stage,
    ) -> Result<Self, ComparisonError> {
        let (side_a, side_b) = rayon::join(|| Side::new(a, of(a)), || Side::new(b, of(b)));
        let (side_a, side_b) = (side_a?, side_b?);
        let offset = origin_offset(&side_a, &side_b);
        let places = [side_a.node_places(Vec3::ZERO), side_b.node_places(offset)];
        let pairs = pair_all([a, b], &places);
        let mut comparison = Self {
            size: size(&side_a).max(size(&side_b)),
            a: side_a,
            b: side_b,
            pairs,
            measured: None,
            blocks: OnceLock::new(),
            is_same_rig: is_same_rig(a, b),
            drawn: Vec::new(),
            parts: Vec::new(),
            unpaired: Vec::new(),
            moved_instances: Vec::new(),
        };
        comparison.measure()?;
        Ok(comparison)
    }

    /// Decides what is measured.
    ///
    /// # Errors
    /// If instances do not fit in a model's budget.
    fn measure(&mut self) -> Result<(), OverBudget> {
        let (a, b) = (&self.a, &self.b);
        if a.drawing_nodes().is_empty() && b.drawing_nodes().is_empty() {
            let mut in_b = vec![false; b.model.nodes.len()];
            b.stage.nodes.iter().for_each(|node| in_b[*node] = true);
            let inside = |node: &usize| in_b[*node];
            let partner = |node: &usize| self.pairs.nodes.b_of(*node).filter(inside);
            let nodes = a.stage.nodes.iter().filter_map(|node| Some([*node, partner(node)?]));
            self.measured = Some(Measured::Nodes(nodes.collect()));
            return Ok(());
        }
        let drawn = drawn_pairs(a, b, &self.pairs);
        let (nodes, size) = (&self.pairs.nodes, self.size);
        let instances = show_instances([&mut self.a, &mut self.b], nodes, &drawn, size);
        let (a, b) = (&self.a, &self.b);
        let found: Vec<_> =
            drawn.par_iter().map(|drawn| vertex_pairs([a, b], &self.pairs, *drawn)).collect();
        let mut points = PairedPoints::default();
        for (drawn, found) in drawn.iter().zip(found) {
            match found {
                Some(found) => {
                    let (pairs, rivals) = (points.pairs.len(), points.rivals.len());
                    let by = found.by;
                    points.extend(found);
                    let pairs = pairs..points.pairs.len();
                    let rivals = rivals..points.rivals.len();
                    let drawn = *drawn;
                    self.drawn.extend(by.map(|by| DrawnPoints { drawn, pairs, rivals, by }));
                }
                None => self.unpaired.push(unpaired(a.model, *drawn)),
            }
        }
        self.unpaired.dedup();
        let drawn_pairs: Vec<Drawn> = self.drawn.iter().map(|each| each.drawn).collect();
        let lone = self.lone_nodes();
        self.parts = move_feet([a, b], &self.pairs, &drawn_pairs, &lone, &mut points);
        self.measure_instances(&instances, &mut points.pairs)?;
        let empty = points.len() == 0 && (drawn.is_empty() || !self.unpaired.is_empty());
        self.measured = (!empty).then_some(Measured::Points(points));
        Ok(())
    }

    /// Adds the pairs of further instances to those that are measured, and finds the nodes whose instances moved.
    fn measure_instances(
        &mut self,
        instances: &[InstancePairs],
        pairs: &mut Vec<PointPair>,
    ) -> Result<(), OverBudget> {
        let mut measured = Vec::new();
        for of in instances {
            let is_own = |each: &&DrawnPoints| [each.drawn.a, each.drawn.b] == of.nodes;
            let own = self.drawn.iter().find(is_own).map_or(0..0, |each| each.pairs.clone());
            let sides = [&mut self.a, &mut self.b];
            let added = add_instances(sides, of, &pairs[own.clone()])?;
            let start = pairs.len();
            pairs.extend(added);
            measured.push([own, start..pairs.len()]);
        }
        if instances.is_empty() {
            return Ok(());
        }
        self.a.find_rest();
        self.b.find_rest();
        self.size = size(&self.a).max(size(&self.b));
        let sides = [&self.a, &self.b];
        let changes = instances.iter().zip(measured).filter_map(|(of, measured)| {
            instance_change(&self.a, of, instances_apart(sides, of, pairs, measured))
        });
        self.moved_instances = changes.collect();
        Ok(())
    }

    pub fn models(&self) -> Models<'_> {
        Models { a: self.a.model, b: self.b.model, pairs: &self.pairs }
    }

    pub fn rigs(&self) -> Rigs<'_> {
        Rigs { a: &self.a, b: &self.b, nodes: &self.pairs.nodes, size: self.size }
    }

    /// Compares everything. If it is cancelled, clips are left out.
    ///
    /// # Errors
    /// If the clips are too long.
    pub fn difference(
        &self,
        limit: WorkLimit,
        progress: &CompareProgress,
    ) -> Result<ModelDifference, ComparisonError> {
        let clips = clip_pairs(self.models());
        self.charge(&clips, limit)?;
        progress.begin(clips.len());
        let meter = Meter::new(limit);
        let measured = clips.par_iter().filter_map(|clip| {
            let measured = (!progress.is_cancelled()).then(|| self.clip(clip, &meter));
            progress.step();
            measured
        });
        let measured = measured.collect();
        let rest = self.rest(&meter);
        self.check(&meter, &clips)?;
        let (structure, tex_coords) = self.structure(&clips);
        Ok(ModelDifference {
            clips: measured,
            structure,
            paired: match &self.measured {
                Some(Measured::Points(points)) => points.by,
                _ => None,
            },
            rest,
            materials: self.material_changes(&tex_coords),
            unmeasured: self.unmeasured(),
            images: self.pairs.images.clone(),
        })
    }

    fn unmeasured(&self) -> Option<Unmeasured> {
        let draws = |side: &Side| !side.drawing_nodes().is_empty();
        self.measured.is_none().then(|| match (draws(&self.a), draws(&self.b)) {
            (false, _) => Unmeasured::NoMeshInA,
            (true, false) => Unmeasured::NoMeshInB,
            (true, true) => Unmeasured::OtherShapes,
        })
    }

    /// Checks that the clips are not too long to bound all distances.
    fn charge(&self, clips: &[ClipMatch], limit: WorkLimit) -> Result<(), ComparisonError> {
        let nodes = self.a.model.nodes.len() + self.b.model.nodes.len();
        let mut work = Work::default();
        let clips = clips.iter().enumerate();
        for (i, clip) in clips.filter(|(_, clip)| !self.moves_alike(self.clip_pair(clip))) {
            let Some(blocks) = self.blocks() else { break };
            // Each matrix is looked at by the corners of a box.
            work = work + self.clip_pair(clip).work(8 * blocks.matrices(), nodes);
            let too_long = |over| ComparisonError::TooLong { clips: i + 1, over };
            limit.holds(work).map_err(too_long)?;
        }
        Ok(())
    }

    /// Checks that the vertices did not take too long.
    fn check(&self, meter: &Meter, clips: &[ClipMatch]) -> Result<(), ComparisonError> {
        let too_long = |over| ComparisonError::TooLong { clips: clips.len(), over };
        meter.check().map_err(too_long)
    }

    fn clip_pair(&self, clip: &ClipMatch) -> ClipPair<'_> {
        let [a, b] = [&self.a.model.clips[clip.a], &self.b.model.clips[clip.b]];
        ClipPair { a: Some(a), b: Some(b) }
    }

    /// Lists all changes of structure, then those of meshes and skins. Also returns the materials whose texture coordinates
    /// were compared.
    fn structure(&self, clips: &[ClipMatch]) -> (Vec<Change>, Vec<TexCoordsAgree>) {
        let (a, b) = (self.a.model, self.b.model);
        let mut structure = structure(self.models());
        structure.extend(self.moved_instances.iter().chain(&self.unpaired).cloned());
        let clip_pairs: Vec<ClipPair> = clips.iter().map(|clip| self.clip_pair(clip)).collect();
        structure.extend(bare_node_changes(&self.rigs(), &clip_pairs));
        structure.extend(self.clip_changes(clips));
        let names = Names {
            kind: Kind::Material,
            a: a.materials.iter().map(|material| &material.name).collect(),
            b: b.materials.iter().map(|material| &material.name).collect(),
        };
        let used = [a, b].map(used_materials);
        let pairs = &self.pairs.materials;
        structure.extend(changes_of_used(&names, used, pairs, |_, _| Vec::new()));
        let lone = self.lone_triangles();
        let meshes = self.paired_meshes(&lone);
        let mut seen = HashSet::new();
        let of_node = |model: &Model, node: usize| model.nodes[node].mesh;
        // A mesh that several nodes draw is compared once.
        let once = meshes
            .iter()
            .filter(|mesh| seen.insert([of_node(a, mesh.drawn.a), of_node(b, mesh.drawn.b)]));
        let once: Vec<_> = once.collect();
        let compared = once.into_par_iter().map(|mesh| {
            let triangles = triangle_changes(mesh);
            let attributes = attribute_changes(mesh, &triangles);
            (triangles.changes, attributes, target_changes(mesh))
        });
        let compared: Vec<_> = compared.collect();
        let mut tex_coords = Vec::new();
        for (triangles, attributes, targets) in compared {
            structure.extend(triangles.into_iter().chain(attributes.changes).chain(targets));
            tex_coords.extend(attributes.tex_coords);
        }
        let sides = [&self.a, &self.b];
        for (i, j) in self.pairs.skins.iter() {
            let has_skins = |mesh: &&PairedMesh| {
                let Drawn { a: x, b: y } = mesh.drawn;
                [a.nodes[x].skin, b.nodes[y].skin] == [Some(i), Some(j)]
            };
            let meshes: Vec<PairedMesh> = meshes.iter().filter(has_skins).copied().collect();
            structure.extend(bind_changes(sides, &self.pairs.nodes, [i, j], &meshes));
        }
        structure.extend(extras_changes(self.models(), &self.clip_list(clips)));
        (structure, tex_coords)
    }

    /// Returns the nodes of both sides that draw something and are compared with none.
    fn lone_nodes(&self) -> [Vec<usize>; 2] {
        let lone = |side: &Side, of: fn(Drawn) -> usize| {
            let drawn: HashSet<usize> = self.drawn.iter().map(|each| of(each.drawn)).collect();
            let mut nodes = side.drawing_nodes();
            nodes.retain(|node| !drawn.contains(node));
            nodes
        };
        [lone(&self.a, |drawn| drawn.a), lone(&self.b, |drawn| drawn.b)]
    }

    fn lone_triangles(&self) -> [LoneNodes<'_>; 2] {
        let skins = &self.pairs.skins;
        let [in_a, in_b] = self.lone_nodes();
        let offset = origin_offset(&self.a, &self.b);
        [
            LoneNodes::new(&self.a, &in_a, Vec3::ZERO, self.size, (skins, 0)),
            LoneNodes::new(&self.b, &in_b, offset, self.size, (skins, 1)),
        ]
    }

    /// Returns the meshes whose vertices are paired, then the parts of cut ones.
    fn paired_meshes<'c>(&'c self, lone: &'c [LoneNodes<'c>; 2]) -> Vec<PairedMesh<'c>> {
        let Some(Measured::Points(points)) = &self.measured else { return Vec::new() };
        let mesh = |of: &DrawnPoints| {
            Some(PairedMesh {
                sides: [&self.a, &self.b],
                nodes: &self.pairs.nodes,
                materials: &self.pairs.materials,
                targets: &self.pairs.targets[self.a.model.nodes[of.drawn.a].mesh?],
                drawn: of.drawn,
                part: None,
                lone,
                pairs: &points.pairs[of.pairs.clone()],
                rivals: &points.rivals[of.rivals.clone()],
                by: of.by,
            })
        };
        let part = |of: &'c CutPart| PairedMesh {
            sides: [&self.a, &self.b],
            nodes: &self.pairs.nodes,
            materials: &self.pairs.materials,
            targets: &of.targets,
            drawn: of.drawn,
            part: Some(of.side),
            lone,
            pairs: &of.pairs,
            rivals: &of.rivals,
            by: Paired::Place,
        };
        let wholes = self.drawn.iter().filter(|of| !of.pairs.is_empty()).filter_map(mesh);
        wholes.chain(self.parts.iter().map(part)).collect()
    }

    fn material_changes(&self, tex_coords: &[TexCoordsAgree]) -> Vec<Change> {
        let mut all: HashMap<[usize; 2], bool> = HashMap::new();
        for (materials, agree) in tex_coords {
            *all.entry(*materials).or_insert(true) &= agree;
        }
        material_changes(self.models(), |materials| all.get(&materials) == Some(&true))
    }

    /// Measures the rest pose.
    fn rest(&self, meter: &Meter) -> RestDifference {
        let (_, node, distance) = self.farthest(ClipPair { a: None, b: None }, meter);
        RestDifference { distance, node: node.map(|node| self.a.node_name(node)) }
    }

    /// Measures two clips.
    fn clip(&self, clip: &ClipMatch, meter: &Meter) -> ClipDifference {
        let (x, y) = (&self.a.model.clips[clip.a], &self.b.model.clips[clip.b]);
        let both = self.clip_pair(clip);
        let (farthest, joint, distance) = self.farthest(both, meter);
        let vertex_node = farthest.and_then(|at| self.measured_node(at.pair));
        let angle =
            joint.map(|node| f64::from(largest_turn(&self.rigs(), node, both)).to_degrees());
        ClipDifference {
            a: given_name(x).map(str::to_owned),
            b: given_name(y).map(str::to_owned),
            paired_by: clip.by,
            distance,
            vertex_node: vertex_node.map(|node| self.a.node_name(node)),
            joint: joint.map(|node| self.a.node_name(node)),
            time: farthest.map(|at| at.time_secs),
            angle,
            interpolations: interpolation_changes(self.a.model, &self.pairs.nodes, [x, y]),
            durations: [x, y].map(Clip::duration_secs),
            index: [clip.a, clip.b],
            joint_index: joint,
        }
    }

    fn clip_list(&self, clips: &[ClipMatch]) -> Pairs {
        let mut pairs = Pairs::new(self.a.model.clips.len(), self.b.model.clips.len());
        clips.iter().for_each(|clip| pairs.pair(clip.a, clip.b));
        pairs
    }

    /// Lists the clips that were added, removed or renamed, or whose animated properties differ.
    fn clip_changes(&self, clips: &[ClipMatch]) -> Vec<Change> {
        let (a, b) = (&self.a.model.clips, &self.b.model.clips);
        let pairs = self.clip_list(clips);
        let [in_a, in_b] = [a, b].map(|clips| -> Vec<Option<String>> {
            clips.iter().map(|clip| given_name(clip).map(str::to_owned)).collect()
        });
        let names = Names { kind: Kind::Clip, a: in_a.iter().collect(), b: in_b.iter().collect() };
        changes(&names, &pairs, |i, j| {
            let both = ClipPair { a: Some(&a[i]), b: Some(&b[j]) };
            let mut said = property_changes(&self.a, &self.b, &self.pairs, both);
            said.extend(duration_change([&a[i], &b[j]]));
            said
        })
    }

    fn blocks(&self) -> Option<&Blocks> {
        let measured = self.measured.as_ref()?;
        Some(self.blocks.get_or_init(|| Blocks::new(&self.rigs(), measured)))
    }

    /// Whether both clips have the same channels and move the same rig.
    fn moves_alike(&self, clips: ClipPair) -> bool {
        let is_same = match (clips.a, clips.b) {
            (Some(a), Some(b)) => {
                a.channels() == b.channels() && a.duration_secs() == b.duration_secs()
            }
            (a, b) => a.is_none() && b.is_none(),
        };
        is_same && self.is_same_rig
    }

    /// Returns where both are farthest apart; `None` if there are no points.
    fn search(&self, clips: ClipPair, measured: &Measured, meter: &Meter) -> Option<Farthest> {
        if self.moves_alike(clips) {
            let start = clips.spans().first().map_or(0.0, |span| span.start);
            let equal = Farthest { distance: 0.0, pair: 0, time_secs: start };
            return (measured.len() > 0).then_some(equal);
        }
        farthest(&self.rigs(), Field { measured, blocks: self.blocks()?, meter }, clips)
    }

    /// Returns the largest distance between both.
    fn distance(&self, clips: ClipPair, meter: &Meter) -> Option<f64> {
        let farthest = self.search(clips, self.measured.as_ref()?, meter);
        Some(farthest.map_or(0.0, |at| f64::from(at.distance)))
    }

    /// Returns where both are farthest apart, the node that causes it, and the distance.
    fn farthest(
        &self,
        clips: ClipPair,
        meter: &Meter,
    ) -> (Option<Farthest>, Option<usize>, Option<f64>) {
        let Some(measured) = &self.measured else { return (None, None, None) };
        let rigs = self.rigs();
        let farthest = self.search(clips, measured, meter);
        let distance = Some(farthest.map_or(0.0, |at| f64::from(at.distance)));
        let time_secs = farthest.map_or(0.0, |at| at.time_secs);
        let mut posed = PosedPair::new(&self.a, &self.b);
        posed.pose_nodes(&rigs, clips, time_secs);
        let vertex = match (measured, farthest) {
            (Measured::Points(points), Some(at)) => {
                posed.pose_joints(&rigs);
                let of_a = posed.place_of_a(&rigs, points, at.pair);
                self.place(at.pair).map(|place| (place, of_a))
            }
            _ => None,
        };
        // If no transform differs, none moves the vertex.
        let most = rigs.cause(&posed.a, &posed.b, None);
        let cause = most.and_then(|_| rigs.cause(&posed.a, &posed.b, vertex));
        (farthest, cause, distance)
    }

    /// Returns the vertex of A of a measured pair.
    fn place(&self, pair: usize) -> Option<VertexPlace> {
        match self.measured.as_ref()? {
            Measured::Points(points) => Some(points.vertices(pair, [&self.a, &self.b])[0]),
            Measured::Nodes(_) => None,
        }
    }

    /// Returns the node of A that draws a measured vertex, or that is measured itself.
    fn measured_node(&self, pair: usize) -> Option<usize> {
        match self.measured.as_ref()? {
            Measured::Points(_) => self.place(pair).map(|place| place.node),
            Measured::Nodes(pairs) => Some(pairs[pair][0]),
        }
    }
}

/// Describes the difference of two clips' durations. A frame more or less is what resampling costs.
fn duration_change(clips: [&Clip; 2]) -> Option<String> {
    const FRAME_SECS: f32 = 1.0 / 30.0;
    let [before, after] = clips.map(Clip::duration_secs);
    let differ = (before - after).abs() > 1.001 * FRAME_SECS;
    differ.then(|| format!("lasts {after:.3} s instead of {before:.3} s"))
}
