// Words over the picture, a glyph an instance, on whole pixels.

struct GlyphIn {
    // Left, top, width and height in the picture's pixels.
    @location(0) rect: vec4<f32>,
    // Left and top in the atlas, in texels.
    @location(1) cell: vec2<f32>,
}

struct GlyphOut {
    @builtin(position) position: vec4<f32>,
    @location(0) texel: vec2<f32>,
}

// Red: how much of a texel the glyph covers; green: the same with a rim around it.
@group(1) @binding(0) var atlas: texture_2d<f32>;

@vertex
fn vs_glyph(@builtin(vertex_index) i: u32, glyph: GlyphIn) -> GlyphOut {
    let corner = vec2(select(0.0, 1.0, (i & 1u) == 1u), select(0.0, 1.0, (i & 2u) == 2u));
    let at = 2.0 * (glyph.rect.xy + corner * glyph.rect.zw) / frame.range_and_size.zw - 1.0;
    return GlyphOut(vec4(at.x, -at.y, 0.0, 1.0), glyph.cell + corner * glyph.rect.zw);
}

@fragment
fn fs_glyph(in: GlyphOut) -> @location(0) vec4<f32> {
    let texel = textureLoad(atlas, vec2<i32>(floor(in.texel)), 0);
    let alpha = max(texel.r, 0.8 * texel.g);
    return vec4(vec3(0.96, 0.97, 1.0) * texel.r + vec3(0.06) * (alpha - texel.r), alpha);
}
