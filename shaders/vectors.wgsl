// Normals or tangents as lines from the posed vertices. Vertices are posed as those of the picture.

// Whether tangents are drawn instead of normals.
override shows_tangents: bool = false;

struct VectorOut {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat, either) color: vec3<f32>,
}

// Half the width of a line in points.
const HALF_WIDTH = 0.6;

const NORMAL_COLOR = vec3(0.35, 0.80, 1.0);
const TANGENT_COLOR = vec3(1.0, 0.52, 0.22);

// Returns a corner of the rectangle around the vector of a vertex.
fn vector_corner(v: VertexOut, index: u32) -> VectorOut {
    let number = corner_number(index);
    let direction = select(v.normal, v.tangent.xyz, shows_tangents);
    let base = v.from_eye + frame.eye;
    var a = frame.projection_from_world * vec4(base, 1.0);
    var b = frame.projection_from_world * vec4(base + frame.vector_length * direction, 1.0);
    let a_ahead = a.w - a.z;
    let b_ahead = b.w - b.z;
    var out: VectorOut;
    // A vertex without this vector, or one that reaches behind the camera, has no line.
    if all(direction == vec3(0.0)) || min(a.w, b.w) <= 0.0 || min(a_ahead, b_ahead) < 0.0 {
        out.position = vec4(2.0, 2.0, 0.0, 1.0);
        return out;
    }
    let size = frame.picture_size;
    let along = (b.xy / b.w - a.xy / a.w) * size;
    let pixels = length(along);
    let right = select(vec2(1.0, 0.0), vec2(-along.y, along.x) / pixels, pixels > 0.0);
    let side = 2.0 * f32(number >> 1u) - 1.0;
    let end = select(a, b, (number & 1u) == 1u);
    let off = side * 2.0 * HALF_WIDTH * frame.pixels_per_point * right / size;
    out.position = end + vec4(off * end.w, 0.0, 0.0);
    let encoded = select(NORMAL_COLOR, TANGENT_COLOR, shows_tangents);
    let light = frame.white * linear_from_srgb(encoded);
    out.color = select(encoded, light, frame.linear_light > 0.5);
    return out;
}

@vertex
fn vs_vector_rigid(@builtin(vertex_index) index: u32, i: InstanceIn) -> VectorOut {
    return vector_corner(vertex_out(rigid_matrix(i), stored(index / 6u, 0u), 0.0), index);
}

@vertex
fn vs_vector_skinned(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> VectorOut {
    return vector_corner(skinned(index / 6u, instance), index);
}

@fragment
fn fs_vector(in: VectorOut) -> @location(0) vec4<f32> {
    return vec4(in.color, 1.0);
}
