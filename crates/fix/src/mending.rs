//! Takes remedies one after the other: each is measured at the skin, undone if it goes too far, and every finding that it
//! was asked to mend is listed as mended or as left.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::answer::{FixError, Fixed, Mended, UNCHANGED, Unmended};
use super::change::{Change, Changes, Context, FixOptions, change_at, clip_at, clip_of};
use super::channel_place::ChannelPlace;
use super::clips::NEAR_POP;
use super::document::Document;
use super::moved::{Moved, distances};
use super::remedy::Remedy;
use super::weights_form::WeightsForm;
use super::{bones, clips, loops, meshes, names, reduction, rotations, still, tangents, weights};
use rigview_check::{Asset, Code, Finding, findings, findings_of_clips};
use rigview_compare::Distances;
use rigview_import::{ImageDecoding, ImportOptions, Loaded, load_bytes};
use rigview_model::{Model, three_digits};

/// How often pops are looked for that the worst one of a joint hid.
const MOST_ROUNDS: usize = 16;

/// A document with the remedies that were taken so far.
pub struct Mending<'a> {
    options: &'a FixOptions,
    document: Document,
    /// The document as it is read.
    now: Cow<'a, Model>,
    /// What the result is compared with in the end.
    compared_with: Cow<'a, Model>,
    /// How far bounded remedies have moved the skin together.
    moved: Moved<'a>,
    /// How mended weights are stored.
    weights_form: WeightsForm,
    fixed: Vec<Mended>,
    left: Vec<Unmended>,
}

/// How far a remedy moves the skin, and where that is too far.
#[derive(Default)]
struct Judgement {
    distances: Distances,
    /// Whether the bound applies.
    is_measured: bool,
    /// The distance with the remedies before it, in metres.
    total: f64,
    /// The reasons why it is not taken, by clip; of a remedy that is not judged by clip, for all.
    refused: BTreeMap<Option<usize>, String>,
}

impl<'a> Mending<'a> {
    /// Begins with a model's file.
    ///
    /// # Errors
    /// If the import did not keep it.
    pub fn of(model: &'a Model, options: &'a FixOptions) -> Result<Self, FixError> {
        Ok(Self {
            options,
            document: Document::of(model)?,
            now: Cow::Borrowed(model),
            compared_with: Cow::Borrowed(model),
            moved: Moved::default(),
            weights_form: WeightsForm::default(),
            fixed: Vec::new(),
            left: Vec::new(),
        })
    }

    /// Takes a remedy at the places of its findings.
    ///
    /// # Errors
    /// If the result exceeds the limits of a GLB or of the import.
    pub fn take(&mut self, remedy: Remedy, found: Vec<Finding>) -> Result<(), FixError> {
        // A remedy of clips is judged clip by clip, so that one that goes too far does not hinder the others.
        let by_clip = !found.is_empty() && found.iter().all(is_about_clip);
        if remedy == Remedy::Pop && by_clip {
            return self.take_pops(found);
        }
        if remedy.is_bounded() && !by_clip {
            return self.take_at_places(remedy, found);
        }
        let mut open = found;
        loop {
            let refused = self.try_at(remedy, &open, by_clip && remedy.is_bounded())?;
            // What is left does not depend on the clips that were refused.
            let before = open.len();
            open.retain(|finding| !refused.contains(&clip_of(finding)));
            if refused.is_empty() || open.is_empty() || open.len() == before {
                return Ok(());
            }
        }
    }

    /// Takes a remedy of clips at all of them. A clip without a finding is not listed as left if nothing in it can be changed.
    ///
    /// # Errors
    /// If the result exceeds the limits of a GLB or of the import.
    pub fn take_all_clips(&mut self, remedy: Remedy, found: Vec<Finding>) -> Result<(), FixError> {
        let has_finding: BTreeSet<usize> = found.iter().filter_map(clip_of).collect();
        let others = (0..self.now.clips.len()).filter(|clip| !has_finding.contains(clip));
        let others: Vec<String> = others.map(|clip| format!("/animations/{clip}")).collect();
        let on_request = others.iter().map(|clip| Finding::on_request(remedy.code(), clip.clone()));
        self.take(remedy, found.into_iter().chain(on_request).collect())?;
        self.left.retain(|left| {
            let is_other = left.pointer.as_ref().is_some_and(|clip| others.contains(clip));
            left.code != remedy.code() || left.reason != UNCHANGED || !is_other
        });
        Ok(())
    }

