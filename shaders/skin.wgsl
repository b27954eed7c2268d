// Morphing and skinning of vertices.

// The joint matrices of one draw; in a crowd, those of several characters, one per instance.
struct Palette {
    // Joints per character: the distance from the matrices of one instance to those of the next.
    joints: u32,
    // From mesh to world space. The adapter can bind BOUND_JOINTS of them, which `shader` declares.
    matrices: array<mat4x4<f32>, BOUND_JOINTS>,
}

@group(2) @binding(0) var<uniform> palette: Palette;

const MORPHS_POSITIONS = 1u;
const MORPHS_NORMALS = 2u;
const MORPHS_TANGENTS = 4u;
const MORPHS_UVS = 8u;
const MORPHS_COLORS = 16u;

struct Morph {
    // Number of active targets.
    count: u32,
    // Vertices of the primitive.
    vertices: u32,
    // Texels per row of `deltas`.
    width: u32,
    // Attributes with deltas, as flags; each target has a block of deltas per flag, in this order.
    kinds: u32,
    // Two targets per vector: the first block and bits of the weight.
    targets: array<vec4<u32>, 1023>,
}

@group(2) @binding(1) var<uniform> morph: Morph;
// Ordered by target, then block, then vertex.
@group(2) @binding(2) var deltas: texture_2d<f32>;

struct Local {
    position: vec3<f32>,
    // Zero where the file has none.
    normal: vec3<f32>,
    tangent: vec3<f32>,
    uv: vec4<f32>,
    color: vec4<f32>,
}

struct Posed {
    position: vec3<f32>,
    normal: vec3<f32>,
    // 1 if the matrix reverses the winding.
    mirrored: u32,
#if VOLUME
    // Mean scale from mesh to world space.
    scale: f32,
#end
}

fn delta(block: u32, vertex: u32) -> vec4<f32> {
    let texel = block * morph.vertices + vertex;
    return textureLoad(deltas, vec2(texel % morph.width, texel / morph.width), 0);
}

// Returns a number below 4096 as one that compilers do not know. Mesa's lavapipe compiles a shader again at each draw with
// the uniforms of its branches, if it becomes much shorter without morph targets.
fn hidden(number: u32) -> u32 {
    return min(number, 4096u * textureDimensions(deltas).x);
}

// Adds the weighted deltas of the active targets.
fn morphed(base: Local, vertex: u32) -> Local {
    var out = base;
    let count = hidden(morph.count);
    let kinds = hidden(morph.kinds);
    for (var i = 0u; i < count; i++) {
        let pair = morph.targets[i / 2u];
        let entry = select(pair.xy, pair.zw, (i & 1u) == 1u);
        let weight = bitcast<f32>(entry.y);
        var block = entry.x;
        if (kinds & MORPHS_POSITIONS) != 0u {
            out.position += weight * delta(block, vertex).xyz;
            block++;
        }
        if (kinds & MORPHS_NORMALS) != 0u {
            if any(base.normal != vec3(0.0)) {
                out.normal += weight * delta(block, vertex).xyz;
            }
            block++;
        }
        if (kinds & MORPHS_TANGENTS) != 0u {
            out.tangent += weight * delta(block, vertex).xyz;
            block++;
        }
        if (kinds & MORPHS_UVS) != 0u {
            out.uv += weight * delta(block, vertex);
            block++;
        }
        if (kinds & MORPHS_COLORS) != 0u {
            out.color += weight * delta(block, vertex);
        }
    }
    out.color = clamp(out.color, vec4(0.0), vec4(1.0));
    return out;
}

// Weighted sum of four joint matrices.
fn blended(instance: u32, local_joints: vec4<u32>, weights: vec4<f32>) -> mat4x4<f32> {
    var joints = local_joints + instance * palette.joints;
    var left = weights;
    var sum = mat4x4<f32>();
    // The number is one that compilers do not know. Unrolled, the loop takes software adapters longer to compile than
    // some pictures to draw.
    let count = min(4, 1024 * i32(textureDimensions(deltas).x));
    for (var i = 0; i < count; i++) {
        sum += left.x * palette.matrices[joints.x];
        joints = joints.yzwx;
        left = left.yzwx;
    }
    return sum;
}

// Transforms a vertex to world space. Normals are transformed by the cofactor matrix, which is correct under
// non-uniform scale and needs no inverse. Its sign is that of the determinant, so it is flipped for mirrors.
fn posed(world_from_mesh: mat4x4<f32>, local: Local) -> Posed {
    let x = world_from_mesh[0].xyz;
    let y = world_from_mesh[1].xyz;
    let z = world_from_mesh[2].xyz;
    let cofactors = mat3x3(cross(y, z), cross(z, x), cross(x, y));
    let mirrored = dot(x, cofactors[0]) < 0.0;
    let normal = cofactors * local.normal;
    let size = length(normal);
    var out: Posed;
    out.position = (world_from_mesh * vec4(local.position, 1.0)).xyz;
    out.normal = select(vec3(0.0), normal / size, size > 0.0) * select(1.0, -1.0, mirrored);
    out.mirrored = u32(mirrored);
#if VOLUME
    out.scale = pow(abs(dot(x, cofactors[0])), 1.0 / 3.0);
#end
    return out;
}
