// The shape of a model without its shading: what stops the key light, and what the camera sees.

// Thresholds of an ordered dither in sixteenths. The filter of the shadow averages them.
fn dither(texel: vec2<u32>) -> f32 {
    let fine = ((texel.x ^ texel.y) & 1u) * 2u + (texel.y & 1u);
    let coarse = (((texel.x ^ texel.y) >> 1u) & 1u) * 2u + ((texel.y >> 1u) & 1u);
    return (f32(4u * fine + coarse) + 0.5) / 16.0;
}

fn alpha_of(in: VertexOut) -> f32 {
    return material.base_color.a * in.color.a * base_color_texel(in.uv).a;
}

// A surface that stops only part of the key light: cut by an alpha mask, blended, transmissive, or drawn from
// one side only.
@fragment
fn fs_caster(in: VertexOut, @builtin(front_facing) facing: bool) {
    let front = facing != (in.mirrored == 1u);
    let alpha = alpha_of(in);
    var coverage = mix(alpha, 1.0, material.opaque);
#if TRANSMISSION
    coverage *= 1.0 - material.anisotropy.w * transmission_texel(in.uv).r;
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

// The distance ahead of the camera, and the geometric normal towards it.
fn shape(in: VertexOut) -> vec4<f32> {
    let at = vec3(
        dot(in.from_eye, normalize(frame.right.xyz)),
        dot(in.from_eye, normalize(frame.up.xyz)),
        dot(in.from_eye, frame.backward.xyz),
    );
    let across = cross(dpdx(at), dpdy(at));
    let size = length(across);
    let view = select(vec3(0.0, 0.0, 1.0), -at, frame.eye.w > 0.5);
    let n = select(vec3(0.0, 0.0, 1.0), across / size, size > 0.0);
    return packed_shape(-at.z, n * select(-1.0, 1.0, dot(n, view) >= 0.0));
}

@fragment
fn fs_shape(in: VertexOut) -> @location(0) vec4<f32> {
    return shape(in);
}

@fragment
fn fs_cut_shape(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let out = shape(in);
    if !is_shown(facing != (in.mirrored == 1u), alpha_of(in)) {
        discard;
    }
    return out;
}