    /// Takes a remedy at all places where it does not go too far. Weights that the file stores so coarsely that it does are
    /// stored more exactly, if that helps.
    fn take_at_places(&mut self, remedy: Remedy, found: Vec<Finding>) -> Result<(), FixError> {
        let mut open = self.take_apart(remedy, &found)?;
        if !weights::are_mended_by(remedy) {
            return Ok(());
        }
        for form in [WeightsForm::Short, WeightsForm::Float] {
            let is_coarser = |it: &Finding| weights::are_coarser(&self.document, it, form);
            let (coarser, others): (Vec<Finding>, _) = open.into_iter().partition(is_coarser);
            open = others;
            if coarser.is_empty() {
                continue;
            }
            // Those that still fail are listed again.
            self.left.retain(|left| {
                left.code != remedy.code() || coarser.iter().all(|it| it.pointer != left.pointer)
            });
            self.weights_form = form;
            let tried = self.take_apart(remedy, &coarser);
            self.weights_form = WeightsForm::Stored;
            open.extend(tried?);
        }
        Ok(())
    }

    /// Takes a remedy at all places, or if it goes too far at each half of them, so that only those are left where it does:
    /// these are returned.
    fn take_apart(&mut self, remedy: Remedy, found: &[Finding]) -> Result<Vec<Finding>, FixError> {
        let (fixed, left) = (self.fixed.len(), self.left.len());
        self.try_at(remedy, found, false)?;
        if self.fixed.len() > fixed {
            return Ok(Vec::new());
        }
        if found.len() < 2 {
            return Ok(found.to_vec());
        }
        self.left.truncate(left);
        let (first, second) = found.split_at(found.len() / 2);
        let mut open = self.take_apart(remedy, first)?;
        open.extend(self.take_apart(remedy, second)?);
        Ok(open)
    }

    /// Returns the number of repairs so far.
    pub fn repairs(&self) -> usize {
        self.fixed.len()
    }

    /// Returns the findings of the document as it is now.
    ///
    /// # Errors
    /// If the document exceeds the limits of a GLB or of the import.
    pub fn findings(&self) -> Result<Vec<Finding>, FixError> {
        let loaded = load(&self.document, true)?;
        Ok(findings(Asset::of("", &loaded, 0), &self.options.contract))
    }

