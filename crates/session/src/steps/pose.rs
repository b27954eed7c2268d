//! Changes of the pose by hand, their undo and redo.

use std::collections::BTreeMap;

use crate::notice::Notice;
use crate::posing;
use crate::posing::history::{Change, Edit, Undoable};
use crate::{Axes, Effect, FileQuestion, History, PoseAction, Session};
use rigview_report::{GivenPose, HandMade, counted};

impl Session {
    /// Takes a step of posing.
    pub(super) fn change_pose(&mut self, action: PoseAction) -> Vec<Effect> {
        let history = &mut self.chosen.history;
        match action {
            PoseAction::Set(node, value) => {
                self.change_node(node, |values| posing::with(values, value));
            }
            PoseAction::Reset(node, field) => {
                self.change_node(node, |values| posing::without(values, field));
            }
            PoseAction::ResetAll => {
                let nodes: Vec<usize> = self.playback.hand.nodes().map(|(node, _)| node).collect();
                self.replace_nodes(nodes.into_iter().map(|node| (node, None)).collect());
            }
            PoseAction::Begin => history.begin(),
            PoseAction::End => history.end(),
            PoseAction::Cancel => return self.change_history(History::cancel),
            PoseAction::Undo => return self.change_history(History::undo),
            PoseAction::Redo => return self.change_history(History::redo),
            PoseAction::SetTool(tool) => self.posing.tool = tool,
            PoseAction::SetAxes(axes) => self.posing.axes = axes,
            PoseAction::NextAxes => {
                let next = (self.posing.axes as usize + 1) % Axes::ALL.len();
                self.posing.axes = Axes::ALL[next];
            }
            PoseAction::SetBase(base) => self.playback.base.chosen = base,
            PoseAction::Save => return self.ask(FileQuestion::SavePose),
            PoseAction::Load => return self.ask(FileQuestion::LoadPose),
            PoseAction::Take(file) => self.take_pose(*file),
        }
        self.hide_nodes();
        Vec::new()
    }

    /// Goes through the history. What is mended then is mended in another copy.
    fn change_history(&mut self, go: fn(&mut History, &mut Undoable<'_>)) -> Vec<Effect> {
        let before = self.mending.remedies.clone();
        let mut of = Undoable {
            hand: &mut self.playback.hand,
            hidden: &mut self.chosen.hidden,
            remedies: &mut self.mending.remedies,
            expressions: &mut self.playback.expressions,
        };
        go(&mut self.chosen.history, &mut of);
        self.hide_nodes();
        if self.mending.remedies == before { Vec::new() } else { self.mend() }
    }

    fn change_node(&mut self, node: usize, change: impl FnOnce(HandMade) -> HandMade) {
        let Some(document) = self.playback.document() else { return };
        if node < document.model.nodes.len() {
            let values = self.playback.hand.get(node).cloned().unwrap_or_default();
            let values = posing::possible(&document.model, node, change(values));
            self.replace_nodes(vec![(node, Some(values))]);
        }
    }

    /// Replaces the values of nodes, as one step.
    fn replace_nodes(&mut self, nodes: Vec<(usize, Option<HandMade>)>) {
        let step = self.set_nodes(nodes);
        self.chosen.history.add(step);
    }

    /// Replaces the values of nodes. Returns the step that has to be added to the history.
    fn set_nodes(&mut self, nodes: Vec<(usize, Option<HandMade>)>) -> Edit {
        let hand = &mut self.playback.hand;
        let change = |(node, after): (usize, Option<HandMade>)| {
            let after = after.filter(|values| !values.is_empty());
            let before = hand.replace(node, after.clone());
            (before != after).then_some(Change { node, before, after })
        };
        Edit::Pose(nodes.into_iter().filter_map(change).collect())
    }

    /// Replaces the weights of expressions by these. Returns the step that has to be added to the history, and the first
    /// name that the file lacks.
    fn set_expressions(&mut self, weights: &BTreeMap<String, f32>) -> (Edit, Option<Notice>) {
        let before = std::mem::take(&mut self.playback.expressions);
        let missing = self.playback.express_named(weights).map(Notice::no_expression);
        let after = self.playback.expressions.clone();
        (Edit::Express { before, after }, missing)
    }

    fn take_pose(&mut self, file: GivenPose) {
        let Some(document) = self.playback.document() else {
            let text = "No model is open that the pose could be given to: open it first, or drop both together";
            self.notices.replace(Notice::warning(text));
            return;
        };
        // A file that says nothing about expressions leaves them.
        let expressions = file.expressions.clone();
        let expressed_count = expressions.as_ref().map_or(0, BTreeMap::len);
        let (mut wanted, missing) = posing::values_of_file(&document.model, file);
        let (count, name) = (wanted.len(), document.name.clone());
        let hand = &self.playback.hand;
        let reset = hand.nodes().map(|(node, _)| (node, wanted.remove(&node)));
        let mut nodes: Vec<(usize, Option<HandMade>)> = reset.collect();
        nodes.extend(wanted.into_iter().map(|(node, values)| (node, Some(values))));
        let mut steps = vec![self.set_nodes(nodes)];
        let mut no_expression = None;
        if let Some(expressions) = &expressions {
            let (expressed, missing) = self.set_expressions(expressions);
            steps.push(expressed);
            no_expression = missing;
        }
        self.chosen.history.end();
        self.chosen.history.add(Edit::All(steps));
        let mut posed = format!("Posed {}", counted(count, "node"));
        if expressed_count > 0 {
            posed += &format!(" and {}", counted(expressed_count, "expression"));
        }
        self.notices.replace(match missing {
            0 => Notice::done(posed),
            n => Notice::warning(format!("{posed}; {} not in {name}", counted(n, "node"))),
        });
        no_expression.into_iter().for_each(|notice| self.notices.add(notice));
    }
}
