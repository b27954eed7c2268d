//! Another unit and other axes for a whole document.

use std::collections::BTreeMap;

use glam::{Mat3, Quat, Vec3};
use serde_json::{Value, json};

use rigview_document::{count, index, items, push};

/// A uniform scale, and a turn by quarters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitAxes {
    /// Lengths are multiplied by this.
    pub scale: f32,
    /// The turn of the scene.
    pub rotation: Quat,
}

impl Default for UnitAxes {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl UnitAxes {
    /// Neither scales nor turns.
    pub const IDENTITY: Self = Self { scale: 1.0, rotation: Quat::IDENTITY };

    /// Makes `up` the Y axis and `front` the Z axis. Without a front, that of the shortest turn is taken. Returns
    /// `None` if both are the same axis.
    pub fn new(scale: f32, up: Vec3, front: Option<Vec3>) -> Option<Self> {
        let front = front.unwrap_or_else(|| match up.z {
            0.0 => Vec3::Z,
            z => -z * Vec3::Y,
        });
        if up.dot(front) != 0.0 {
            return None;
        }
        let right = up.cross(front);
        let rotation = Quat::from_mat3(&Mat3::from_cols(right, up, front).transpose());
        Some(Self { scale, rotation })
    }
}

/// Puts the nodes of all scenes of a document below nodes that scale and turn them, one per set of scenes that share nodes.
/// Roots of joints that are in no scene get one too. Skinned meshes stay at the top, since their joints alone place them.
/// Returns the indices of the new nodes.
pub fn put_unit_axes(root: &mut Value, unit_axes: UnitAxes) -> Vec<usize> {
    let tree = Tree::of(root);
    if count(root, "scenes") == 0 {
        let all: Vec<usize> = (0..tree.parents.len()).filter(|node| tree.is_root(*node)).collect();
        root["scenes"] = if all.is_empty() { json!([]) } else { json!([{ "nodes": all }]) };
    }
    let groups = groups(root, &tree);
    let mut frames = Frames { first: count(root, "nodes"), nodes: Vec::new(), unit_axes };
    let mut tops: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (scenes, nodes) in groups {
        let (skinned, nodes): (Vec<usize>, Vec<usize>) =
            nodes.into_iter().partition(|node| tree.is_skinned[*node]);
        let mut top = skinned;
        for node in &top {
            let children = root["nodes"][*node].get("children").cloned();
            if let Some(children) = children {
                root["nodes"][*node]["children"] = json!([frames.add(children)]);
            }
        }
        if !nodes.is_empty() {
            top.push(frames.add(json!(nodes)));
        }
        for scene in scenes {
            tops.entry(scene).or_default().extend(&top);
        }
    }
    for (number, scene) in items(root, "scenes").enumerate() {
        if let Some(mut top) = tops.remove(&number) {
            let listed = scene.get("nodes").and_then(Value::as_array).into_iter().flatten();
            top.extend(listed.filter_map(index).filter(|node| !tree.is_root(*node)));
            scene["nodes"] = json!(top);
        }
    }
    let new = frames.first..frames.first + frames.nodes.len();
    push(root, "nodes", frames.nodes);
    new.collect()
}

/// Returns the roots that are framed by the scenes that list them. Those of joints outside of all scenes, and of nodes that
/// scenes list though they are no roots, are in none.
fn groups(root: &mut Value, tree: &Tree) -> BTreeMap<Vec<usize>, Vec<usize>> {
    let mut scenes_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, scene) in items(root, "scenes").enumerate() {
        let listed = scene.get("nodes").and_then(Value::as_array).into_iter().flatten();
        for node in listed.filter_map(index) {
            let scenes = scenes_of.entry(tree.top(node)).or_default();
            if tree.is_root(node) && !scenes.contains(&number) {
                scenes.push(number);
            }
        }
    }
    for skin in items(root, "skins") {
        let joints = skin.get("joints").and_then(Value::as_array).into_iter().flatten();
        for joint in joints.filter_map(index) {
            scenes_of.entry(tree.top(joint)).or_default();
        }
    }
    let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (node, scenes) in scenes_of {
        groups.entry(scenes).or_default().push(node);
    }
    groups
}

/// The new nodes.
struct Frames {
    /// The index of the first one.
    first: usize,
    nodes: Vec<Value>,
    unit_axes: UnitAxes,
}

