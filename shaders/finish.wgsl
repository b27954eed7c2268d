// The last pass: converts the scene's linear, premultiplied colour to the picture. Tone-maps, encodes,
// blends over the background, and blends the overlay on top. Data passes are not tone-mapped.

struct Finish {
    // sRGB from 0 to 1 with straight alpha, reproduced exactly where nothing is drawn.
    background: vec4<f32>,
    // Left and top of the picture on the target, in pixels.
    corner: vec2<u32>,
    // Factor of the scene's light.
    exposure: f32,
    // Added to the noise of each pixel.
    noise: u32,
    // Middle of the whole picture, in pixels from the corner.
    middle: vec2<f32>,
    // One over its squared distance from the picture's corners.
    per_reach: f32,
    // Darkening in the corners.
    vignette: f32,
}

// Meaning of the scene's texels. These are constants instead of uniforms, because Mesa's lavapipe
// recompiles a shader in every frame if inlining the uniforms of its branches makes it much shorter, and
// never frees the result.
const LIGHT = 0u;
const DATA = 1u;
// A single value, in red.
const GREY = 2u;
// Numbers of layers in red, over what else is grey.
const LAYERS = 3u;
override content: u32 = LIGHT;
// Binary logarithm of the number of layers at the scale's end.
const MOST_LAYERS = 5.0;
// Whether writing to the target's format encodes sRGB.
override target_encodes: bool = false;
// Whether the target stores bytes.
override stores_bytes: bool = false;

// Whether light above white is spread around it.
override blooms: bool = false;
// Whether the picture darkens towards its corners.
override vignetted: bool = false;
// Whether noise hides the steps between bytes.
override dithers: bool = false;

@group(0) @binding(0) var<uniform> finish: Finish;
// Premultiplied and encoded; a single transparent texel if there is no overlay.
@group(0) @binding(2) var overlay: texture_2d<f32>;

// The light above white, spread; half as large as the picture.
@group(1) @binding(0) var glow: texture_2d<f32>;
@group(1) @binding(1) var glow_sampler: sampler;

// Share of the light above white that is spread, and the most that counts.
const BLOOM = 0.25;
const MOST = 16.0;

@vertex
fn vs_finish(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

// Returns the light above white of a premultiplied texel. Very strong light keeps its hue.
fn excess(texel: vec4<f32>) -> vec3<f32> {
    let light = finish.exposure * texel.rgb;
    // A texel can be infinite.
    let above = clamp(light - clamp(texel.a, 0.0, 1.0), vec3(0.0), vec3(65504.0));
    return above * (MOST / max(max(above.r, above.g), max(above.b, MOST)));
}

// The light above white at half the picture's size.
@fragment
fn fs_excess(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let first = 2u * vec2<u32>(at.xy);
    let last = textureDimensions(scene) - 1u;
    var sum = vec3(0.0);
    for (var i = 0u; i < 4u; i++) {
        sum += excess(scene_texel(min(first + vec2(i & 1u, i >> 1u), last)));
    }
    return vec4(0.25 * sum, 1.0);
}

// The light above white that is spread onto a pixel.
fn spread_onto(pixel: vec2<u32>) -> vec3<f32> {
    let uv = (vec2<f32>(pixel) + 0.5) / (2.0 * vec2<f32>(textureDimensions(glow)));
    return BLOOM * textureSampleLevel(glow, glow_sampler, uv, 0.0).rgb;
}

// Noise of a pixel from -1/2 to 1/2, evenly spread over neighbours (Roberts, "The Unreasonable Effectiveness of
// Quasirandom Sequences", 2018): multiples of the plastic number's powers, in integers, which are the same on every
// adapter. The components differ, so that no step shows in all of them at once.
fn noise(pixel: vec2<u32>) -> vec3<f32> {
    let first = pixel.x * 3242174889u + pixel.y * 2447445414u + finish.noise;
    let all = vec3(first, first + 1431655765u, first + 2863311530u);
    return (vec3<f32>(all >> vec3(8u)) + 0.5) / 16777216.0 - 0.5;
}

@fragment
fn fs_finish(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<u32>(at.xy) - finish.corner;
    var texel = scene_texel(pixel);
    // The light of a lamp that is spread onto its surroundings lies over them without covering them.
    var glowing = vec3(0.0);
    if blooms {
        let spread = spread_onto(pixel);
        let covered = clamp(texel.a, 0.0, 1.0);
        texel = vec4(texel.rgb + (covered * spread - BLOOM * excess(texel)) / finish.exposure, texel.a);
        glowing = (1.0 - covered) * spread;
    }
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
            var data = select(texel.rgb, texel.rrr, content == GREY);
            let layers = texel.r - texel.g;
            if content == LAYERS && layers > 0.5 {
                data = heat_color(log2(layers) / MOST_LAYERS);
            }
            encoded = (data + finish.background.rgb * behind) / alpha;
        }
    }
    if vignetted {
        let away = vec2<f32>(pixel) + 0.5 - finish.middle;
        let squared = finish.per_reach * dot(away, away);
        encoded *= 1.0 - finish.vignette * squared * squared;
    }
    if blooms {
        // The brightest component is opaque, so that neither a bright background nor alpha darkens the light.
        let glow = srgb_from_linear(glowing);
        let peak = max(glow.r, max(glow.g, glow.b));
        let under = alpha * (1.0 - peak);
        encoded = select(encoded, (glow + encoded * under) / (peak + under), peak > 0.0);
        alpha = peak + under;
    }
    if dithers {
        // Less than half a step, which leaves exact bytes and an alpha of 0 as they are.
        let step = 0.99 / 255.0 * noise(pixel);
        encoded += step;
        alpha += step.x;
    }
    if over.a > 0.0 {
        let under = alpha * (1.0 - over.a);
        encoded = (over.rgb + encoded * under) / (over.a + under);
        alpha = over.a + under;
    }
    var stored = vec4(encoded, alpha);
    if stores_bytes {
        stored = nearest_byte(stored);
    }
    if target_encodes {
        stored = vec4(linear_from_srgb(stored.rgb), stored.a);
    }
    return stored;
}
