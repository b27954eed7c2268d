// Writes posed vertices to texels, to be read back.

struct VertexOut {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat, either) posed: vec4<f32>,
}

// Positions a vertex at its own texel, in a picture whose size is in `picture_size`.
fn vertex_out(world_from_mesh: mat4x4<f32>, v: VertexIn, influences: f32) -> VertexOut {
    let size = vec2<u32>(frame.picture_size);
    let texel = vec2<f32>(vec2(v.index % size.x, v.index / size.x)) + 0.5;
    let ndc = 2.0 * texel / vec2<f32>(size) - 1.0;
    return VertexOut(vec4(ndc.x, -ndc.y, 0.5, 1.0), vec4(posed(world_from_mesh, local(v)).position, 1.0));
}

@fragment
fn fs_probe(in: VertexOut) -> @location(0) vec4<f32> {
    return in.posed;
}
