//! Takes remedies one after the other: each is applied once to all that it can mend, read again, measured at the skin, and kept
//! or refused. Every finding that it was asked to mend is listed as mended or as left.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::answer::{FixError, Fixed, Mended, UNCHANGED, Unmended};
use super::change::{BOUND, Change, Changes, Context, FixOptions, change_at, clip_at, clip_of};
use super::clips::NEAR_POP;
use super::document::Document;
use super::remedy::Remedy;
use super::{bones, clips, loops, meshes, names, reduction, rotations, still, tangents, weights};
use rigview_check::{Asset, Finding, findings};
use rigview_compare::Distances;
use rigview_import::{ImageDecoding, ImportOptions, load_bytes};
use rigview_model::{Model, three_digits};

/// A document with the remedies that were taken so far.
pub struct Mending<'a> {
    options: &'a FixOptions,
    document: Document,
    /// The document as it is read, and what the check finds in it.
    now: Cow<'a, Model>,
    findings: Vec<Finding>,
    /// What the result is compared with in the end.
    compared_with: Cow<'a, Model>,
    /// The sum of the distances by which bounded remedies have moved the skin, in metres.
    spent: f64,
    fixed: Vec<Mended>,
    left: Vec<Unmended>,
}

/// The reasons why a remedy is not kept: by clip, or one for all of a remedy that is not judged by clip.
type Refused = BTreeMap<Option<usize>, String>;

impl<'a> Mending<'a> {
    /// Begins with a model's file and its findings.
    ///
    /// # Errors
    /// If the import did not keep it.
    pub fn new(
        model: &'a Model,
        findings: &[Finding],
        options: &'a FixOptions,
    ) -> Result<Self, FixError> {
        Ok(Self {
            options,
            document: Document::of(model)?,
            now: Cow::Borrowed(model),
            findings: findings.to_vec(),
            compared_with: Cow::Borrowed(model),
            spent: 0.0,
            fixed: Vec::new(),
            left: Vec::new(),
        })
    }

