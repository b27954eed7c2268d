//! Undo and redo: the former states of what a person changed, so that the same bits come back.

use std::collections::{BTreeSet, VecDeque};

use crate::hidden::Hidden;
use crate::playback::{Expressions, expression_names};
use crate::posing::{HandPose, is_fixed};
use rigview_fix::Remedy;
use rigview_model::Model;
use rigview_report::HandMade;

/// Maximum number of steps, and of changed nodes in all of them together. The oldest steps are dropped.
const MOST_STEPS: usize = 1000;
const MOST_CHANGES: usize = 1_000_000;

/// A node's values by hand before and after a change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub node: usize,
    pub before: Option<HandMade>,
    pub after: Option<HandMade>,
}

/// What one undo takes back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    Pose(Vec<Change>),
    Hidden {
        before: Hidden,
        after: Hidden,
    },
    Mend {
        before: BTreeSet<Remedy>,
        after: BTreeSet<Remedy>,
    },
    Express {
        before: Expressions,
        after: Expressions,
    },
    /// Steps that are one for a person.
    All(Vec<Edit>),
}

/// What steps change.
pub(crate) struct Undoable<'a> {
    pub hand: &'a mut HandPose,
    pub hidden: &'a mut Hidden,
    pub remedies: &'a mut BTreeSet<Remedy>,
    pub expressions: &'a mut Expressions,
}

impl Edit {
    /// The number of changed nodes.
    fn len(&self) -> usize {
        match self {
            Edit::Pose(changes) => changes.len(),
            Edit::Hidden { before, after } => 1 + before.nodes().len() + after.nodes().len(),
            Edit::Mend { before, after } => usize::from(before != after),
            Edit::Express { before, after } => usize::from(before != after),
            Edit::All(steps) => steps.iter().map(Edit::len).sum(),
        }
    }

    fn redo(&self, of: &mut Undoable<'_>) {
        match self {
            Edit::Pose(changes) => changes.iter().for_each(|change| {
                of.hand.replace(change.node, change.after.clone());
            }),
            Edit::Hidden { after, .. } => *of.hidden = after.clone(),
            Edit::Mend { after, .. } => of.remedies.clone_from(after),
            Edit::Express { after, .. } => of.expressions.clone_from(after),
            Edit::All(steps) => steps.iter().for_each(|step| step.redo(of)),
        }
    }

    fn undo(&self, of: &mut Undoable<'_>) {
        match self {
            Edit::Pose(changes) => changes.iter().rev().for_each(|change| {
                of.hand.replace(change.node, change.before.clone());
            }),
            Edit::Hidden { before, .. } => *of.hidden = before.clone(),
            Edit::Mend { before, .. } => of.remedies.clone_from(before),
            Edit::Express { before, .. } => of.expressions.clone_from(before),
            Edit::All(steps) => steps.iter().rev().for_each(|step| step.undo(of)),
        }
    }
}

/// Whether changes are joined to one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gesture {
    /// Each change is a step.
    #[default]
    None,
    /// The next change is a step.
    Begun,
    /// Changes of the pose, or of expressions, join the last step.
    Going,
}

/// The steps that can be undone, and those that were undone and can be done again.
#[derive(Clone, Debug, Default)]
pub struct History {
    done: VecDeque<Edit>,
    undone: Vec<Edit>,
    gesture: Gesture,
    /// The sum of the steps' lengths in `done`.
    changes: usize,
}

impl History {
    /// The number of steps that can be undone.
    pub fn undo_count(&self) -> usize {
        self.done.len()
    }

    /// The number of steps that can be done again.
    pub fn redo_count(&self) -> usize {
        self.undone.len()
    }

    /// Forgets all steps, unless they can be undone in another version of a model too.
    pub(crate) fn carry_over(&mut self, before: &Model, after: &Model) {
        if !poses_alike(before, after) {
            *self = Self::default();
        }
    }

    /// Joins the changes of the pose from here to [`History::end`] to one step.
    pub(crate) fn begin(&mut self) {
        self.gesture = Gesture::Begun;
    }