    /// Returns those of some findings that were not left.
    pub fn open<'f>(&self, found: &'f [Finding]) -> impl Iterator<Item = &'f Finding> {
        found.iter().filter(|finding| !self.left.iter().any(|left| is_about(left, finding)))
    }

    /// Drops from what was left the findings that are among those before some repairs and not among those after them.
    pub fn drop_mended(&mut self, before: &[Finding], after: &[Finding]) {
        let is_among = |left: &Unmended, all: &[Finding]| all.iter().any(|it| is_about(left, it));
        self.left.retain(|left| {
            !has_index(left.pointer.as_deref()) || !is_among(left, before) || is_among(left, after)
        });
    }

    /// Returns what was done.
    ///
    /// # Errors
    /// If the skin can't be measured.
    pub fn answer(self) -> Result<Fixed, FixError> {
        let Self { document, now, compared_with, fixed, mut left, .. } = self;
        let mut seen = HashSet::new();
        left.retain(|it| {
            seen.insert((it.code, it.pointer.clone(), it.object.clone(), it.clip.clone()))
        });
        let changed = !fixed.is_empty();
        let distance_mm =
            if changed { 1e3 * distances(&compared_with, &now)?.largest() } else { 0.0 };
        Ok(Fixed { document: changed.then_some(document), fixed, left, distance_mm })
    }

    /// Takes a remedy at all places at once, unless it goes too far somewhere. Returns the clips where it does, whose places
    /// are left; none for a remedy that is not judged by clip, which is taken as a whole or not at all.
    fn try_at(
        &mut self,
        remedy: Remedy,
        found: &[Finding],
        by_clip: bool,
    ) -> Result<BTreeSet<Option<usize>>, FixError> {
        let mark = self.document.mark();
        let places = Places::of(&self.document, found);
        let Changes { made, left } = self.apply(remedy, found);
        let after = if made.is_empty() { None } else { Some(read(&self.document)?) };
        let taken = match &after {
            Some(after) => self.judge(remedy, found, after, by_clip)?,
            None => Judgement::default(),
        };
        let part = |pointer: &str| clip_at(pointer).filter(|_| by_clip);
        // What was refused is undone, and so is all else, which is tried again without it.
        let (refused, is_done) = (&taken.refused, taken.refused.is_empty() || !by_clip);
        let is_over = |pointer: &str| is_done || refused.contains_key(&part(pointer));
        if !lists_all(remedy) {
            let changes = made.iter().chain(left.iter().map(|(change, _)| change));
            let listed: BTreeSet<&str> = changes.map(|change| change.pointer.as_str()).collect();
            let unlisted = found.iter().filter(|finding| {
                is_over(finding.pointer.as_deref().unwrap_or_default())
                    && !places.are_among(&listed, finding)
                    && (made.is_empty() || has_index(finding.pointer.as_deref()))
            });
            for finding in unlisted {
                let reason = places.reason(&self.document, finding);
                self.leave(remedy, vec![change_at(finding)], &reason);
            }
        }
        for (change, reason) in left.into_iter().filter(|(change, _)| is_over(&change.pointer)) {
            self.leave(remedy, vec![change], &reason);
        }
        if let Some(after) = after.filter(|_| refused.is_empty()) {
            let before = std::mem::replace(&mut self.now, Cow::Owned(after));
            self.rename_left(&before);
            let distance = taken.distances.largest();
            match taken.is_measured {
                true => self.moved.by_one(before, distance, taken.total),
                false => self.moved.start_anew(),
            }
            self.keep(remedy, made, |change| {
                let of_clip =
                    part(&change.pointer).and_then(|clip| taken.distances.clips.get(&clip));
                of_clip.copied().unwrap_or(distance)
            });
            return Ok(BTreeSet::new());
        }
        self.document.reset(mark);
        for change in made {
            if let Some(reason) = refused.get(&part(&change.pointer)) {
                self.leave(remedy, vec![change], reason);
            }
        }
        Ok(refused.keys().copied().filter(|_| by_clip).collect())
    }

    /// Measures how far a remedy moves the skin, and where that is too far.
    fn judge(
        &self,
        remedy: Remedy,
        found: &[Finding],
        after: &Model,
        by_clip: bool,
    ) -> Result<Judgement, FixError> {
        if keeps_motion(remedy) {
            return Ok(Judgement::default());
        }
        let distances = distances(&self.now, after)?;
        let is_measured = remedy.is_bounded();
        let mut judgement = Judgement { is_measured, ..Judgement::default() };
        if is_measured {
            let moved = self.moved.with(after, &distances)?;
            judgement.total = moved.largest();
            let parts: Vec<(Option<usize>, f64, f64)> = match by_clip {
                true => {
                    let own = |clip: &usize| distances.clips.get(clip).copied().unwrap_or(0.0);
                    let clips = moved.clips.iter();
                    clips.map(|(clip, moved)| (Some(*clip), *moved, own(clip))).collect()
                }
                false => vec![(None, moved.largest(), distances.largest())],
            };
            let too_far = parts.into_iter().filter(|(_, moved, own)| {
                // A clip that the remedy left alone is as far as it was.
                *moved > self.options.bound && (!by_clip || *own > 0.0)
            });
            judgement.refused.extend(too_far.map(|(clip, moved, own)| {
                let reason = format!(
                    "it would move the skin by {} mm{}, beyond the bound of {} mm{}",
                    three_digits(1e3 * moved, 6),
                    if moved > own { " with the repairs before it" } else { "" },
                    three_digits(1e3 * self.options.bound, 6),
                    wider_bound(moved)
                );
                (clip, reason)
            }));
        }
        if remedy == Remedy::LoopGap {
            let clips = found.iter().filter_map(clip_of).collect();
            let mut open = findings_of_clips(after, &clips, &self.options.contract);
            open.retain(|finding| finding.code == remedy.code());
            for (clip, gap) in open.iter().filter_map(|it| Some((clip_of(it)?, it.value?))) {
                let reason =
                    format!("its ends would still differ by {} mm", three_digits(1e3 * gap, 6));
                judgement.refused.entry(Some(clip)).or_insert(reason);
            }
        }
        judgement.distances = distances;
        Ok(judgement)
    }

    /// Removes pops of clips until no further one can be mended. One that is still found afterwards was not the key
    /// that was removed, which stays then.
    fn take_pops(&mut self, found: Vec<Finding>) -> Result<(), FixError> {
        let remedy = Remedy::Pop;
        let mut open = found;
        let mut given_up: Vec<Finding> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let mark = self.document.mark();
            let Changes { made, left } = self.apply(remedy, &open);
            if made.is_empty() {
                left.into_iter().for_each(|(change, why)| self.leave(remedy, vec![change], &why));
                break;
            }
            let places = Places::of(&self.document, &open);
            let listed: BTreeSet<&str> =
                made.iter().map(|change| change.pointer.as_str()).collect();
            let (mended, unmended): (Vec<Finding>, Vec<Finding>) =
                open.into_iter().partition(|finding| places.are_among(&listed, finding));
            let after = read(&self.document)?;
            let clips: BTreeSet<usize> = mended.iter().filter_map(clip_of).collect();
            let mut now = findings_of_clips(&after, &clips, &self.options.contract);
            now.retain(|finding| finding.code == Code::Pop.as_str());
            let (stay, gone): (Vec<Finding>, Vec<Finding>) =
                mended.into_iter().partition(|finding| is_among(finding, &now));
            if !stay.is_empty() {
                self.document.reset(mark);
                let places = stay.iter().map(change_at).collect();
                self.leave(remedy, places, "no single key near it makes the jump");
                given_up.extend(stay);
                open = gone.into_iter().chain(unmended).collect();
                continue;
            }
            left.into_iter().for_each(|(change, why)| self.leave(remedy, vec![change], &why));
            let distances = distances(&self.now, &after)?;
            self.now = Cow::Owned(after);
            self.moved.start_anew();
            self.keep(remedy, made, |change| {
                let clip = clip_at(&change.pointer);
                clip.and_then(|clip| distances.clips.get(&clip).copied()).unwrap_or_default()
            });
            given_up.extend(unmended);
            now.retain(|finding| !is_among(finding, &given_up));
            open = now;
            if open.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Gives what was left the names that its clips and nodes have now, by which it is found among later findings.
    fn rename_left(&mut self, before: &Model) {
        let clip_name = |model: &Model, clip: usize| {
            let name = model.clips.get(clip)?.name().filter(|name| !name.is_empty());
            name.map(str::to_owned)
        };
        let now = &*self.now;
        // Of a name that several nodes had, it is not known whose it is.
        let mut renamed: HashMap<&str, Option<&str>> = HashMap::new();
        for (before, now) in before.nodes.iter().zip(&now.nodes) {
            let Some(name) = before.name.as_deref() else { continue };
            let new = now.name.as_deref();
            renamed.entry(name).and_modify(|new| *new = None).or_insert(new);
        }
        for left in &mut self.left {
            let pointer = left.pointer.as_deref().unwrap_or_default();
            if let Some(clip) = clip_at(pointer)
                && before.clips.len() == now.clips.len()
                && left.clip == clip_name(before, clip)
            {
                left.clip = clip_name(now, clip);
            }
            let object = left.object.as_deref().filter(|_| !pointer.starts_with("/meshes/"));
            if let Some(new) = object.and_then(|object| *renamed.get(object)?) {
                left.object = Some(new.to_owned());
            }
        }
    }

    fn apply(&mut self, remedy: Remedy, found: &[Finding]) -> Changes {
        let findings: Vec<&Finding> = found.iter().collect();
        let open_bound = self.options.bound - self.moved.total;
        let context = Context {
            model: &self.now,
            findings: &findings,
            options: self.options,
            open_bound,
            weights_form: self.weights_form,
        };
        apply(remedy, &mut self.document, &context)
    }

    fn keep(&mut self, remedy: Remedy, made: Vec<Change>, distance: impl Fn(&Change) -> f64) {
        if remedy == Remedy::TrianglesFlat {
            // A vertex that only flat triangles use is no longer drawn, and has no place to be compared with.
            self.compared_with = self.now.clone();
        }
        self.fixed.extend(made.into_iter().map(|change| {
            let error_mm = 1e3 * distance(&change);
            let Change { pointer, object, clip, count } = change;
            Mended { code: remedy.code(), pointer, object, clip, count, error_mm }
        }));
    }

    fn leave(&mut self, remedy: Remedy, changes: Vec<Change>, reason: &str) {
        self.left.extend(changes.into_iter().map(|Change { pointer, object, clip, .. }| {
            Unmended {
                code: remedy.code(),
                pointer: (!pointer.is_empty()).then_some(pointer),
                object,
                clip,
                reason: reason.to_owned(),
            }
        }));
    }
}

