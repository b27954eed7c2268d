//! A skin: which nodes move a mesh's vertices, and the matrices they do it with.

use glam::{Affine3A, Mat4};

use super::WorldPose;
use super::lanes::{Lanes, Work, run};

/// Joints that one draw's palette has room for: `array<mat4x4<f32>, 100>` in the shader, 6,400
/// bytes, inside the 16 KiB that every adapter binds.
pub const MAX_PALETTE_JOINTS: usize = 100;

/// Joints and their inverse bind matrices, both in the skin's joint order and equally long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// The file's name for it.
    pub name: Option<String>,
    /// The nodes that are its joints.
    pub joints: Vec<u32>,
    /// Inverse bind matrices: from the mesh's space to each joint's at bind time.
    pub joint_from_mesh: Vec<Affine3A>,
}

impl Skin {
    /// The matrix that carries a bound vertex into the scene: `world(joint) * inverse bind`.
    ///
    /// # Panics
    /// When `joint` is not one of the skin's.
    pub fn joint_matrix(&self, joint: usize, world: &WorldPose) -> Affine3A {
        *world.world_from_node(self.joints[joint] as usize) * self.joint_from_mesh[joint]
    }

    /// Writes the joint matrices of `joints` (indices into the skin) to the front of `out`.
    ///
    /// # Panics
    /// When `out` is shorter than `joints`, or one of them is not the skin's.
    pub fn write_palette(&self, joints: &[u16], world: &WorldPose, out: &mut [Mat4]) {
        run(Palette { skin: self, joints, world, out: &mut out[..joints.len()] });
    }

    /// The same by one kernel.
    #[cfg(test)]
    pub(super) fn write_palette_by<L: Lanes>(
        &self,
        joints: &[u16],
        world: &WorldPose,
        out: &mut [Mat4],
    ) {
        Palette { skin: self, joints, world, out }.run::<L>();
    }
}

/// [`Skin::write_palette`] by any kernel.
struct Palette<'a> {
    skin: &'a Skin,
    joints: &'a [u16],
    world: &'a WorldPose,
    out: &'a mut [Mat4],
}

impl Work for Palette<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { skin, joints, world, out } = self;
        // Told apart from `out`, or the compiler would load where they lie for every joint again.
        let (nodes, world) = (&skin.joints[..], world.matrices());
        let joint_from_mesh = &skin.joint_from_mesh[..nodes.len()];
        for (out, joint) in out.iter_mut().zip(joints) {
            let joint = usize::from(*joint);
            *out = L::compose_full(&world[nodes[joint] as usize].0, &joint_from_mesh[joint]);
        }
    }
}
