// Lines as rectangles one pixel wide, because adapters rasterise lines differently, and points as squares. Both
// are two triangles. Each corner reads both ends of its line, or its point, from the primitive's lists.

// Length in pixels from which on the edges of a wireframe are opaque.
const FULL_LENGTH = 10.0;

// Width of a point in pixels.
const POINT = 3.0;

// Sets of four weighted joint IDs per vertex.
override sets: u32 = 1u;

struct StoredVertex {
    position: array<f32, 3>,
    normal: array<f32, 3>,
    tangent: array<f32, 4>,
    uv: array<f32, 4>,
    color: array<u32, 2>,
}

struct StoredInfluence {
    joints: u32,
    weights: array<f32, 4>,
}

@group(2) @binding(3) var<storage, read> vertices: array<StoredVertex>;
// `sets` entries per vertex.
@group(2) @binding(4) var<storage, read> influences: array<StoredInfluence>;
// Two per line.
@group(2) @binding(5) var<storage, read> indices: array<u32>;

struct Corner {
    // Vertices of this end and of the other one.
    here: u32,
    there: u32,
    // Side of the line, as seen from this end: 1 or -1.
    side: f32,
}

// Returns which corner of two triangles a vertex is: the hexadecimal digits are corners 0, 1, 2 and 2, 1, 3.
fn corner_number(index: u32) -> u32 {
    return (0x312210u >> (4u * (index % 6u))) & 3u;
}

fn corner(index: u32) -> Corner {
    // Bit 0 of a corner is the end, bit 1 the side.
    let number = corner_number(index);
    let end = number & 1u;
    let first = index / 6u * 2u;
    let side = select(-1.0, 1.0, (number >> 1u) != end);
    return Corner(indices[first + end], indices[first + 1u - end], side);
}

fn stored(vertex: u32, instance: u32) -> VertexIn {
    let v = vertices[vertex];
    return VertexIn(
        vertex,
        instance,
        vec3(v.position[0], v.position[1], v.position[2]),
        vec3(v.normal[0], v.normal[1], v.normal[2]),
        vec4(v.tangent[0], v.tangent[1], v.tangent[2], v.tangent[3]),
        vec4(v.uv[0], v.uv[1], v.uv[2], v.uv[3]),
        vec4(unpack2x16unorm(v.color[0]), unpack2x16unorm(v.color[1])),
    );
}

fn skinned(vertex: u32, instance: u32) -> VertexOut {
    var matrix = mat4x4<f32>();
    var joints = 0.0;
    for (var k = 0u; k < sets; k++) {
        let i = influences[vertex * sets + k];
        let weights = vec4(i.weights[0], i.weights[1], i.weights[2], i.weights[3]);
        matrix += blended(instance, unpack4xU8(i.joints), weights);
        joints += count(weights);
    }
    return vertex_out(matrix, stored(vertex, instance), joints);
}

fn between(a: VertexOut, b: VertexOut, t: f32) -> VertexOut {
    var out = a;
    out.position = mix(a.position, b.position, t);
    out.from_eye = mix(a.from_eye, b.from_eye, t);
    out.normal = mix(a.normal, b.normal, t);
    out.uv = mix(a.uv, b.uv, t);
    out.color = mix(a.color, b.color, t);
    out.influences = mix(a.influences, b.influences, t);
    out.weights = mix(a.weights, b.weights, t);
#if TANGENTS
    out.tangent = mix(a.tangent, b.tangent, t);
#end
#if VOLUME
    out.scale = mix(a.scale, b.scale, t);
#end
    return out;
}

// Returns an end, clipped to the near plane. Behind the camera, the projected rectangle would be wrong.
fn cut(here: VertexOut, there: VertexOut) -> VertexOut {
    let a = here.position.w - here.position.z;
    let b = there.position.w - there.position.z;
    if a < 0.0 && b > 0.0 {
        return between(here, there, a / (a - b));
    }
    return here;
}

// Returns the end `a`, moved by half a pixel at a right angle to the line.
fn widened(a: VertexOut, b: VertexOut, side: f32) -> VertexOut {
    let here = cut(a, b);
    let there = cut(b, a).position;
    let size = frame.picture_size;
    let along = (there.xy / there.w - here.position.xy / here.position.w) * size;
    let pixels = length(along);
    // A line without length or wholly behind the camera has no width.
    let is_seen = pixels > 0.0 && min(here.position.w, there.w) > 0.0;
    let across = select(vec2(0.0), side * vec2(-along.y, along.x) / pixels, is_seen);
    var out = here;
    out.position += vec4(across / size * here.position.w, 0.0, 0.0);
    if edges_fade {
        // NDC is two units wide.
        out.weights = vec2(clamp(0.5 * pixels / FULL_LENGTH, 0.02, 1.0), 0.0);
    }
    return out;
}

@vertex
fn vs_line_rigid(@builtin(vertex_index) index: u32, i: InstanceIn) -> VertexOut {
    let c = corner(index);
    let matrix = rigid_matrix(i);
    let a = vertex_out(matrix, stored(c.here, 0u), 0.0);
    let b = vertex_out(matrix, stored(c.there, 0u), 0.0);
    return widened(a, b, c.side);
}

@vertex
fn vs_line_skinned(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> VertexOut {
    let c = corner(index);
    return widened(skinned(c.here, instance), skinned(c.there, instance), c.side);
}

// Returns a corner of the square around a point.
fn squared(point: VertexOut, index: u32) -> VertexOut {
    let number = corner_number(index);
    let side = 2.0 * vec2(f32(number & 1u), f32(number >> 1u)) - 1.0;
    var out = point;
    out.position += vec4(POINT * side / frame.picture_size * point.position.w, 0.0, 0.0);
    return out;
}

@vertex
fn vs_point_rigid(@builtin(vertex_index) index: u32, i: InstanceIn) -> VertexOut {
    let point = vertex_out(rigid_matrix(i), stored(indices[index / 6u], 0u), 0.0);
    return squared(point, index);
}

@vertex
fn vs_point_skinned(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> VertexOut {
    return squared(skinned(indices[index / 6u], instance), index);
}