    /// Ends what [`History::begin`] began.
    pub(crate) fn end(&mut self) {
        self.gesture = Gesture::None;
    }

    /// Whether changes are joined to one step.
    pub(crate) fn in_gesture(&self) -> bool {
        self.gesture != Gesture::None
    }

    /// Adds a step. Nothing that was undone can be done again then.
    pub(crate) fn add(&mut self, step: Edit) {
        if step.len() == 0 {
            return;
        }
        self.undone.clear();
        let goes_on = self.gesture == Gesture::Going;
        match (step, self.done.back_mut()) {
            (Edit::Pose(changes), Some(Edit::Pose(last))) if goes_on => {
                let before = last.len();
                join(last, changes);
                self.changes += last.len() - before;
            }
            (Edit::Express { after, .. }, Some(Edit::Express { after: last, .. })) if goes_on => {
                *last = after;
            }
            (step, _) => {
                self.changes += step.len();
                self.done.push_back(step);
            }
        }
        if self.gesture == Gesture::Begun {
            self.gesture = Gesture::Going;
        }
        while self.done.len() > MOST_STEPS || self.changes > MOST_CHANGES && self.done.len() > 1 {
            self.changes -= self.done.pop_front().map_or(0, |step| step.len());
        }
    }

    /// Corrects what the last step of mending has led to; one that has changed nothing is dropped.
    pub(crate) fn correct_mending(&mut self, to: &BTreeSet<Remedy>) {
        // Something else may have been done since the copy was asked for.
        let Some(at) = self.done.iter().rposition(|step| matches!(step, Edit::Mend { .. })) else {
            return;
        };
        let Edit::Mend { before, after } = &mut self.done[at] else { return };
        after.clone_from(to);
        if before == after {
            self.done.remove(at);
            self.changes -= 1;
        }
    }

    /// Sets a gesture back to its beginning, because the step that its changes join is no longer the last one: what
    /// follows is another step, which can be cancelled too.
    fn begin_again(&mut self) {
        if self.in_gesture() {
            self.begin();
        }
    }

    /// Takes back the last step.
    pub(crate) fn undo(&mut self, of: &mut Undoable<'_>) {
        self.begin_again();
        if let Some(step) = self.take_back(of) {
            self.undone.push(step);
        }
    }

    /// Does the last step again that was undone.
    pub(crate) fn redo(&mut self, of: &mut Undoable<'_>) {
        self.begin_again();
        let Some(step) = self.undone.pop() else { return };
        step.redo(of);
        self.changes += step.len();
        self.done.push_back(step);
    }

    /// Takes back the changes since [`History::begin`], for good.
    pub(crate) fn cancel(&mut self, of: &mut Undoable<'_>) {
        if self.gesture == Gesture::Going {
            self.take_back(of);
        }
        self.end();
    }

    fn take_back(&mut self, of: &mut Undoable<'_>) -> Option<Edit> {
        let step = self.done.pop_back()?;
        step.undo(of);
        self.changes -= step.len();
        Some(step)
    }
}

/// Joins changes to earlier ones of the same step.
fn join(last: &mut Vec<Change>, changes: Vec<Change>) {
    for change in changes {
        match last.iter_mut().find(|earlier| earlier.node == change.node) {
            Some(earlier) => earlier.after = change.after,
            None => last.push(change),
        }
    }
}

