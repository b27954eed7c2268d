//! Clips of another file: which joint follows which, and how the clips are converted.

use egui::{RichText, ScrollArea, Ui};

use super::choice::{Choice, Entry, labelled_choice_ui};
use super::section::section_ui;
use super::text::one_line;
use super::theme;
use rigview_model::Model;
use rigview_rig::{MapBase, MapChoice, MapLine, MapTable, PairReason, RetargetOptions, RigMap};
use rigview_session::{Action, Borrowed, Document, LoadAction};

/// Height of the list of joints in points.
const HEIGHT: f32 = 220.0;
/// Maximum number of names in a list of joints to follow.
const MOST_JOINTS: usize = 1000;

/// If the clips are those of another file: shows which joints follow which, to be changed.
pub(super) fn retarget_ui(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let Some(borrowed) = &document.borrowed else { return };
    let pairs = borrowed.clips.map.pairs.iter().flatten().count();
    let title = format!("Joints of the clips ({pairs})");
    section_ui(ui, egui::CollapsingHeader::new(title).id_salt("retarget"), |ui| {
        let before = &borrowed.retargeting.options;
        let mut options = before.clone();
        options_ui(ui, &mut options);
        rows_ui(ui, document, borrowed, &mut options);
        let save = ui.button("Save map…").on_hover_text("Write the pairs as a table for --map");
        if save.clicked() {
            actions.push(LoadAction::SaveMap.into());
        }
        if options != *before {
            actions.push(LoadAction::Retarget(options).into());
        }
    });
}

fn options_ui(ui: &mut Ui, options: &mut RetargetOptions) {
    let entries = vec![
        Entry::new(Some(MapBase::Auto), "By convention and name"),
        Entry::new(Some(MapBase::Exact), "By equal names"),
        Entry::new(None, "By the table"),
    ];
    let chosen = match &options.map {
        MapChoice::Auto => Some(MapBase::Auto),
        MapChoice::Exact => Some(MapBase::Exact),
        MapChoice::Table(_) => None,
    };
    let hint = "How joints are matched; a change below makes it a table";
    match labelled_choice_ui(ui, "Match", hint, &chosen, entries) {
        Some(Some(MapBase::Auto)) => options.map = MapChoice::Auto,
        Some(Some(MapBase::Exact)) => options.map = MapChoice::Exact,
        _ => {}
    }
    ui.checkbox(&mut options.align_rest, "Align rest poses").on_hover_text(
        "Turn the limbs of the clips' rest pose first, so that they point as those of this rig do",
    );
    ui.checkbox(&mut options.pin_feet, "Pin feet")
        .on_hover_text("Hold the feet where those of the clips' rig stand");
}

/// Shows a row per joint with the joint that it follows.
fn rows_ui(ui: &mut Ui, document: &Document, borrowed: &Borrowed, options: &mut RetargetOptions) {
    let map = &borrowed.clips.map;
    let rows = listed(&document.model, map);
    let height = ui.spacing().interact_size.y;
    let area = ScrollArea::vertical().id_salt("pairs").max_height(HEIGHT);
    area.show_rows(ui, height, rows.len(), |ui, shown| {
        for node in &rows[shown] {
            row_ui(ui, document, borrowed, *node, options);
        }
    });
}

/// Returns the nodes that follow another one, and the bones and joints that could.
fn listed(model: &Model, map: &RigMap) -> Vec<usize> {
    let mut is_listed: Vec<bool> = map.pairs.iter().map(Option::is_some).collect();
    let joints = model.skins.iter().flat_map(|skin| &skin.joints).map(|joint| *joint as usize);
    for node in joints.chain(map.target.nodes()) {
        is_listed[node] = true;
    }
    (0..is_listed.len()).filter(|node| is_listed[*node]).collect()
}

fn row_ui(
    ui: &mut Ui,
    document: &Document,
    borrowed: &Borrowed,
    node: usize,
    options: &mut RetargetOptions,
) {
    let pair = borrowed.clips.map.pairs[node];
    let name = one_line(&document.model.node_name(node));
    let width = 0.5 * (ui.available_width() - 8.0);
    ui.horizontal(|ui| {
        let weak = theme::colors(ui).weak;
        let text = RichText::new(&name).size(12.0);
        let text = if pair.is_some() { text } else { text.color(weak) };
        ui.add_sized([width, ui.spacing().interact_size.y], egui::Label::new(text).truncate());
        let chosen = pair.map(|pair| pair.source);
        let other = |source: usize| one_line(&borrowed.model.node_name(source));
        let text = chosen.map_or_else(|| AT_REST.to_owned(), other);
        let hint = pair.map_or("It stays at rest", |pair| reason(pair.reason));
        let list = Choice { name: &format!("{name} follows"), label: None, text, hint, width };
        let entries = || {
            let moved = moved_nodes(&borrowed.model);
            let entries = moved.into_iter().take(MOST_JOINTS);
            let entries = entries.map(|source| Entry::new(Some(source), other(source)));
            std::iter::once(Entry::new(None, AT_REST)).chain(entries).collect()
        };
        if let Some(picked) = list.show(ui, &chosen, entries) {
            let follows = picked.map(|source| borrowed.model.node_name(source).into_owned());
            let joint = document.model.node_name(node).into_owned();
            options.map = MapChoice::Table(changed(&options.map, joint, follows));
        }
    });
}

const AT_REST: &str = "at rest";

fn reason(reason: PairReason) -> &'static str {
    match reason {
        PairReason::Name => "Both have the same name",
        PairReason::Bone(_) => "Both are the same bone of a humanoid",
        PairReason::Trunk => "Both are at the same place between hips and neck",
        PairReason::Table => "The table says so",
    }
}

/// Returns the nodes of a clip file that can be followed: those that a clip moves, and the joints of skins.
fn moved_nodes(source: &Model) -> Vec<usize> {
    let mut moved = vec![false; source.nodes.len()];
    let channels = source.clips.iter().flat_map(|clip| clip.channels());
    channels.for_each(|channel| moved[channel.node()] = true);
    let joints = source.skins.iter().flat_map(|skin| &skin.joints);
    joints.for_each(|joint| moved[*joint as usize] = true);
    (0..moved.len()).filter(|node| moved[*node]).collect()
}

/// Returns the table of a choice with one line changed.
fn changed(choice: &MapChoice, joint: String, follows: Option<String>) -> MapTable {
    let mut table = match choice {
        MapChoice::Table(table) => table.clone(),
        _ => MapTable { base: choice.base(), joints: Vec::new() },
    };
    match table.joints.iter_mut().find(|line| line.joint == joint) {
        Some(line) => line.follows = follows,
        None => {
            let line = table.joints.len() + 1;
            table.joints.push(MapLine { joint, follows, line });
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_keeps_how_the_other_joints_are_matched() {
        let table = changed(&MapChoice::Auto, "Hips".into(), Some("pelvis".into()));
        assert_eq!((table.base, table.joints.len()), (MapBase::Auto, 1));
        let table = changed(&MapChoice::Table(table), "Head".into(), None);
        let table = changed(&MapChoice::Table(table), "Hips".into(), None);
        let lines: Vec<_> =
            table.joints.iter().map(|l| (l.joint.as_str(), l.follows.as_deref())).collect();
        assert_eq!(lines, [("Hips", None), ("Head", None)]);
        assert_eq!(changed(&MapChoice::Exact, "Head".into(), None).base, MapBase::Exact);
    }
}
