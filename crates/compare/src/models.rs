//! Compares two models in structure, at rest, and clip by clip.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use rayon::prelude::*;

use super::cause::Rigs;
use super::change::{Change, Kind};
use super::changes::attributes::{attribute_changes, target_changes};
use super::changes::bare_nodes::bare_node_changes;
use super::changes::bind::{bind_changes, skins_in_one_space};
use super::changes::extras::{Places, extras_changes};
use super::changes::interpolations::interpolation_changes;
use super::changes::properties::property_changes;
use super::changes::structure::{Values, clip_changes};
use super::changes::triangles::{Drawn, TriangleChanges, drawn_by_index};
use super::changes::values::{References, clip_names};
use super::error::ComparisonError;
use super::measured::{Measured, Paired, PairedPoints};
use super::model_difference::{
    ClipDifference, Distances, ModelDifference, RestDifference, Unmeasured,
};
use super::motion::blocks::Blocks;
use super::motion::spans::ClipPair;
use super::motion::{Farthest, Field, Meter, PosedPair, farthest, largest_turn};
use super::pairing::clip_pairs::{ClipMatch, PairedBy, clip_pairs, given_name};
use super::pairing::index_pairs::index_pairs;
use super::pairing::lists::{ModelPairs, Models, pair_lists, tokens};
use super::pairing::pairs::{Pairs, entry_name};
use super::pairing::spaces::{Spaces, VertexPair};
use super::pairing::surface_pairs::{Found, Pool, surface_pairs};
use super::progress::CompareProgress;
use super::side::Side;
use rigview_anim::Clip;
use rigview_model::{Model, Stage, Work, WorkLimit};

/// Compares two models: their default scenes, all their clips and their materials.
///
/// The same vertex is that of the same index where nodes of a pair draw the same triangles, else the nearest point of the other
/// model's surface at rest, which is a vertex where one is there. Where neither model draws anything, the origins of nodes are
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

