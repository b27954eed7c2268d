//! Reads a file with ufbx: the options, the limits, and errors in our words.

use ufbx::{
    Allocator, AllocatorOpts, CoordinateAxes, CoordinateAxis, ErrorType, FileFormat,
    GeometryTransformHandling, InheritModeHandling, LoadOpts, Matrix, MirrorAxis, ProgressCb,
    ProgressResult, SceneRoot, SpaceConversion,
};

use crate::fault::ImportError;
use crate::guard::guarded;
use crate::progress::Progress;
use rigview_model::Budget;

/// Limit for the depth of nodes. Deeper hierarchies take quadratic time wherever parents are followed.
const DEPTH: u32 = 1024;

/// Limit for the number of allocations; ufbx makes few of them, each for many things.
const ALLOCATIONS: usize = 1 << 22;

/// The extension that hides nodes.
pub(super) const NODE_VISIBILITY: &str = "KHR_node_visibility";

/// Bytes that ufbx may use for any file, in addition to what is left in the budget.
const BASE_BYTES: usize = 16 << 20;

/// Whether a file is not in text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"Kaydara")
}

/// Reads a file. ufbx opens no other file, and takes at most what is left in the budget.
pub(super) fn read(
    bytes: &[u8],
    budget: &Budget,
    progress: &Progress,
) -> Result<SceneRoot, ImportError> {
    let room = usize::try_from(budget.left()).unwrap_or(usize::MAX).saturating_add(BASE_BYTES);
    let limits = || AllocatorOpts {
        allocator: Allocator::Libc,
        memory_limit: room,
        allocation_limit: ALLOCATIONS,
        ..AllocatorOpts::default()
    };
    let go_on = |_: &ufbx::Progress| match progress.is_cancelled() {
        true => ProgressResult::Cancel,
        false => ProgressResult::Continue,
    };
    let options = LoadOpts {
        temp_allocator: limits(),
        result_allocator: limits(),
        node_depth_limit: DEPTH,
        progress_cb: ProgressCb::Ref(&go_on),
        generate_missing_normals: true,
        use_blender_pbr_material: true,
        normalize_normals: true,
        // `geometric` applies them: ufbx would leave blend shapes as they are.
        geometry_transform_handling: GeometryTransformHandling::Preserve,
        // `rig` resolves inheritance: the helper nodes of ufbx would take a node's own scale from it.
        inherit_mode_handling: InheritModeHandling::Preserve,
        space_conversion: SpaceConversion::ModifyGeometry,
        target_axes: CoordinateAxes {
            right: CoordinateAxis::PositiveX,
            up: CoordinateAxis::PositiveY,
            front: CoordinateAxis::PositiveZ,
        },
        // Left-handed scenes are mirrored. In the space of a camera or a light, Z is the axis that keeps its direction and its
        // up vector; without an axis here, ufbx turns the scene upside down.
        handedness_conversion_axis: MirrorAxis::Z,
        target_unit_meters: 1.0,
        file_format: FileFormat::Fbx,
        ..LoadOpts::default()
    };
    match guarded(|| ufbx::load_memory(bytes, options).map_err(Box::new)) {
        Ok(Ok(scene)) => {
            let used = scene.metadata.result_memory_used;
            budget.holds(used, 1).map_err(|over| ImportError::over_budget("FBX scene", over))?;
            Ok(scene)
        }
        Ok(Err(error)) => Err(fault(&error)),
        Err(_) => Err(ImportError::container("the FBX file can't be read: its data is damaged")),
    }
}

/// Describes an error of ufbx.
pub(super) fn fault(error: &ufbx::Error) -> ImportError {
    let what = match error.type_ {
        ErrorType::Cancelled => return ImportError::Cancelled,
        ErrorType::UnsupportedVersion => {
            let what = format!("FBX version {} is not supported, 3000 to 7700 are", error.info());
            return ImportError::unsupported("", what);
        }
        ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            "the FBX file claims more data than fits in memory".to_owned()
        }
        ErrorType::NodeDepthLimit => format!("its nodes are nested more than {DEPTH} deep"),
        ErrorType::TruncatedFile => "the FBX file is cut short; copy or export it again".to_owned(),
        ErrorType::Unknown => {
            "the FBX file can't be read: its data is damaged or cut short; export it again"
                .to_owned()
        }
        ErrorType::EmptyFile => "the file is empty (0 bytes)".to_owned(),
        _ => {
            let detail = match error.info() {
                "" => String::new(),
                info => format!(" ({info})"),
            };
            let said = error.description.to_lowercase();
            format!("the FBX file can't be read: {said}{detail}; export it again")
        }
    };
    ImportError::container(what)
}

/// Returns a number in 32 bits; 0 for one that is not finite there, and counts it.
pub(super) fn finite(number: f64, odd: &mut usize) -> f32 {
    let narrow = number as f32;
    if narrow.is_finite() {
        return narrow;
    }
    *odd += 1;
    0.0
}

/// Returns a vector in 32 bits.
pub(super) fn vector(v: ufbx::Vec3, odd: &mut usize) -> [f32; 3] {
    [v.x, v.y, v.z].map(|x| finite(x, odd))
}

/// Returns a matrix column by column.
pub(super) fn columns(m: &Matrix, odd: &mut usize) -> [f32; 16] {
    let all = [
        m.m00, m.m10, m.m20, 0.0, m.m01, m.m11, m.m21, 0.0, m.m02, m.m12, m.m22, 0.0, m.m03, m.m13,
        m.m23, 1.0,
    ];
    all.map(|x| finite(x, odd))
}
