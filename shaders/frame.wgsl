// What every pass of a frame shares. World space here is the scene's, less the stage's origin.

struct Frame {
    projection_from_world: mat4x4<f32>,
    // Where the camera stands; w is 1 for perspective, 0 for orthographic.
    eye: vec4<f32>,
    // The camera's +Z: from what it looks at towards it; w: pixels a point of the overlays.
    backward: vec4<f32>,
    // Near, far, then the picture's width and height in pixels.
    range_and_size: vec4<f32>,
    // From the middle of what is seen to its right and upper edge, at a distance of 1.
    right: vec4<f32>,
    up: vec4<f32>,
    // What the environment's texels are multiplied by; w: its last level.
    environment: vec4<f32>,
    // Cosine and sine of its turn about +Y; 1 where it is the same from everywhere; the level that is
    // shown behind the scene.
    environment_turn: vec4<f32>,
    // Irradiance over pi as nine spherical harmonics, their constant factors in.
    irradiance: array<vec4<f32>, 9>,
    // From places relative to the eye to the shadow map: x right, y down, both 0 to 1; z: 0 at the
    // side of the light.
    shadow_from_eye: mat4x4<f32>,
    // An edge of the map in texels; how wide a penumbra is for a depth's gap; a texel's width as a
    // depth; the widest penumbra. Widths are parts of the map.
    shadow: vec4<f32>,
    // The middle of the ground, relative to the eye, and half an edge of what is drawn of it.
    ground: vec4<f32>,
    // How dark the shadow on it is; a grid's cell, 0 for none; half a grid's edge; 1 where the colours
    // of lines are light, 0 where they are bytes.
    grid: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// From a surface point (given relative to the eye) to the camera.
fn towards_camera(from_eye: vec3<f32>) -> vec3<f32> {
    return select(frame.backward.xyz, normalize(-from_eye), frame.eye.w > 0.5);
}
