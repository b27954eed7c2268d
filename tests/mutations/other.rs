//! Small FBX and BVH files.

const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation \
    Xrotation Yrotation\nJOINT Spine\n{\nOFFSET 0 50 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n\
    OFFSET 0 30 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.0333\n0 90 0 0 0 0 0 0 0\n1 90 0 10 0 0 20 0 0\n\
    2 90 0 20 0 0 40 0 0\n";

/// Returns the names and bytes of the files.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let files = vec![("motion.bvh", BVH.into())];
    #[cfg(feature = "fbx")]
    let files = files.into_iter().chain([("character.fbx", character())]).collect();
    files
}

/// Returns a file with nodes, a skin, a blend shape and a take.
#[cfg(feature = "fbx")]
fn character() -> Vec<u8> {
    use rigview_test_support::{Curve, Fbx};
    let mut file = Fbx::new();
    let scale = "\"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",1,2,4";
    let root = file.node("root", "LimbNode", 0, &[scale]);
    let bone = file.node("bone", "LimbNode", root, &["\"InheritType\", \"enum\", \"\", \"\",2"]);
    let mesh = file.node("mesh", "Mesh", 0, &[]);
    let geometry = file.polygon(mesh, &[[0., 0., 0.], [9., 0., 0.], [9., 9., 0.], [0., 9., 0.]]);
    file.skin(geometry, &[(root, [0.; 3], &[(0, 1.0), (1, 0.5)]), (bone, [0.; 3], &[(1, 0.5)])]);
    let channel =
        file.channel(geometry, "smile", &[(50.0, 2, [0., 0., 4.]), (100.0, 2, [0., 0., 9.])]);
    let take = file.take("Walk", 0.5, 2.5);
    let keys = [[0.5, 0.0], [1.5, 90.0], [2.5, 360.0]];
    file.animate(take, bone, ["Lcl Rotation", "d|X"], Curve::Cubic, &keys);
    file.animate(take, root, ["Lcl Scaling", "d|Y"], Curve::Linear, &keys);
    file.animate(take, channel, ["DeformPercent", "d|DeformPercent"], Curve::Constant, &keys);
    file.bytes()
}
