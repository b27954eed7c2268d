// Light from single directions and places: KHR_lights_punctual, the command line's lights, and the
// key light with its shadow.

struct Light {
    // Where it is, relative to the eye; w: 0 for a directional light, which is nowhere.
    position: vec4<f32>,
    // Against the way it shines, unit length; w: 1 if the shadow map is of it.
    towards: vec4<f32>,
    // Lux of a directional light, candela of the others.
    intensity: vec4<f32>,
    // 1 over the range's square, 0 without one; factor and term that make the cone of its cosine.
    falloff: vec4<f32>,
}

struct Lights {
    count: vec4<u32>,
    // The limit is render::MAX_LIGHTS.
    list: array<Light, 64>,
}

@group(0) @binding(1) var<uniform> lights: Lights;
@group(0) @binding(4) var shadow_texture: texture_depth_2d;
@group(0) @binding(5) var shadow_sampler: sampler_comparison;

struct LightSample {
    // From the surface to the light, unit length.
    towards: vec3<f32>,
    // What arrives on a surface that faces it, with attenuation, cone and shadow: what is given back
    // is the BRDF times this times the cosine.
    radiance: vec3<f32>,
}

fn light_count() -> u32 {
    return lights.count.x;
}

// What a light gives to a point, which is said relative to the eye.
fn light_sample(index: u32, from_eye: vec3<f32>) -> LightSample {
    let light = lights.list[index];
    if light.position.w == 0.0 {
        var share = 1.0;
        if light.towards.w > 0.5 {
            share = key_light_share(from_eye);
        }
        return LightSample(light.towards.xyz, share * light.intensity.rgb);
    }
    // KHR_lights_punctual, "Range Property" and "Inner and Outer Cone Angles".
    let to_light = light.position.xyz - from_eye;
    let squared = max(dot(to_light, to_light), 1e-12);
    let towards = to_light * inverseSqrt(squared);
    let of_range = squared * light.falloff.x;
    let window = clamp(1.0 - of_range * of_range, 0.0, 1.0);
    let cone = clamp(dot(light.towards.xyz, towards) * light.falloff.y + light.falloff.z, 0.0, 1.0);
    return LightSample(towards, (window * cone * cone / squared) * light.intensity.rgb);
}

// Twelve places of a disc, evenly spread along a spiral.
const DISC = array<vec2<f32>, 12>(
    vec2(0.2041, 0.0), vec2(-0.2607, 0.2388), vec2(0.0399, -0.4547), vec2(0.3286, 0.4286),
    vec2(-0.6030, -0.1067), vec2(0.5714, -0.3633), vec2(-0.1906, 0.7111), vec2(-0.3691, -0.6991),
    vec2(0.7902, 0.2875), vec2(-0.8146, 0.3588), vec2(0.3654, -0.8615), vec2(0.3381, 0.9189),
);

// How much of the key light comes through to a point: 1 is all. The farther what is in the way,
// the softer its edge (Fernando, "Percentage-Closer Soft Shadows", 2005).
fn key_light_share(from_eye: vec3<f32>) -> f32 {
    let at = (frame.shadow_from_eye * vec4(from_eye, 1.0)).xyz;
    if any(at.xy < vec2(0.0)) || any(at.xy > vec2(1.0)) || at.z > 1.0 {
        return 1.0;
    }
    let edge = frame.shadow.x;
    // As far as the widest penumbra reaches.
    let reach = frame.shadow.w;
    var blockers = 0.0;
    var depth = 0.0;
    let top = i32(edge) - 1;
    for (var i = 0; i < 12; i++) {
        let texel = vec2<i32>((at.xy + reach * DISC[i]) * edge);
        let z = textureLoad(shadow_texture, clamp(texel, vec2(0), vec2(top)), 0);
        let before = z < at.z - 2.0 * frame.shadow.z;
        blockers += select(0.0, 1.0, before);
        depth += select(0.0, z, before);
    }
    if blockers == 0.0 {
        return 1.0;
    }
    let gap = at.z - depth / blockers;
    let soft = clamp(gap * frame.shadow.y, 1.5 / edge, reach);
    let bias = frame.shadow.z * (1.0 + 0.5 * soft * edge);
    var open = 0.0;
    for (var i = 0; i < 12; i++) {
        let uv = at.xy + soft * DISC[i];
        open += textureSampleCompareLevel(shadow_texture, shadow_sampler, uv, at.z - bias);
    }
    return open / 12.0;
}
