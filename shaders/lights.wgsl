// Light from single directions and places.

struct LightSample {
    // From the surface to the light, unit length.
    towards: vec3<f32>,
    // What arrives on a surface that faces it, with attenuation, cone and shadow: what is given back
    // is the BRDF times this times the cosine.
    radiance: vec3<f32>,
}

fn light_count() -> u32 {
    return u32(frame.sky.w);
}

// What a light gives to a point, which is said relative to the eye.
fn light_sample(index: u32, from_eye: vec3<f32>) -> LightSample {
    let light = frame.lights[index];
    return LightSample(light.direction.xyz, light.radiance.rgb);
}
