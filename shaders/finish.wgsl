// The last pass: converts the scene's linear, premultiplied colour to the picture. Tone-maps, encodes,
// blends over the background, and blends the overlay on top. Data passes are not tone-mapped.

struct Finish {
    // sRGB from 0 to 1 with straight alpha, reproduced exactly where nothing is drawn.
    background: vec4<f32>,
    // Left and top of the picture on the target, in pixels.
    corner: vec2<u32>,
    // Factor of the scene's light.
    exposure: f32,
    padding: u32,
}

// Meaning of the scene's texels. These are constants instead of uniforms, because Mesa's lavapipe
// recompiles a shader in every frame if inlining the uniforms of its branches makes it much shorter, and
// never frees the result.
const LIGHT = 0u;
const DATA = 1u;
// A single value, in red.
const GREY = 2u;
override content: u32 = LIGHT;
// Whether writing to the target's format encodes sRGB.
override target_encodes: bool = false;

@group(0) @binding(0) var<uniform> finish: Finish;
// Premultiplied and encoded; a single transparent texel if there is no overlay.
@group(0) @binding(2) var overlay: texture_2d<f32>;

@vertex
fn vs_finish(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

@fragment
fn fs_finish(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<u32>(at.xy) - finish.corner;
    let texel = scene_texel(pixel);
    let over = textureLoad(overlay, min(pixel, textureDimensions(overlay) - 1u), 0);
    let covered = clamp(texel.a, 0.0, 1.0);
    let behind = finish.background.a * (1.0 - covered);
    var alpha = covered + behind;
    var encoded = finish.background.rgb;
    if covered > 0.0 {
        if content == LIGHT {
            let light = finish.exposure * max(texel.rgb, vec3(0.0)) / covered;
            // Blend encoded colours, as image viewers do with pictures that have alpha.
            let own = srgb_from_linear(tone_mapped(light));
            encoded = (own * covered + finish.background.rgb * behind) / alpha;
        } else {
            let data = select(texel.rgb, texel.rrr, content == GREY);
            encoded = (data + finish.background.rgb * behind) / alpha;
        }
    }
    if over.a > 0.0 {
        let under = alpha * (1.0 - over.a);
        encoded = (over.rgb + encoded * under) / (over.a + under);
        alpha = over.a + under;
    }
    if target_encodes {
        encoded = linear_from_srgb(encoded);
    }
    return vec4(encoded, alpha);
}
