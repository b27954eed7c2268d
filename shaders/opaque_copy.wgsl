// The copy of the opaque picture that transmissive surfaces show: the picture over the background, and
// its mip levels.

struct Background {
    // Linear, straight alpha.
    color: vec4<f32>,
    // Factor of the scene's light before tone mapping.
    exposure: f32,
}

@group(1) @binding(0) var<uniform> background: Background;

struct CopyOut {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat, either) light: vec3<f32>,
}

// Inverts the tone map: returns the light that it maps to a colour. All tone maps are monotonic, so
// correcting by half the error in stops converges.
fn light_of(color: vec3<f32>) -> vec3<f32> {
    var light = max(color, vec3(1e-5));
    for (var i = 0; i < 24; i++) {
        light *= sqrt(max(color, vec3(1e-5)) / max(tone_mapped(light), vec3(1e-5)));
    }
    return light;
}

@vertex
fn vs_copy(@builtin(vertex_index) i: u32) -> CopyOut {
    let at = vec2(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u));
    return CopyOut(vec4(at, 0.0, 1.0), light_of(background.color.rgb) / background.exposure);
}

@fragment
fn fs_copy(in: CopyOut) -> @location(0) vec4<f32> {
    let texel = textureLoad(source, vec2<u32>(in.position.xy), 0);
    let behind = background.color.a * (1.0 - clamp(texel.a, 0.0, 1.0));
    return texel + vec4(in.light * behind, behind);
}
