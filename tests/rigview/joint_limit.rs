//! Skins with a limit of joints: vertices of those beyond it follow the joint above.

use rigview::import::{ImportOptions, load_bytes};
use rigview::model::{JointsBeyond, Model, PrimitiveSkin, SkinForm, Stage};

const CREATURE: &[u8] = include_bytes!("../../assets/creature.glb");

fn creature() -> Model {
    load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap().model
}

#[test]
fn joints_beyond_the_limit_follow_one_that_stays_and_can_be_restored() {
    let model = creature();
    let count = model.skins[0].joints.len();
    let most = count / 2;
    let nodes = Stage::new(&model, 0).nodes;
    let beyond = JointsBeyond::find(&model, &nodes, most);
    assert_eq!(beyond.joints.len(), count - most);
    assert!(beyond.count > 0 && beyond.vertices.len() <= beyond.count);
    let mut limited = model.clone();
    SkinForm { joints: most, ..SkinForm::default() }.apply(&mut limited);
    assert_eq!(JointsBeyond::find(&limited, &nodes, most).count, 0);
    let primitives = |model: &mut Model| -> Vec<PrimitiveSkin> {
        let all = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        all.filter_map(|primitive| primitive.skin()).collect()
    };
    let kept = primitives(&mut model.clone());
    let all = limited.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
    let skinned = all.filter(|primitive| primitive.influences.is_some());
    skinned.zip(&kept).for_each(|(primitive, skin)| primitive.restore_skin(skin));
    assert_eq!(limited.meshes, model.meshes);
}

#[test]
fn a_limit_that_all_joints_fit_in_changes_nothing() {
    let model = creature();
    let most = model.skins[0].joints.len();
    let mut limited = model.clone();
    SkinForm { joints: most, ..SkinForm::default() }.apply(&mut limited);
    assert_eq!(limited.meshes, model.meshes);
}
