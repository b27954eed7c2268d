// Punctual lights: KHR_lights_punctual, the lights of the command line, and the key light with its shadow.

struct Light {
    // Position relative to the eye; w: 0 for a directional light, which has no position.
    position: vec4<f32>,
    // Unit vector opposite to the direction of the light; w: 1 if the shadow map belongs to it.
    towards: vec4<f32>,
    // In lux for a directional light, in candela for others.
    intensity: vec4<f32>,
    // 1 / range squared, 0 without a range; scale and offset from the cosine to the spot cone.
    falloff: vec4<f32>,
}

struct Lights {
    count: u32,
    // Factor of the light that materials emit.
    emission_factor: f32,
    // The length is render::MAX_LIGHTS.
    list: array<Light, 64>,
}

@group(0) @binding(1) var<uniform> lights: Lights;

struct LightSample {
    // Unit vector from the surface to the light.
    towards: vec3<f32>,
    // Light arriving at a surface that faces the light, with attenuation, cone and shadow. The reflected
    // radiance is the BRDF times this times the cosine.
    radiance: vec3<f32>,
}

fn light_count() -> u32 {
    return lights.count;
}

// Samples a light at a point given relative to the eye. The share is that of the light that casts a shadow.
fn light_sample(index: u32, from_eye: vec3<f32>, unshadowed: f32) -> LightSample {
    let light = lights.list[index];
    let share = select(1.0, unshadowed, light.towards.w > 0.5);
    if light.position.w == 0.0 {
        return LightSample(light.towards.xyz, share * light.intensity.rgb);
    }
    // KHR_lights_punctual, "Range Property" and "Inner and Outer Cone Angles".
    let to_light = light.position.xyz - from_eye;
    let squared = max(dot(to_light, to_light), 1e-12);
    let towards = to_light * inverseSqrt(squared);
    let of_range = squared * light.falloff.x;
    let window = clamp(1.0 - of_range * of_range, 0.0, 1.0);
    let cone = clamp(dot(light.towards.xyz, towards) * light.falloff.y + light.falloff.z, 0.0, 1.0);
    return LightSample(towards, (share * window * cone * cone / squared) * light.intensity.rgb);
}