/// Two models, laid out to be measured.
pub(super) struct Comparison<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    pub pairs: ModelPairs,
    /// `None` if no mesh can be paired.
    pub measured: Option<Measured>,
    /// The vertices that are at one place in both.
    vertices: Vec<VertexPair>,
    /// Bounds of all distances, made when they are needed first.
    blocks: OnceLock<Blocks>,
    /// Whether the same clip moves both models alike.
    is_same_rig: bool,
    /// Changes of triangles, and meshes that both models have but that are too far from each other to be measured.
    triangles: Vec<Change>,
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
        let pairs = pair_lists([a, b]);
        let mut comparison = Self {
            size: side_a.size().max(side_b.size()),
            a: side_a,
            b: side_b,
            pairs,
            measured: None,
            vertices: Vec::new(),
            blocks: OnceLock::new(),
            is_same_rig: is_same_rig(a, b),
            triangles: Vec::new(),
        };
        comparison.pair_points();
        Ok(comparison)
    }

    /// Decides what is measured: vertices by index where nodes draw the same triangles, all others by the nearest place.
    fn pair_points(&mut self) {
        let (a, b) = (&self.a, &self.b);
        if a.drawing_nodes().is_empty() && b.drawing_nodes().is_empty() {
            let in_b: HashSet<usize> = b.stage.nodes.iter().copied().collect();
            let partner =
                |node: &usize| self.pairs.nodes.b_of(*node).filter(|node| in_b.contains(node));
            let nodes = a.stage.nodes.iter().filter_map(|node| Some([*node, partner(node)?]));
            self.measured = Some(Measured::Nodes(nodes.collect()));
            return;
        }
        let spaces = Spaces::new([a, b], &self.pairs.nodes);
        let drawn_by = [a, b].map(|side| {
            let mut drawn: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
            for number in 0..side.motion.drawn_len() {
                drawn.entry(side.motion.drawn(number).node).or_default().push(number as u32);
            }
            drawn
        });
        let partners = drawing_pairs([a, b], &self.pairs);
        let in_order = partners.par_iter().map(|[i, j]| {
            let both = [drawn_by[0].get(i)?, drawn_by[1].get(j)?];
            Some(([*i, *j], index_pairs(&spaces, &self.pairs.materials, both.map(Vec::as_slice))?))
        });
        let in_order: Vec<_> = in_order.flatten().collect();
        let mut points = PairedPoints::default();
        let (mut vertices, mut by_index) = (Vec::new(), Vec::new());
        let mut done = [HashSet::new(), HashSet::new()];
        let mut meshes = HashSet::new();
        for ([i, j], pairs) in in_order {
            done[0].insert(i);
            done[1].insert(j);
            points.pairs.extend(pairs.iter().map(|pair| pair.points));
            // A mesh that several nodes draw is compared once.
            if meshes.insert([a.model.nodes[i].mesh, b.model.nodes[j].mesh]) {
                by_index.extend(drawn_by_index(&pairs));
                vertices.extend(pairs);
            }
        }
        points.by = (!points.pairs.is_empty()).then_some(Paired::Index);
        points.pairs.sort_unstable();
        points.pairs.dedup();
        let left = [0, 1].map(|side: usize| -> Vec<u32> {
            let left = drawn_by[side].iter().filter(|(node, _)| !done[side].contains(node));
            left.flat_map(|(_, drawn)| drawn).copied().collect()
        });
        if !left.iter().all(Vec::is_empty) {
            let drawing =
                [0, 1].map(|side: usize| partners.iter().map(|pair| pair[side]).collect());
            let drawing: &[HashSet<usize>; 2] = &drawing;
            let (pool, found) = surface_pairs(
                &spaces,
                &self.pairs.materials,
                left.each_ref().map(Vec::as_slice),
                drawing.each_ref(),
            );
            self.triangles = self.triangle_changes(&by_index, Some((&pool, &found)));
            self.triangles.extend(unpaired([a, b], &partners, &found.apart));
            points.pairs.extend(found.points.pairs);
            points.feet = found.points.feet;
            points.by = points.by.max(found.points.by);
            if found.are_alike.contains(&true) {
                vertices.extend(found.vertices);
            }
        } else {
            self.triangles = self.triangle_changes(&by_index, None);
        }
        drop(spaces);
        let is_measured = points.len() > 0 || self.a.motion.is_empty() && self.b.motion.is_empty();
        self.measured = is_measured.then_some(Measured::Points(points));
        self.vertices = vertices;
    }

    /// Lists the changes of triangles.
    fn triangle_changes(
        &self,
        by_index: &[[u32; 2]],
        pool: Option<(&Pool, &Found)>,
    ) -> Vec<Change> {
        let models = self.models();
        let names = [models.a, models.b]
            .map(|model| model.materials.iter().map(|material| material.name.clone()).collect());
        let materials = tokens(&self.pairs.materials, names);
        let drawn = Drawn { models, sides: [&self.a, &self.b], materials: &materials };
        let mut changes = TriangleChanges::default();
        by_index.iter().for_each(|numbers| changes.add_by_index(&drawn, *numbers));
        if let Some((pool, found)) = pool {
            changes.add_by_place(&drawn, pool, found);
        }
        changes.changes(models)
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
        let (structure, tex_coords, references) = self.structure(&clips);
        let agree = |of: [usize; 2]| tex_coords.get(&of) == Some(&true);
        Ok(ModelDifference {
            clips: measured,
            structure,
            paired: match &self.measured {
                Some(Measured::Points(points)) => points.by,
                _ => None,
            },
            rest,
            materials: Values::new(self.models(), &references).materials(agree),
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

    /// Lists all changes but those of materials' properties. Also returns the pairs of materials whose texture coordinates were
    /// compared.
    fn structure(
        &self,
        clips: &[ClipMatch],
    ) -> (Vec<Change>, HashMap<[usize; 2], bool>, References) {
        let models = self.models();
        let both = [models.a, models.b];
        let references = References::new(both, &self.pairs);
        let values = Values::new(models, &references);
        let is_drawn = [&self.a, &self.b].map(|side| {
            let mut drawn = vec![false; side.model.meshes.len()];
            let nodes = side.drawing_nodes().into_iter();
            nodes
                .filter_map(|node| side.model.nodes[node].mesh)
                .for_each(|mesh| drawn[mesh] = true);
            drawn
        });
        let mut structure = values.structure(is_drawn.each_ref().map(Vec::as_slice));
        let moving =
            |clip: &ClipMatch| Some(self.clip_pair(clip)).filter(|both| !self.moves_alike(*both));
        let moving: Vec<Option<ClipPair>> = clips.iter().map(moving).collect();
        structure.extend(bare_node_changes(&self.rigs(), &moving));
        structure.extend(self.clip_changes(clips));
        structure.extend(values.material_names());
        structure.extend(self.triangles.iter().cloned());
        let sides = [&self.a, &self.b];
        let spaces = Spaces::new(sides, &self.pairs.nodes);
        let attributes = attribute_changes(models, &spaces, &self.vertices);
        structure.extend(attributes.changes);
        structure.extend(target_changes(models, &spaces, &self.vertices, self.size));
        let points = match &self.measured {
            Some(Measured::Points(points)) => &points.pairs[..],
            _ => &[],
        };
        let in_one_space = skins_in_one_space(sides, points);
        for (i, j) in self.pairs.skins.iter() {
            let in_one_space = in_one_space.get(&[i, j]).copied().unwrap_or(true);
            structure.extend(bind_changes(sides, &self.pairs.nodes, [i, j], in_one_space));
        }
        let clip_pairs = self.clip_list(clips);
        let places = Places {
            models,
            references: &references,
            clips: tokens(&clip_pairs, clip_names(both)),
            are_in_order: clip_pairs.iter().all(|(a, b)| a == b),
        };
        structure.extend(extras_changes(&places));
        (structure, attributes.tex_coords, references)
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
        clip_changes(clip_names([self.a.model, self.b.model]), &self.clip_list(clips), |i, j| {
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
                Some((points.points(at.pair)[0] as usize, of_a))
            }
            _ => None,
        };
        // If no transform differs, none moves the vertex.
        let most = rigs.cause(&posed.a, &posed.b, None);
        let cause = most.and_then(|_| rigs.cause(&posed.a, &posed.b, vertex));
        (farthest, cause, distance)
    }

    /// Returns the node of A that draws a measured vertex, or that is measured itself.
    fn measured_node(&self, pair: usize) -> Option<usize> {
        match self.measured.as_ref()? {
            Measured::Points(points) => {
                Some(self.a.motion.place(points.points(pair)[0] as usize).node)
            }
            Measured::Nodes(pairs) => Some(pairs[pair][0]),
        }
    }
}

/// Pairs the nodes that draw: nodes of a pair, then nodes that alone draw the same mesh.
fn drawing_pairs([a, b]: [&Side; 2], pairs: &ModelPairs) -> Vec<[usize; 2]> {
    let (in_a, in_b) = (a.drawing_nodes(), b.drawing_nodes());
    let places = |nodes: &[usize]| -> HashMap<usize, usize> {
        nodes.iter().enumerate().map(|(place, node)| (*node, place)).collect()
    };
    let [of_a, of_b] = [places(&in_a), places(&in_b)];
    let mut drawing = Pairs::new(in_a.len(), in_b.len());
    for (i, j) in pairs.nodes.iter().filter_map(|(i, j)| of_a.get(&i).zip(of_b.get(&j))) {
        drawing.pair(*i, *j);
    }
    let mesh = |side: usize, node: usize| {
        let mesh = [a, b][side].model.nodes[node].mesh;
        mesh.map(|mesh| pairs.meshes.class(side, mesh))
    };
    drawing.pair_unique(|i| mesh(0, in_a[i]), |j| mesh(1, in_b[j]));
    drawing.iter().map(|(i, j)| [in_a[i], in_b[j]]).collect()
}

/// Lists the meshes of A that are too far from those of B to be measured, though nodes of a pair draw both.
fn unpaired(
    [a, _]: [&Side; 2],
    partners: &[[usize; 2]],
    apart: &[HashSet<usize>; 2],
) -> Vec<Change> {
    let meshes = partners.iter().filter(|[i, j]| apart[0].contains(i) || apart[1].contains(j));
    let meshes: BTreeSet<usize> = meshes.filter_map(|[i, _]| a.model.nodes[*i].mesh).collect();
    let what = "too few vertices have a counterpart to be measured";
    let change = |mesh: usize| {
        let name = entry_name(&a.model.meshes[mesh].name, mesh);
        Change::changed(Kind::Mesh, name, what.into())
    };
    meshes.into_iter().map(change).collect()
}

/// Describes the difference of two clips' durations. A frame more or less is what resampling costs.
fn duration_change(clips: [&Clip; 2]) -> Option<String> {
    const FRAME_SECS: f32 = 1.0 / 30.0;
    let [before, after] = clips.map(Clip::duration_secs);
    let differ = (before - after).abs() > 1.001 * FRAME_SECS;
    differ.then(|| format!("lasts {after:.3} s instead of {before:.3} s"))
}
