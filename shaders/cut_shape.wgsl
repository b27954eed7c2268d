// The shape of surfaces of which fragments are left out: by an alpha mask, because they are drawn from one side only, or
// because they stop only part of the key light.

struct VertexOut {
    @builtin(position) position: vec4<f32>,
    // Position relative to the eye.
    @location(0) from_eye: vec3<f32>,
    @location(1) uv: vec4<f32>,
    @location(2) alpha: f32,
    @location(3) @interpolate(flat, either) mirrored: u32,
}

fn vertex_out(world_from_mesh: mat4x4<f32>, v: VertexIn, influences: f32) -> VertexOut {
    let local = local(v);
    let p = posed(world_from_mesh, local);
    let position = on_screen(p.position, vec3(0.0));
    return VertexOut(position, p.position - frame.eye, local.uv, local.color.a, p.mirrored);
}

// Thresholds of an ordered dither in sixteenths. The filter of the shadow averages them.
fn dither(texel: vec2<u32>) -> f32 {
    let fine = ((texel.x ^ texel.y) & 1u) * 2u + (texel.y & 1u);
    let coarse = (((texel.x ^ texel.y) >> 1u) & 1u) * 2u + ((texel.y >> 1u) & 1u);
    return (f32(4u * fine + coarse) + 0.5) / 16.0;
}

fn alpha_of(in: VertexOut) -> f32 {
    return material.base_color.a * in.alpha * base_color_texel(in.uv).a;
}

// A surface that stops only part of the key light: cut by an alpha mask, blended, transmissive, or drawn from
// one side only.
@fragment
fn fs_caster(in: VertexOut, @builtin(front_facing) facing: bool) {
    let front = facing != (in.mirrored == 1u);
    let alpha = alpha_of(in);
    var coverage = mix(alpha, 1.0, material.opaque);
#if TRANSMISSION
    coverage *= 1.0 - material.transmission * transmission_texel(in.uv).r;
#end
    // The sides of a body have different patterns, so that two layers stop more light than one.
    let texel = vec2<u32>(in.position.xy) + select(vec2(1u, 2u), vec2(0u), front);
    if !is_shown(front, alpha) || coverage <= dither(texel) {
        discard;
    }
}

// A surface that is not blended, as what hides other things behind it.
@fragment
fn fs_cut_depth(in: VertexOut, @builtin(front_facing) facing: bool) {
    if !is_shown(facing != (in.mirrored == 1u), alpha_of(in)) {
        discard;
    }
}

@fragment
fn fs_cut_shape(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let out = shape(in.from_eye);
    if !is_shown(facing != (in.mirrored == 1u), alpha_of(in)) {
        discard;
    }
    return out;
}
