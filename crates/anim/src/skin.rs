//! Skins: the nodes that move a mesh's vertices, and their matrices.

use glam::{Affine3A, Mat4};

use super::WorldPose;
use super::kernel::run;
use super::lanes::{Lanes, Work};

/// Maximum number of joints per draw: `array<mat4x4<f32>, 100>` in the shader takes 6,400 bytes of
/// the 16 KiB that every adapter can bind.
pub const MAX_PALETTE_JOINTS: usize = 100;

/// Joints and their inverse bind matrices: two lists of equal length in the skin's joint order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// The name in the file.
    pub name: Option<String>,
    /// Indices of the joint nodes.
    pub joints: Vec<u32>,
    /// Inverse bind matrices: from mesh space to each joint's space at bind time.
    pub joint_from_mesh: Vec<Affine3A>,
}

impl Skin {
    /// Returns the matrix from a vertex at bind time to the scene: `world(joint) * inverse bind`.
    ///
    /// # Panics
    /// If `joint` is out of range.
    #[inline]
    pub fn joint_matrix(&self, joint: usize, world: &WorldPose) -> Affine3A {
        *world.world_from_node(self.joints[joint] as usize) * self.joint_from_mesh[joint]
    }

    /// Writes the joint matrices of `joints` (indices into the skin) to the start of `out`.
    ///
    /// # Panics
    /// If `out` is shorter than `joints` or an index is out of range.
    pub fn write_palette(&self, joints: &[u16], world: &WorldPose, out: &mut [Mat4]) {
        run(Palette { skin: self, joints, world, out: &mut out[..joints.len()] });
    }

    /// Writes the palette with one kernel.
    #[cfg(test)]
    pub(super) fn write_palette_with<L: Lanes>(
        &self,
        joints: &[u16],
        world: &WorldPose,
        out: &mut [Mat4],
    ) {
        Palette { skin: self, joints, world, out }.run::<L>();
    }
}

/// [`Skin::write_palette`] with any kernel.
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
        // Local slices: otherwise the compiler reloads their addresses for every joint, because `out`
        // might alias them.
        let (nodes, world) = (&skin.joints[..], world.matrices());
        let joint_from_mesh = &skin.joint_from_mesh[..nodes.len()];
        for (out, joint) in out.iter_mut().zip(joints) {
            let joint = usize::from(*joint);
            *out = L::compose_full(&world[nodes[joint] as usize].0, &joint_from_mesh[joint]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;
    use crate::{Hierarchy, LocalPose, Transform};

    #[test]
    fn a_palette_has_the_matrices_of_its_joints_in_their_order() {
        let at = |x: f32| Vec3::new(x, 1.0, -x);
        let pose = [1.0, 10.0, 100.0, 1000.0]
            .map(|x| Transform { translation: at(x), ..Transform::IDENTITY });
        let tree = Hierarchy::new(vec![None, Some(0), Some(1), None], vec![]).unwrap();
        let mut world = WorldPose::default();
        let local = LocalPose::new(pose.to_vec(), &vec![Vec::new(); pose.len()]);
        tree.resolve(&local, DVec3::ZERO, &mut world);
        let joint_from_mesh = [2.0, 3.0, 5.0].map(Affine3A::from_rotation_y).to_vec();
        let skin = Skin { name: None, joints: vec![3, 1, 2], joint_from_mesh };
        let mut palette = [Mat4::ZERO; 2];
        skin.write_palette(&[2, 0], &world, &mut palette);
        for (matrix, joint) in palette.iter().zip([2, 0]) {
            let node = skin.joints[joint] as usize;
            let wanted = *world.world_from_node(node) * skin.joint_from_mesh[joint];
            assert!(matrix.abs_diff_eq(Mat4::from(wanted), 1e-3), "{joint}: {matrix}");
            assert!(Mat4::from(skin.joint_matrix(joint, &world)).abs_diff_eq(*matrix, 1e-3));
        }
    }
}
