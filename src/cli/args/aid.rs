//! Arguments of the drawings that help to judge a rig.

use clap::Args;

use super::values::{number, one_of};
use rigview_look::{Aids, BoneStyle, OnionSkin, Spacing, Vectors};

/// The drawings that help to judge a rig.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Look")]
pub struct AidArgs {
    /// Draw this many past (blue) and next (orange) poses of the clip as ghosts, 1 to 8, SPACING seconds apart, or
    /// frames as in 2f [default SPACING: 0.1].
    #[arg(long, value_name = "COUNT[,SPACING]", value_parser = onion_skin)]
    pub onion_skin: Option<OnionSkin>,
    /// Set the shape of joints and bones of --skeleton: bones, lines, spheres or axes, flat and of a fixed width; or
    /// octahedra, balls or spikes, lit and as large as the bones.
    #[arg(long, value_name = "NAME", requires = "skeleton", value_parser = joint_style)]
    pub joint_style: Option<BoneStyle>,
    /// Hide joints and bones where the mesh is in front of them.
    #[arg(long, requires = "skeleton")]
    pub skeleton_behind: bool,
    /// Draw the path of the root over the clip on the ground, with a tick per second.
    #[arg(long)]
    pub root_path: bool,
    /// Draw the path of this node over the clip, by name or index, with a mark per key of its own (256 at most). The window selects the node.
    #[arg(long, value_name = "NODE")]
    pub trail: Option<String>,
    /// Keep the root of the clip over the point of the ground at which the clip starts.
    #[arg(long, help_heading = "Clip")]
    pub in_place: bool,
    /// Mark vertices without weights (magenta) and those whose weights do not sum to 1 (yellow).
    #[arg(long)]
    pub weight_marks: bool,
    /// Draw the posed normals of all vertices as lines.
    #[arg(long)]
    pub normals: bool,
    /// Draw the posed tangents of all vertices as lines.
    #[arg(long)]
    pub tangents: bool,
}

impl AidArgs {
    /// Returns the drawings.
    pub fn aids(&self) -> Aids {
        Aids {
            onion: self.onion_skin,
            root_path: self.root_path,
            weight_marks: self.weight_marks,
            vectors: Vectors { normals: self.normals, tangents: self.tangents },
        }
    }

    /// Returns how joints and bones are drawn.
    pub fn bones(&self) -> BoneStyle {
        BoneStyle { in_front: !self.skeleton_behind, ..self.joint_style.unwrap_or_default() }
    }
}

/// The largest spacing of ghosts, in seconds or frames.
const MOST_SPACING: f64 = 1e6;

fn joint_style(text: &str) -> Result<BoneStyle, String> {
    one_of(BoneStyle::from_name(text), &BoneStyle::NAMES)
}

fn onion_skin(text: &str) -> Result<OnionSkin, String> {
    let (count, spacing) = text.split_once(',').map_or((text, None), |(a, b)| (a, Some(b)));
    let most = OnionSkin::MOST;
    let count = count.trim().parse().ok().filter(|count| (1..=most).contains(count));
    let count = count.ok_or_else(|| format!("COUNT must be a whole number from 1 to {most}"))?;
    let Some(spacing) = spacing else { return Ok(OnionSkin { count, ..OnionSkin::default() }) };
    let (amount, spacing) = match spacing.trim().strip_suffix('f') {
        Some(frames) => (number(frames)?, Spacing::Frames(number(frames)?)),
        None => (number(spacing)?, Spacing::Secs(number(spacing)?)),
    };
    if amount <= 0.0 || amount > MOST_SPACING {
        return Err(format!(
            "SPACING must be greater than 0 and at most {MOST_SPACING}, such as 0.1 or 2f"
        ));
    }
    Ok(OnionSkin { count, spacing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spacing_is_in_seconds_or_frames() {
        assert_eq!(onion_skin("3"), Ok(OnionSkin { count: 3, spacing: Spacing::Secs(0.1) }));
        assert_eq!(onion_skin("8,0.25"), Ok(OnionSkin { count: 8, spacing: Spacing::Secs(0.25) }));
        assert_eq!(onion_skin("1, 2f"), Ok(OnionSkin { count: 1, spacing: Spacing::Frames(2.0) }));
        for wrong in ["", "0", "9", "1.5", "2,0", "2,-1", "2,x", "2,f", "2,"] {
            assert!(onion_skin(wrong).is_err(), "{wrong}");
        }
    }
}
