// A picture that was drawn smaller than it is shown.

@group(0) @binding(0) var drawing: texture_2d<f32>;
@group(0) @binding(1) var drawing_sampler: sampler;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_enlarge(@builtin(vertex_index) i: u32) -> Corner {
    let uv = vec2(select(0.0, 2.0, i == 1u), select(0.0, 2.0, i == 2u));
    return Corner(vec4(2.0 * uv.x - 1.0, 1.0 - 2.0 * uv.y, 0.0, 1.0), uv);
}

@fragment
fn fs_enlarge(in: Corner) -> @location(0) vec4<f32> {
    return textureSampleLevel(drawing, drawing_sampler, in.uv, 0.0);
}
