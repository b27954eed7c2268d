// The shape of a model without its shading: what stops the key light, and what the camera sees. This is that of surfaces
// that are drawn whole; they need nothing but the place of a vertex, and software adapters would compile the rest too.

struct ShapeOut {
    @builtin(position) position: vec4<f32>,
    // Position relative to the eye.
    @location(0) from_eye: vec3<f32>,
}

fn for_shape(world_from_mesh: mat4x4<f32>, v: VertexIn, influences: f32) -> ShapeOut {
    let at = posed(world_from_mesh, local(v)).position;
    return ShapeOut(on_screen(at, vec3(0.0)), at - frame.eye);
}

// The distance ahead of the camera, and the geometric normal towards it.
fn shape(from_eye: vec3<f32>) -> vec4<f32> {
    let at = vec3(
        dot(from_eye, normalize(frame.right)),
        dot(from_eye, normalize(frame.up)),
        dot(from_eye, frame.backward),
    );
    let normal = triangle_normal(at);
    let view = select(vec3(0.0, 0.0, 1.0), -at, frame.perspective > 0.5);
    let n = select(vec3(0.0, 0.0, 1.0), normal, any(normal != vec3(0.0)));
    return packed_shape(-at.z, n * select(-1.0, 1.0, dot(n, view) >= 0.0));
}

@fragment
fn fs_shape(in: ShapeOut) -> @location(0) vec4<f32> {
    return shape(in.from_eye);
}
