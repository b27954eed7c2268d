// The shape of surfaces that are drawn whole. It needs only the positions of vertices; software adapters would take longer
// to compile the rest too.

struct VertexOut {
    @builtin(position) position: vec4<f32>,
    // Position relative to the eye.
    @location(0) from_eye: vec3<f32>,
}

fn vertex_out(world_from_mesh: mat4x4<f32>, v: VertexIn, influences: f32) -> VertexOut {
    let at = posed(world_from_mesh, local(v)).position;
    return VertexOut(on_screen(at, vec3(0.0)), at - frame.eye);
}

@fragment
fn fs_shape(in: VertexOut) -> @location(0) vec4<f32> {
    return shape(in.from_eye);
}
