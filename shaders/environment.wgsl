// Light from all around. Directions are of unit length, in world space.

// Irradiance over pi on a surface with this normal: times the albedo it is what the surface gives back.
fn environment_diffuse(normal: vec3<f32>) -> vec3<f32> {
    return mix(frame.ground.rgb, frame.sky.rgb, 0.5 + 0.5 * normal.y);
}

// Radiance from a direction, as a lobe of this perceptual roughness gathers it: 0 is a mirror.
fn environment_specular(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    return mix(frame.ground.rgb, frame.sky.rgb, 0.5 + 0.5 * direction.y);
}
