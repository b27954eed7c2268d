// The environment light. Directions are unit vectors in world space. A uniform environment has one white texel, and
// only the first of the harmonics.

@group(0) @binding(2) var environment_texture: texture_cube<f32>;
@group(0) @binding(3) var environment_sampler: sampler;

// Rotates a direction into the environment's own axes.
fn turned(direction: vec3<f32>) -> vec3<f32> {
    let turn = frame.environment_turn;
    return vec3(
        turn.x * direction.x - turn.y * direction.z,
        direction.y,
        turn.y * direction.x + turn.x * direction.z,
    );
}

// Irradiance over pi for a normal; times the albedo it is the radiance of a diffuse surface.
fn environment_diffuse(normal: vec3<f32>) -> vec3<f32> {
    let n = turned(normal);
    let c = frame.irradiance;
    let sum = c[0].rgb + c[1].rgb * n.y + c[2].rgb * n.z + c[3].rgb * n.x
        + c[4].rgb * (n.x * n.y) + c[5].rgb * (n.y * n.z) + c[6].rgb * (3.0 * n.z * n.z - 1.0)
        + c[7].rgb * (n.x * n.z) + c[8].rgb * (n.x * n.x - n.y * n.y);
    return frame.environment_factor * max(sum, vec3(0.0));
}

// Radiance from a direction at a mip level.
fn environment_level(direction: vec3<f32>, level: f32) -> vec3<f32> {
    let texel = textureSampleLevel(environment_texture, environment_sampler, turned(direction), level);
    return frame.environment_factor * texel.rgb;
}

// Radiance from a direction, filtered by a GGX lobe of this perceptual roughness; 0 is a mirror.
fn environment_specular(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    // Alpha is 1 at the last level and halves with each level before it; the first level is unfiltered.
    let last = frame.environment_last_level;
    let alpha = max(roughness * roughness, 1e-6);
    let first = exp2(1.0 - last);
    let level = select(1.0 + log2(alpha / first), sqrt(alpha / first), alpha < first);
    return environment_level(direction, min(level, last));
}