impl Frames {
    /// Adds a node with these children, and returns its index.
    fn add(&mut self, children: Value) -> usize {
        let UnitAxes { scale, rotation } = self.unit_axes;
        self.nodes.push(json!({
            "name": "scale and axes",
            "children": children,
            "rotation": rotation.to_array(),
            "scale": [scale, scale, scale],
        }));
        self.first + self.nodes.len() - 1
    }
}

/// The nodes of a document.
struct Tree {
    parents: Vec<Option<usize>>,
    /// Whether joints alone place what a node has: a skinned mesh, and no children that it places.
    is_skinned: Vec<bool>,
}

impl Tree {
    fn of(root: &mut Value) -> Self {
        let mut parents = vec![None; count(root, "nodes")];
        let mut is_skinned = vec![false; parents.len()];
        // Primitives without joints are placed by the node.
        let all_skinned = |mesh: &mut Value| {
            let is_skinned =
                |primitive: &mut Value| primitive["attributes"].get("JOINTS_0").is_some();
            items(mesh, "primitives").all(is_skinned)
        };
        let skinned_meshes: Vec<bool> = items(root, "meshes").map(all_skinned).collect();
        for (number, node) in items(root, "nodes").enumerate() {
            let children = node.get("children").and_then(Value::as_array);
            let is_free = children.is_none_or(Vec::is_empty);
            for child in children.into_iter().flatten().filter_map(index) {
                if let Some(parent) = parents.get_mut(child) {
                    *parent = Some(number);
                }
            }
            let places = ["matrix", "translation", "rotation", "scale"];
            let is_placed = places.iter().any(|key| node.get(key).is_some());
            let mesh = node.get("mesh").and_then(index);
            let skins_all = mesh.is_none_or(|mesh| skinned_meshes.get(mesh) != Some(&false));
            let instances = "/extensions/EXT_mesh_gpu_instancing";
            let placed = ["/camera", "/extensions/KHR_lights_punctual", instances];
            let places_more = placed.iter().any(|pointer| node.pointer(pointer).is_some());
            is_skinned[number] =
                node.get("skin").is_some() && skins_all && !places_more && (is_free || !is_placed);
        }
        let mut moves = |target: &Value| {
            let pointer = target.pointer("/extensions/KHR_animation_pointer/pointer");
            let pointed = pointer.and_then(Value::as_str).and_then(|pointer| {
                let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
                let is_place = ["translation", "rotation", "scale"].contains(&path);
                node.parse().ok().filter(|_| is_place)
            });
            let node = target.get("node").and_then(index).or(pointed);
            let is_other = target["path"] == "weights";
            if let Some(node) = node.filter(|node| *node < is_skinned.len() && !is_other) {
                is_skinned[node] &= !parents.contains(&Some(node));
            }
        };
        for animation in items(root, "animations") {
            items(animation, "channels").for_each(|channel| moves(&channel["target"]));
        }
        Self { parents, is_skinned }
    }

    fn is_root(&self, node: usize) -> bool {
        self.parents.get(node) == Some(&None)
    }

