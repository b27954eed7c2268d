// A tent filter four texels wide, which draws a texture at half or twice its size without blocks. Each texel is an
// average, so that no light is added or lost.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var source_sampler: sampler;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_tent(@builtin(vertex_index) i: u32) -> Corner {
    let uv = vec2(select(0.0, 2.0, i == 1u), select(0.0, 2.0, i == 2u));
    return Corner(vec4(2.0 * uv.x - 1.0, 1.0 - 2.0 * uv.y, 0.0, 1.0), uv);
}

@fragment
fn fs_tent(in: Corner) -> @location(0) vec4<f32> {
    let texel = 1.0 / vec2<f32>(textureDimensions(source));
    var sum = vec4(0.0);
    for (var i = 0u; i < 4u; i++) {
        let side = vec2(select(-0.75, 0.75, (i & 1u) == 1u), select(-0.75, 0.75, (i & 2u) == 2u));
        sum += textureSampleLevel(source, source_sampler, in.uv + side * texel, 0.0);
    }
    return 0.25 * sum;
}