fn apply(remedy: Remedy, document: &mut Document, context: &Context) -> Changes {
    match remedy {
        Remedy::KeyTimes => clips::mend_times(document, context),
        Remedy::KeysNotUnit => rotations::normalise_keys(document, context),
        Remedy::KeysFlip => rotations::align_keys(document, context, false),
        Remedy::CubicFlip => rotations::align_keys(document, context, true),
        Remedy::RotationNotUnit => rotations::normalise_nodes(document, context),
        Remedy::RotationZero => rotations::replace_zeros(document, context),
        Remedy::WeightsOdd | Remedy::WeightsZero | Remedy::WeightsSum => {
            weights::mend(document, context, remedy)
        }
        Remedy::MatrixProjective => bones::mend_last_rows(document, context),
        Remedy::ClipLate => clips::begin_at_zero(document, context),
        Remedy::KeysOffGrid => clips::snap_to_grid(document, context),
        Remedy::Pop => clips::remove_pops(document, context),
        Remedy::LoopGap => loops::close_loops(document, context),
        Remedy::RootMoves => loops::stay_in_place(document, context),
        Remedy::ChannelsUneven => clips::hold_to_the_end(document, context),
        Remedy::KeysSpare => reduction::reduce(document, context),
        Remedy::ChannelTwice => still::drop_overridden(document, context),
        Remedy::KeysStill => still::drop_still(document, context),
        Remedy::ScaleNoise => still::drop_scale_noise(document, context),
        Remedy::TrianglesFlat => meshes::drop_flat_triangles(document, context),
        Remedy::TangentMissing => tangents::add_missing(document, context),
        Remedy::JointUnused => bones::drop_unused(document, context),
        Remedy::Names => names::rename(document, context),
        Remedy::NameMissing => names::name_the_unnamed(document, context),
        Remedy::NameTwice => names::number_the_shared(document, context),
        Remedy::ClipTwin => clips::drop_twins(document, context),
        Remedy::Bounds | Remedy::BoundsMissing | Remedy::BoundsOdd => {
            meshes::mend_bounds(document, context)
        }
    }
}

