// What every pass of a frame shares. World space here is the scene's, less the stage's origin.

struct Light {
    // Towards the light, unit length.
    direction: vec4<f32>,
    // What arrives on a surface that faces it.
    radiance: vec4<f32>,
}

struct Frame {
    projection_from_world: mat4x4<f32>,
    // Where the camera stands; w is 1 for perspective, 0 for orthographic.
    eye: vec4<f32>,
    // The camera's +Z: from what it looks at towards it; w: pixels a point of the overlays.
    backward: vec4<f32>,
    // Near, far, then the picture's width and height in pixels.
    range_and_size: vec4<f32>,
    // Light from above and from below; the same twice is light from everywhere. w: how many lights.
    sky: vec4<f32>,
    // w: how much of the key light is reflected as gloss.
    ground: vec4<f32>,
    lights: array<Light, 4>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// From a surface point (given relative to the eye) to the camera.
fn towards_camera(from_eye: vec3<f32>) -> vec3<f32> {
    return select(frame.backward.xyz, normalize(-from_eye), frame.eye.w > 0.5);
}
