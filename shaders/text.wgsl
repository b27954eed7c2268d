// Joint names on the overlay, one instance per glyph, aligned to whole pixels, and the lines from names to
// their joints.

struct GlyphIn {
    // Left, top, width and height in pixels of the picture; for a line, its ends.
    @location(0) rect: vec4<f32>,
    // Left and top in texels of the atlas; for a line, -1 and half its width.
    @location(1) cell: vec2<f32>,
}

struct GlyphOut {
    @builtin(position) position: vec4<f32>,
    // Position in the atlas; for a line, in the picture.
    @location(0) texel: vec2<f32>,
    // Ends and half the width of a line; the width is 0 for a glyph.
    @location(1) @interpolate(flat, either) ends: vec4<f32>,
    @location(2) @interpolate(flat, either) width: f32,
}

// Red: coverage of the glyph; green: coverage of the glyph with a rim.
@group(1) @binding(0) var atlas: texture_2d<f32>;

@vertex
fn vs_glyph(@builtin(vertex_index) i: u32, glyph: GlyphIn) -> GlyphOut {
    let corner = vec2(select(0.0, 1.0, (i & 1u) == 1u), select(0.0, 1.0, (i & 2u) == 2u));
    var at = glyph.rect.xy + corner * glyph.rect.zw;
    var out: GlyphOut;
    out.texel = glyph.cell + corner * glyph.rect.zw;
    if glyph.cell.x < 0.0 {
        let along = glyph.rect.zw - glyph.rect.xy;
        let x = along / max(length(along), 1e-3);
        let reach = glyph.cell.y + 2.0;
        let end = mix(glyph.rect.xy - reach * x, glyph.rect.zw + reach * x, corner.x);
        at = end + (2.0 * corner.y - 1.0) * reach * vec2(-x.y, x.x);
        out.texel = at;
        out.width = glyph.cell.y;
    }
    out.ends = glyph.rect;
    let ndc = 2.0 * at / frame.picture_size - 1.0;
    out.position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
    return out;
}

@fragment
fn fs_glyph(in: GlyphOut) -> @location(0) vec4<f32> {
    if in.width > 0.0 {
        let along = in.ends.zw - in.ends.xy;
        let t = clamp(dot(in.texel - in.ends.xy, along) / max(dot(along, along), 1e-6), 0.0, 1.0);
        let off = length(in.texel - in.ends.xy - t * along) - in.width;
        let inside = 0.75 * clamp(0.5 - off, 0.0, 1.0);
        let alpha = max(inside, 0.8 * clamp(1.5 - off, 0.0, 1.0));
        return vec4(vec3(0.96, 0.97, 1.0) * inside + vec3(0.06) * (alpha - inside), alpha);
    }
    let texel = textureLoad(atlas, vec2<i32>(floor(in.texel)), 0);
    // The rim is opaque, so that letters show on white too.
    let alpha = max(texel.r, texel.g);
    return vec4(vec3(0.96, 0.97, 1.0) * texel.r + vec3(0.06) * (alpha - texel.r), alpha);
}