/// Whether a remedy keeps the motion by what it does, although clips can't be compared instant by instant or by name, or
/// vertices by what is drawn.
fn keeps_motion(remedy: Remedy) -> bool {
    matches!(
        remedy,
        Remedy::ClipLate
            | Remedy::ClipTwin
            | Remedy::TrianglesFlat
            | Remedy::Names
            | Remedy::NameMissing
            | Remedy::NameTwice
    )
}

/// Whether a remedy lists what it leaves at other places than those of the findings: one finding about a name stands for
/// several joints, and one about a channel for those before it.
fn lists_all(remedy: Remedy) -> bool {
    matches!(
        remedy,
        Remedy::KeyTimes | Remedy::ChannelTwice | Remedy::NameMissing | Remedy::NameTwice
    )
}

/// Whether a finding is about a clip as a whole.
fn is_about_clip(finding: &Finding) -> bool {
    let clip = finding.pointer.as_deref().and_then(|at| at.strip_prefix("/animations/"));
    clip.is_some_and(|clip| clip.parse::<usize>().is_ok())
}

/// The channels of the clips that findings are about.
struct Places(HashMap<usize, Vec<ChannelPlace>>);

impl Places {
    fn of(document: &Document, found: &[Finding]) -> Self {
        let clips: BTreeSet<usize> = found.iter().filter_map(clip_of).collect();
        Self(clips.into_iter().map(|clip| (clip, document.channels(clip))).collect())
    }