/// Whether two models have the same nodes with the same values to set: names, parents, morph targets and whether a pose can
/// move them; and the same expressions.
fn poses_alike(a: &Model, b: &Model) -> bool {
    let same = |node: usize| {
        a.nodes[node].name == b.nodes[node].name
            && a.hierarchy.parent(node) == b.hierarchy.parent(node)
            && a.rest.weights(node).len() == b.rest.weights(node).len()
            && is_fixed(a, node) == is_fixed(b, node)
    };
    let same_expressions = expression_names(a).eq(expression_names(b));
    same_expressions && a.nodes.len() == b.nodes.len() && (0..a.nodes.len()).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(x: f32) -> Option<HandMade> {
        Some(HandMade { translation: Some([x, 0.0, 0.0]), ..HandMade::default() })
    }

    /// Moves node 0 and adds the step.
    fn set(history: &mut History, hand: &mut HandPose, x: f32) {
        let before = hand.replace(0, moved(x));
        history.add(Edit::Pose(vec![Change { node: 0, before, after: moved(x) }]));
    }

    #[test]
    fn a_gesture_is_one_step_and_can_be_cancelled() {
        let (mut history, mut hand) = (History::default(), HandPose::default());
        let (mut hidden, mut remedies) = (Hidden::default(), BTreeSet::new());
        let mut expressions = Expressions::default();
        macro_rules! of {
            () => {
                &mut Undoable {
                    hand: &mut hand,
                    hidden: &mut hidden,
                    remedies: &mut remedies,
                    expressions: &mut expressions,
                }
            };
        }
        set(&mut history, &mut hand, 1.0);
        history.begin();
        for x in [2.0, 3.0, 4.0] {
            set(&mut history, &mut hand, x);
        }
        history.end();
        assert_eq!(history.undo_count(), 2);
        history.undo(of!());
        assert_eq!(hand.get(0).cloned(), moved(1.0));
        history.redo(of!());
        assert_eq!(hand.get(0).cloned(), moved(4.0));
        history.begin();
        history.cancel(of!());
        assert_eq!(hand.get(0).cloned(), moved(4.0), "nothing was changed since it began");
        history.begin();
        set(&mut history, &mut hand, 5.0);
        set(&mut history, &mut hand, 6.0);
        history.cancel(of!());
        assert_eq!((hand.get(0).cloned(), history.redo_count()), (moved(4.0), 0));
        history.undo(of!());
        history.undo(of!());
        history.undo(of!());
        assert!(hand.is_empty() && history.undo_count() == 0 && history.redo_count() == 2);
        set(&mut history, &mut hand, 7.0);
        assert_eq!(history.redo_count(), 0, "another change forgets what was undone");
        // What follows an undo or a redo in a gesture is one more step.
        history.begin();
        set(&mut history, &mut hand, 8.0);
        history.undo(of!());
        assert_eq!(hand.get(0).cloned(), moved(7.0));
        history.redo(of!());
        for x in [9.0, 10.0, 11.0] {
            set(&mut history, &mut hand, x);
        }
        assert_eq!(history.undo_count(), 3);
        history.cancel(of!());
        assert_eq!((hand.get(0).cloned(), history.undo_count()), (moved(8.0), 2));
        assert!(!history.in_gesture());
    }

    /// A joint may be moved before the answer of a remedy comes.
    #[test]
    fn mending_that_changed_nothing_is_no_step_whatever_followed_it() {
        let (mut history, mut hand) = (History::default(), HandPose::default());
        let (before, after) = (BTreeSet::new(), BTreeSet::from([Remedy::LoopGap]));
        history.add(Edit::Mend { before: before.clone(), after: after.clone() });
        set(&mut history, &mut hand, 1.0);
        history.correct_mending(&after);
        assert_eq!(history.undo_count(), 2, "it has mended something");
        history.correct_mending(&before);
        assert_eq!(history.undo_count(), 1);
        assert!(matches!(history.done.back(), Some(Edit::Pose(_))));
    }

    #[test]
    fn memory_is_bounded_by_steps_and_by_nodes() {
        let (mut history, mut hand) = (History::default(), HandPose::default());
        for x in 0..1500 {
            set(&mut history, &mut hand, x as f32);
        }
        assert_eq!(history.undo_count(), MOST_STEPS);
        let change = |node| Change { node, before: None, after: moved(1.0) };
        for _ in 0..3 {
            history.add(Edit::Pose((0..400_000).map(change).collect()));
        }
        assert_eq!(history.undo_count(), 2);
    }
}
