// Joints and bones as lit solids in the scene: octahedra, and balls of triangles.

struct SolidIn {
    // Ends in world space; equal for a ball.
    @location(0) head: vec3<f32>,
    @location(1) tail: vec3<f32>,
    // Unit vector at a right angle to the bone, which turns with the joint.
    @location(2) side: vec3<f32>,
    @location(3) color: vec4<f32>,
    // Of the ball, or of the octahedron where it is widest.
    @location(4) radius: f32,
}

struct SolidOut {
    @builtin(position) position: vec4<f32>,
    // Position relative to the eye.
    @location(0) from_eye: vec3<f32>,
    // Zero for an octahedron, whose faces are flat.
    @location(1) normal: vec3<f32>,
    @location(2) @interpolate(flat, either) color: vec3<f32>,
}

// Share of an octahedron's length at which it is widest.
const WAIST = 0.14;
// Segments of a ball around its axis, and from pole to pole.
const AROUND = 12u;
const DOWN = 8u;
const PI = 3.14159265;

fn solid(at: vec3<f32>, normal: vec3<f32>, color: vec3<f32>) -> SolidOut {
    return SolidOut(frame.projection_from_world * vec4(at, 1.0), at - frame.eye, normal, color);
}

// 24 vertices: four triangles at the head, four at the tail.
@vertex
fn vs_octahedron(@builtin(vertex_index) i: u32, in: SolidIn) -> SolidOut {
    let face = i / 3u;
    let corner = i % 3u;
    let along = in.tail - in.head;
    let across = cross(normalize(along), in.side);
    let quarter = 0.5 * PI * f32((face + select(0u, 1u, corner == 2u)) % 4u);
    let waist = in.head + WAIST * along + in.radius * (cos(quarter) * in.side + sin(quarter) * across);
    let apex = select(in.head, in.tail, face >= 4u);
    return solid(select(waist, apex, corner == 0u), vec3(0.0), in.color.rgb);
}

// 576 vertices: two triangles per segment.
@vertex
fn vs_ball(@builtin(vertex_index) i: u32, in: SolidIn) -> SolidOut {
    // The hexadecimal digits are corners 0, 1, 2 and 2, 1, 3.
    let corner = (0x312210u >> (4u * (i % 6u))) & 3u;
    let segment = i / 6u;
    let turn = 2.0 * PI * f32((segment % AROUND + (corner & 1u)) % AROUND) / f32(AROUND);
    let tilt = PI * f32(segment / AROUND + (corner >> 1u)) / f32(DOWN);
    let normal = vec3(sin(tilt) * cos(turn), cos(tilt), sin(tilt) * sin(turn));
    return solid(in.head + in.radius * normal, normal, in.color.rgb);
}

// Lit from above the camera, whatever the light of the picture is. Colours are encoded.
@fragment
fn fs_solid(in: SolidOut) -> @location(0) vec4<f32> {
    let face = triangle_normal(in.from_eye);
    let is_flat = all(in.normal == vec3(0.0));
    let towards = towards_camera(in.from_eye);
    var normal = normalize(select(in.normal, face, is_flat));
    normal *= select(-1.0, 1.0, dot(normal, towards) >= 0.0);
    let light = normalize(frame.backward + 0.8 * normalize(frame.up) + 0.35 * normalize(frame.right));
    let shade = 0.42 + 0.58 * max(dot(normal, light), 0.0);
    return vec4(in.color * shade, 1.0);
}
