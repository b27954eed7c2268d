//! Files of poses: the output of `pose --json`, and poses that the window saves in the same form.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{NodePose, PoseReport, pose_report};
use rigview_model::{Model, Stage};

/// The values of a node that were set by hand. The others follow the clip or the rest pose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HandMade {
    /// Relative to its parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<[f32; 3]>,
    /// Relative to its parent, as a unit quaternion x, y, z, w.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f32; 4]>,
    /// Relative to its parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<[f32; 3]>,
    /// Morph targets with their weights, by increasing index of the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(usize, f32)>,
}

impl HandMade {
    /// Whether no value is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The number of values: translation, rotation, scale and each weight count as one.
    pub fn count(&self) -> usize {
        let transform = [self.translation.is_some(), self.rotation.is_some(), self.scale.is_some()];
        transform.into_iter().filter(|set| *set).count() + self.weights.len()
    }
}

/// A node of a file and its values that were set by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HandMadeNode {
    /// Its index in the file.
    pub index: usize,
    /// Its name; empty if it has none.
    #[serde(default)]
    pub name: String,
    /// The values.
    #[serde(default)]
    pub values: HandMade,
}

/// A pose to save: that of `pose --json` with the values that were set by hand.
#[derive(Clone, Debug, Serialize)]
pub struct PoseFile {
    /// The model's file.
    pub file: String,
    /// Index of the clip that the pose is an instant of.
    pub clip: Option<usize>,
    /// The clip's name.
    pub clip_name: Option<String>,
    /// The instant in seconds.
    pub time: f64,
    /// All nodes and skins.
    #[serde(flatten)]
    pub pose: PoseReport,
    /// The values that were set by hand.
    pub by_hand: Vec<HandMadeNode>,
    /// The weights of expressions that were set, by name. The nodes' weights have them too. `None` if the model has no
    /// expressions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expressions: Option<BTreeMap<String, f32>>,
}

impl PoseFile {
    /// Returns the file of a stage's pose, without a clip and without values that were set by hand.
    pub fn new(file: String, model: &Model, stage: &Stage) -> Self {
        let pose = pose_report(model, stage);
        let (by_hand, expressions) = (Vec::new(), None);
        Self { file, clip: None, clip_name: None, time: 0.0, pose, by_hand, expressions }
    }

    /// Returns the line of JSON, which ends with a line feed.
    pub fn to_json(&self) -> String {
        // Numbers that are not finite become `null`; nothing else can fail.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// The parts of a pose file that are read back.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct GivenPose {
    /// The nodes' transforms and weights.
    pub nodes: Vec<NodePose>,
    /// Index of the clip that was posed.
    #[serde(default)]
    pub clip: Option<usize>,
    /// The clip's name.
    #[serde(default)]
    pub clip_name: Option<String>,
    /// The values that were set by hand; `None` in the output of `pose --json`.
    #[serde(default)]
    pub by_hand: Option<Vec<HandMadeNode>>,
    /// The weights of expressions that were set, by name; all others are 0. `None` if the file says nothing about them.
    #[serde(default)]
    pub expressions: Option<BTreeMap<String, f32>>,
}

impl GivenPose {
    /// Size limit of a pose file in bytes; enough for several hundred thousand nodes.
    pub const MOST_BYTES: u64 = 256 << 20;

    /// Reads the first line of a pose file.
    ///
    /// # Errors
    /// If it is empty or not in the form of `pose --json`; the error is a text of one line.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        // The file has one line per time; only the first is used.
        match lines(bytes).next() {
            Some(pose) => pose.map_err(|e| format!("not the output of `pose --json`: {e}")),
            None => Err("the file is empty".into()),
        }
    }

    /// Whether a file has more poses than the one that is read: `pose --json` prints one per time.
    pub fn has_others(bytes: &[u8]) -> bool {
        lines(bytes).nth(1).is_some()
    }
}

/// Returns the poses of a file, which editors may begin with a byte order mark.
fn lines(bytes: &[u8]) -> impl Iterator<Item = serde_json::Result<GivenPose>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::Deserializer::from_slice(bytes).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_pose_json_is_read_with_and_without_values_by_hand() {
        let plain = br#"{"nodes":[{"index":0,"translation":[1,2,3]}],"skins":[]} {"nodes":[]}"#;
        let marked = GivenPose::read(&[b"\xef\xbb\xbf", &plain[..]].concat()).unwrap();
        assert_eq!(marked.nodes.len(), 1);
        let pose = GivenPose::read(plain).unwrap();
        assert_eq!(pose.nodes[0].translation, Some([1.0, 2.0, 3.0]));
        assert_eq!((pose.nodes.len(), pose.by_hand), (1, None));
        let by_hand =
            r#"{"nodes":[],"by_hand":[{"index":2,"name":"arm","values":{"weights":[[4,0.1]]}}]}"#;
        let pose = GivenPose::read(by_hand.as_bytes()).unwrap();
        let [node] = &pose.by_hand.unwrap()[..] else { panic!() };
        assert_eq!((node.index, node.name.as_str(), node.values.count()), (2, "arm", 1));
        assert_eq!(node.values.weights, [(4, 0.1)]);
        assert_eq!(GivenPose::read(b" ").unwrap_err(), "the file is empty");
        assert!(GivenPose::read(b"{}").unwrap_err().starts_with("not the output of"));
    }
}
