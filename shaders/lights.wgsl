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

// How much of the key light comes through to a point of the model: 1 is all. What shades itself is
// near, so its edge is as soft as the map's texels ask for and no wider.
fn key_light_share(from_eye: vec3<f32>) -> f32 {
    let at = (frame.shadow_from_eye * vec4(from_eye, 1.0)).xyz;
    if any(at.xy < vec2(0.0)) || any(at.xy > vec2(1.0)) || at.z > 1.0 {
        return 1.0;
    }
    let soft = 1.5 / frame.shadow.x;
    let z = at.z - 2.0 * frame.shadow.z;
    var open = 0.0;
    for (var i = 0; i < 4; i++) {
        let uv = at.xy + soft * TURNED_SQUARE[i];
        open += textureSampleCompareLevel(shadow_texture, shadow_sampler, uv, z);
    }
    return open / 4.0;
}

const TURNED_SQUARE = array<vec2<f32>, 4>(
    vec2(0.375, 0.875), vec2(-0.875, 0.375), vec2(-0.375, -0.875), vec2(0.875, -0.375),
);