    /// Returns the root above a node.
    fn top(&self, node: usize) -> usize {
        let parent = |node: &usize| self.parents.get(*node).copied().flatten();
        // Trees of nodes have no circles, which the import checks.
        std::iter::successors(Some(node), parent).last().unwrap_or(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(mut root: Value) -> (Value, Vec<usize>) {
        let new = put_unit_axes(&mut root, UnitAxes::new(2.0, Vec3::Y, None).unwrap());
        for node in &new {
            assert_eq!(root["nodes"][*node]["scale"], json!([2.0, 2.0, 2.0]));
        }
        (root, new)
    }

    #[test]
    fn scenes_are_put_below_a_node_each_without_skinned_meshes() {
        let (root, new) = framed(json!({
            "nodes": [{"mesh": 0, "skin": 0}, {"children": [2]}, {}, {"mesh": 0}],
            "scenes": [{"nodes": [0, 1]}, {"nodes": [3]}, {}],
        }));
        assert_eq!(new, [4, 5]);
        assert_eq!(root["scenes"], json!([{"nodes": [0, 4]}, {"nodes": [5]}, {}]));
        assert_eq!(root["nodes"][4]["children"], json!([1]));
    }

    #[test]
    fn nodes_of_several_scenes_and_of_none_are_framed_once() {
        let shared = json!({ "nodes": [{}, {}], "scenes": [{"nodes": [0]}, {"nodes": [1, 0]}] });
        let (root, new) = framed(shared);
        assert_eq!(new, [2, 3]);
        assert_eq!(root["scenes"], json!([{"nodes": [2]}, {"nodes": [2, 3]}]));
        let (root, new) = framed(json!({ "nodes": [{"children": [1]}, {}, {}] }));
        assert_eq!((new, &root["scenes"]), (vec![3], &json!([{"nodes": [3]}])));
        assert_eq!(root["nodes"][3]["children"], json!([0, 2]));
        let (root, new) = framed(json!({
            "nodes": [{"mesh": 0, "skin": 0}, {"children": [2]}, {}],
            "skins": [{"joints": [2]}],
            "scenes": [{"nodes": [0]}],
        }));
        assert_eq!((new, &root["scenes"]), (vec![3], &json!([{"nodes": [0]}])));
        assert_eq!(root["nodes"][3]["children"], json!([1]));
    }

    #[test]
    fn skinned_meshes_with_children_stay_at_the_top_unless_they_move() {
        let skinned = json!({
            "nodes": [{"mesh": 0, "skin": 0, "children": [1]}, {}],
            "skins": [{"joints": [1]}],
            "scenes": [{"nodes": [0]}],
        });
        let (root, _) = framed(skinned.clone());
        assert_eq!(root["scenes"], json!([{"nodes": [0]}]));
        assert_eq!(root["nodes"][0]["children"], json!([2]));
        assert_eq!(root["nodes"][2]["children"], json!([1]));
        let mut placed = skinned.clone();
        placed["nodes"][0]["translation"] = json!([1, 0, 0]);
        let mut moved = skinned;
        let target = json!({"node": 0, "path": "translation"});
        moved["animations"] = json!([{"channels": [{"sampler": 0, "target": target}]}]);
        for file in [placed, moved] {
            let (root, _) = framed(file);
            assert_eq!(root["scenes"], json!([{"nodes": [2]}]));
            assert_eq!(root["nodes"][2]["children"], json!([0]));
        }
    }

    /// A primitive without joints, a camera, and a child that the node moves by a pointer would stay behind.
    #[test]
    fn a_skinned_node_that_places_more_is_framed() {
        let skinned = json!({
            "nodes": [{"mesh": 0, "skin": 0, "children": [1]}, {}],
            "meshes": [{"primitives": [{"attributes": {"JOINTS_0": 0}}]}],
            "skins": [{"joints": [1]}],
            "scenes": [{"nodes": [0]}],
        });
        assert_eq!(framed(skinned.clone()).0["scenes"], json!([{"nodes": [0]}]));
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut root = skinned.clone();
            change(&mut root);
            root
        };
        let pointer = json!({"KHR_animation_pointer": {"pointer": "/nodes/0/translation"}});
        let target = json!({"path": "pointer", "extensions": pointer});
        for file in [
            changed(&|root| {
                root["meshes"][0]["primitives"] =
                    json!([{"attributes": {"JOINTS_0": 0}}, {"attributes": {}}]);
            }),
            changed(&|root| root["nodes"][0]["camera"] = json!(0)),
            changed(&|root| {
                root["animations"] = json!([{"channels": [{"sampler": 0, "target": target}]}]);
            }),
        ] {
            assert_eq!(framed(file.clone()).0["scenes"], json!([{"nodes": [2]}]), "{file}");
        }
    }

    #[test]
    fn axes_become_those_of_gltf() {
        for (up, front) in [
            (Vec3::Z, None),
            (Vec3::Z, Some(Vec3::NEG_Y)),
            (Vec3::NEG_Z, None),
            (Vec3::X, None),
            (Vec3::NEG_Y, Some(Vec3::X)),
        ] {
            let turn = UnitAxes::new(2.0, up, front).unwrap().rotation;
            assert!((turn * up).distance(Vec3::Y) < 1e-6, "{up} {front:?}");
            if let Some(front) = front {
                assert!((turn * front).distance(Vec3::Z) < 1e-6, "{up} {front:?}");
            }
        }
        let default = UnitAxes::new(1.0, Vec3::Z, None).unwrap().rotation;
        assert!((default * Vec3::NEG_Y).distance(Vec3::Z) < 1e-6);
        assert!((default * Vec3::X).distance(Vec3::X) < 1e-6);
        assert_eq!(UnitAxes::new(1.0, Vec3::Y, None), Some(UnitAxes::IDENTITY));
        assert_eq!(UnitAxes::new(1.0, Vec3::Y, Some(Vec3::NEG_Y)), None);
    }
}
