//! The prefix that the names of a rig share, such as the namespace of an exporter.

use rigview_model::Model;

/// Returns the prefix that a model's names are shown without: that of the joints' names, or of all names without joints.
pub fn name_prefix(model: &Model) -> &str {
    let name = |node: usize| model.nodes.get(node).and_then(|node| node.name.as_deref());
    let (nodes, is_joint) = (0..model.nodes.len(), model.skin_joints());
    if is_joint.contains(&true) {
        common_prefix(nodes.filter(|node| is_joint[*node]).filter_map(name))
    } else {
        common_prefix(nodes.filter_map(name))
    }
}

/// Returns the longest prefix, up to a separator, that at least four in five names share; empty if a
/// remainder would contain no letters.
pub fn common_prefix<'a>(names: impl IntoIterator<Item = &'a str>) -> &'a str {
    const SEPARATORS: [char; 7] = [':', '|', '/', '_', '.', '-', ' '];
    let mut sorted: Vec<&str> = names.into_iter().collect();
    sorted.sort_unstable();
    // Names with the same prefix are adjacent, and four fifths of all include the middle one.
    let Some(middle) = sorted.get(sorted.len() / 2) else { return "" };
    let is_redundant = |prefix: &&str| {
        let rests = sorted.iter().filter_map(|name| name.strip_prefix(*prefix));
        let mut count = 0;
        let all_say =
            rests.inspect(|_| count += 1).all(|rest| rest.chars().any(char::is_alphabetic));
        all_say && count > 1 && 5 * count >= 4 * sorted.len()
    };
    let ends = middle.match_indices(SEPARATORS).map(|(at, separator)| at + separator.len());
    let mut prefixes = ends.map(|end| &middle[..end]);
    prefixes.rfind(is_redundant).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix<'a>(names: &[&'a str]) -> &'a str {
        common_prefix(names.iter().copied())
    }

    #[test]
    fn a_common_prefix_is_dropped() {
        assert_eq!(prefix(&["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Head"]), "mixamorig:");
        assert_eq!(
            prefix(&["Bip01", "Bip01 L Arm", "Bip01 R Arm", "Bip01 Spine", "Bip01 Head"]),
            "Bip01 "
        );
        assert_eq!(prefix(&["a|b:Hips", "a|b:Legs", "a|b:Arm_L", "a|b:Arm_R"]), "a|b:");
        assert_eq!(prefix(&["\u{9aa8}:\u{8170}", "\u{9aa8}:\u{982d}"]), "\u{9aa8}:");
    }

    #[test]
    fn a_prefix_that_distinguishes_names_stays() {
        assert_eq!(prefix(&["joint_1", "joint_2", "joint_3"]), "");
        assert_eq!(prefix(&["arm_l", "arm_r", "leg_l", "leg_r"]), "");
        assert_eq!(prefix(&["arm_l"]), "");
        assert_eq!(prefix(&["x:", "x:a"]), "");
        assert_eq!(common_prefix([]), "");
    }
}