    /// Takes a remedy at all places of its findings. Returns whether anything was mended.
    ///
    /// # Errors
    /// If the result exceeds the limits of a GLB or of the import.
    pub fn take(&mut self, remedy: Remedy) -> Result<bool, FixError> {
        let mut found: Vec<Finding> =
            self.findings.iter().filter(|it| it.code == remedy.code()).cloned().collect();
        // With a wider bound, keys may be removed that none of the others implies, in all clips.
        if remedy == Remedy::KeysSpare && self.options.bound > BOUND {
            let has_finding: BTreeSet<usize> = found.iter().filter_map(clip_of).collect();
            let others = (0..self.now.clips.len()).filter(|clip| !has_finding.contains(clip));
            let place = |clip: usize| format!("/animations/{clip}");
            found.extend(others.map(|clip| Finding::on_request(remedy.code(), place(clip))));
        }
        if found.is_empty() && !remedy.finds_by_itself() {
            return Ok(false);
        }
        // A clip is a unit of its own: one that goes too far does not hinder the others.
        let by_clip = !found.is_empty() && found.iter().all(is_about_clip);
        let part = |pointer: &str| clip_at(pointer).filter(|_| by_clip);
        let mark = self.document.mark();
        let Changes { mut made, left } = self.apply(remedy, &found);
        for (change, reason) in left {
            self.leave(remedy, change, &reason);
        }
        if made.is_empty() {
            self.leave_found(remedy, &found, &found);
            return Ok(false);
        }
        let mut after = self.read()?;
        let mut distances = Distances::default();
        if !keeps_motion(remedy) {
            distances = self::distances(&self.now, &after.0)?;
        }
        let mut refused = self.too_far(remedy, &distances, by_clip);
        refused.extend(not_mended(remedy, &found, &made, &after.1));
        if !refused.is_empty() {
            self.document.reset(mark);
            let (gone, kept): (Vec<Change>, Vec<Change>) =
                made.into_iter().partition(|it| refused.contains_key(&part(&it.pointer)));
            made = kept;
            for change in gone {
                let reason = refused[&part(&change.pointer)].clone();
                self.leave(remedy, change, &reason);
            }
            if made.is_empty() {
                return Ok(false);
            }
            // What a remedy does to one clip does not depend on the others.
            found.retain(|it| !refused.contains_key(&clip_of(it)));
            self.apply(remedy, &found);
            after = self.read()?;
        }
        let of_clip = |clip: usize| distances.clips.get(&clip).copied().unwrap_or_default();
        let distance = |change: &Change| part(&change.pointer).map_or(distances.largest(), of_clip);
        if remedy.is_bounded() {
            self.spent += made.iter().map(distance).fold(0.0, f64::max);
        }
        self.fixed.extend(made.into_iter().map(|change| {
            let error_mm = 1e3 * distance(&change);
            let Change { pointer, object, clip, count } = change;
            Mended { code: remedy.code(), pointer, object, clip, count, error_mm }
        }));
        let (model, findings) = after;
        (self.now, self.findings) = (Cow::Owned(model), findings);
        if remedy == Remedy::TrianglesFlat {
            // A vertex that only flat triangles use is no longer drawn, and has no place to be compared with.
            self.compared_with = self.now.clone();
        }
        let now = self.findings.clone();
        self.leave_found(remedy, &found, &now);
        Ok(true)
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

    /// Returns where a bounded remedy, which by itself moves the skin by `distances`, moves it too far.
    fn too_far(&self, remedy: Remedy, distances: &Distances, by_clip: bool) -> Refused {
        let parts: Vec<(Option<usize>, f64)> = match by_clip {
            _ if !remedy.is_bounded() => Vec::new(),
            true => distances.clips.iter().map(|(clip, own)| (Some(*clip), *own)).collect(),
            false => vec![(None, distances.largest())],
        };
        let refused = parts.into_iter().filter_map(|(part, own)| {
            let moved = self.spent + own;
            let reason = format!(
                "it would move the skin by {} mm{}, beyond the bound of {} mm{}",
                three_digits(1e3 * moved, 6),
                if moved > own { " with the repairs before it" } else { "" },
                three_digits(1e3 * self.options.bound, 6),
                wider_bound(moved)
            );
            (own > 0.0 && moved > self.options.bound).then_some((part, reason))
        });
        refused.collect()
    }

    /// Reads the document, and checks it.
    fn read(&self) -> Result<(Model, Vec<Finding>), FixError> {
        let images = ImageDecoding::Headers;
        let options = ImportOptions { images, all_warnings: true, ..ImportOptions::default() };
        let loaded = load_bytes(self.document.glb()?, &options).map_err(FixError::Unreadable)?;
        let findings = findings(Asset::of("", &loaded, 0), &self.options.contract);
        Ok((loaded.model, findings))
    }

    fn apply(&mut self, remedy: Remedy, found: &[Finding]) -> Changes {
        let findings: Vec<&Finding> = found.iter().collect();
        let open_bound = self.options.bound - self.spent;
        let context =
            Context { model: &self.now, findings: &findings, options: self.options, open_bound };
        apply(remedy, &mut self.document, &context)
    }

    /// Lists as left those of some findings that are still there and are not listed yet.
    fn leave_found(&mut self, remedy: Remedy, found: &[Finding], now: &[Finding]) {
        for finding in found.iter().filter(|it| !it.message.is_empty()) {
            let is_same = |it: &Finding| {
                (&it.code, &it.pointer, &it.object, &it.clip, it.target)
                    == (
                        &finding.code,
                        &finding.pointer,
                        &finding.object,
                        &finding.clip,
                        finding.target,
                    )
            };
            let is_listed = self.left.iter().any(|left| is_about(left, finding));
            if !is_listed && now.iter().any(is_same) {
                let reason = unread(&self.document, finding).unwrap_or(UNCHANGED);
                self.leave(remedy, change_at(finding), reason);
            }
        }
    }

    fn leave(&mut self, remedy: Remedy, change: Change, reason: &str) {
        let Change { pointer, object, clip, .. } = change;
        let pointer = (!pointer.is_empty()).then_some(pointer);
        let (code, reason) = (remedy.code(), reason.to_owned());
        self.left.push(Unmended { code, pointer, object, clip, reason });
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

/// Returns the clips in which a loop still gapes, or a pop is still there, so that the key that was removed did not make it.
fn not_mended(remedy: Remedy, found: &[Finding], made: &[Change], after: &[Finding]) -> Refused {
    let mended: HashSet<Option<usize>> = made.iter().map(|it| clip_at(&it.pointer)).collect();
    let after = after.iter().filter(|it| it.code == remedy.code() && mended.contains(&clip_of(it)));
    let reason = |open: &Finding| match remedy {
        Remedy::LoopGap => {
            let gap = three_digits(1e3 * open.value.unwrap_or_default(), 6);
            Some(format!("its ends would still differ by {gap} mm"))
        }
        Remedy::Pop => {
            let time = open.time.unwrap_or_default();
            let is_same = |it: &&Finding| {
                (&it.pointer, it.target) == (&open.pointer, open.target)
                    && (it.time.unwrap_or_default() - time).abs() <= NEAR_POP
            };
            found.iter().find(is_same)?;
            Some("no single key near it makes the jump".to_owned())
        }
        _ => None,
    };
    after.filter_map(|open| Some((clip_of(open), reason(open)?))).collect()
}

/// Whether a finding is about a clip as a whole.
fn is_about_clip(finding: &Finding) -> bool {
    let clip = finding.pointer.as_deref().and_then(|at| at.strip_prefix("/animations/"));
    clip.is_some_and(|clip| clip.parse::<usize>().is_ok())
}

/// Returns why the keys that a finding is about can't be read, if they can't.
fn unread(document: &Document, finding: &Finding) -> Option<&'static str> {
    let channels = document.channels(clip_of(finding)?);
    let mut meant =
        channels.iter().filter(|it| finding.target.is_none_or(|target| it.drives(target)));
    meant.find_map(|place| document.keys(place).err())
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

/// Returns the largest distances between two models at the skin, at rest and in each clip.
fn distances(a: &Model, b: &Model) -> Result<Distances, FixError> {
    let distances = rigview_compare::distances(a, b).map_err(FixError::Unmeasured)?;
    Ok(distances.unwrap_or_default())
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