    /// Returns the channels that a finding is about: those that drive its target, or all of its clip.
    fn channels(&self, finding: &Finding) -> impl Iterator<Item = &ChannelPlace> {
        let all = clip_of(finding).and_then(|clip| self.0.get(&clip)).into_iter().flatten();
        all.filter(move |place| finding.target.is_none_or(|target| place.drives(target)))
    }

    /// Whether one of these JSON pointers is that of a finding, within it, or around it.
    fn are_among(&self, listed: &BTreeSet<&str>, finding: &Finding) -> bool {
        if finding.target.is_some() {
            return self.channels(finding).any(|place| listed.contains(place.pointer().as_str()));
        }
        let Some(place) = finding.pointer.as_deref() else { return false };
        let around = place.char_indices().filter(|(_, c)| *c == '/').map(|(end, _)| &place[..end]);
        let within = format!("{place}/");
        listed.contains(place)
            || around.into_iter().any(|around| !around.is_empty() && listed.contains(around))
            || listed.range(within.as_str()..).next().is_some_and(|it| it.starts_with(&within))
    }

    /// Returns why a remedy found nothing to change at a finding.
    fn reason(&self, document: &Document, finding: &Finding) -> String {
        match self.channels(finding).find_map(|place| document.keys(place).err()) {
            Some(reason) => reason.to_owned(),
            None if finding.target.is_some() && self.channels(finding).next().is_none() => {
                "the file has no channel of it".to_owned()
            }
            None => UNCHANGED.to_owned(),
        }
    }
}

/// Whether a finding's place has an index. Places in a glTF 1.0 file have names, which the document no longer has.
fn has_index(pointer: Option<&str>) -> bool {
    let mut steps = pointer.unwrap_or_default().split('/').skip(2);
    steps.next().is_none_or(|step| step.parse::<usize>().is_ok())
}

/// Whether a pop is one of others: of the same keys, at about the same time.
fn is_among(pop: &Finding, others: &[Finding]) -> bool {
    let time = |finding: &Finding| finding.time.unwrap_or(0.0);
    others
        .iter()
        .filter(|other| other.pointer == pop.pointer && other.target == pop.target)
        .any(|other| (time(other) - time(pop)).abs() <= NEAR_POP)
}

/// Whether something that was left is what a finding is about.
fn is_about(left: &Unmended, finding: &Finding) -> bool {
    let within = |a: &str, b: &str| {
        a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let at = finding.pointer.as_deref().unwrap_or_default();
    let same = (finding.code.as_ref(), &finding.object, &finding.clip);
    (left.code, &left.object, &left.clip) == same
        && left.pointer.as_deref().is_none_or(|left| within(left, at) || within(at, left))
}

fn read(document: &Document) -> Result<Model, FixError> {
    load(document, false).map(|loaded| loaded.model)
}

fn load(document: &Document, all_warnings: bool) -> Result<Loaded, FixError> {
    let images = ImageDecoding::Headers;
    let options = ImportOptions { images, all_warnings, ..ImportOptions::default() };
    load_bytes(document.glb()?, &options).map_err(FixError::Unreadable)
}

/// Names a bound of two digits that allows a repair, which moves the skin by this many metres.
fn wider_bound(metres: f64) -> String {
    let mm = 1e3 * metres;
    if !mm.is_finite() || mm <= 0.0 {
        return String::new();
    }
    let digits = 1 - mm.log10().floor() as i32;
    let unit = 10f64.powi(-digits);
    let (bound, digits) = ((mm / unit).ceil() * unit, digits.max(0) as usize);
    format!("; `rigview fix --bound {bound:.digits$}` allows it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_bound_is_the_distance_rounded_up_to_two_digits() {
        for (mm, says) in [(8.92, "9.0"), (0.1234, "0.13"), (123.4, "130"), (9.96, "10.0")] {
            assert_eq!(wider_bound(mm / 1e3), format!("; `rigview fix --bound {says}` allows it"));
        }
        assert_eq!(wider_bound(f64::INFINITY), "");
    }
}
