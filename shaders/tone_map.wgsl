// Tone maps: from linear light to linear displayable colours.

// The tone map, as an index into ToneMap::ALL.
override tone_map: u32 = 0u;

// Khronos PBR Neutral: keeps colours below 0.8, apart from the 4 % that every dielectric reflects, and
// compresses brighter ones towards white.
fn neutral(input: vec3<f32>) -> vec3<f32> {
    let start = 0.8 - 0.04;
    let least = min(input.r, min(input.g, input.b));
    let offset = select(0.04, least - 6.25 * least * least, least < 0.08);
    let color = input - offset;
    let peak = max(color.r, max(color.g, color.b));
    if peak < start {
        return color;
    }
    let d = 1.0 - start;
    let new_peak = 1.0 - d * d / (peak + d - start);
    let g = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
    return mix(color * new_peak / peak, vec3(new_peak), g);
}

// ACES' reference rendering and sRGB output transforms, fitted by Stephen Hill.
fn aces(input: vec3<f32>) -> vec3<f32> {
    let in_rrt = mat3x3(
        vec3(0.59719, 0.07600, 0.02840),
        vec3(0.35458, 0.90834, 0.13383),
        vec3(0.04823, 0.01566, 0.83777),
    );
    let out_srgb = mat3x3(
        vec3(1.60475, -0.10208, -0.00327),
        vec3(-0.53108, 1.10813, -0.07276),
        vec3(-0.07367, -0.00605, 1.07602),
    );
    let v = in_rrt * input;
    let curve = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
    return out_srgb * curve;
}

// Troy Sobotka's AgX with its default look; the curve is Benjamin Wrensch's polynomial fit.
fn agx(input: vec3<f32>) -> vec3<f32> {
    let inset = mat3x3(
        vec3(0.842479062253094, 0.0423282422610123, 0.0423756549057051),
        vec3(0.0784335999999992, 0.878468636469772, 0.0784336),
        vec3(0.0792237451477643, 0.0791661274605434, 0.879142973793104),
    );
    let outset = mat3x3(
        vec3(1.19687900512017, -0.0528968517574562, -0.0529716355144438),
        vec3(-0.0980208811401368, 1.15190312990417, -0.0980434501171241),
        vec3(-0.0990297440797205, -0.0989611768448433, 1.15107367264116),
    );
    let least = -12.47393;
    let most = 4.026069;
    let stops = clamp(log2(max(inset * input, vec3(1e-10))), vec3(least), vec3(most));
    let x = (stops - least) / (most - least);
    let x2 = x * x;
    let x4 = x2 * x2;
    let curve = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2
        + 0.1191 * x - 0.00232;
    return pow(max(outset * curve, vec3(0.0)), vec3(2.2));
}

fn tone_mapped(color: vec3<f32>) -> vec3<f32> {
    switch tone_map {
        case 0u: { return neutral(color); }
        case 1u: { return aces(color); }
        case 2u: { return agx(color); }
        default: { return color; }
    }
}
