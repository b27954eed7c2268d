// The uniform that all passes of a frame share. World space is scene space minus the stage's origin.

struct Frame {
    projection_from_world: mat4x4<f32>,
    // Position of the camera; w: 1 for perspective, 0 for orthographic.
    eye: vec4<f32>,
    // The camera's +Z axis, opposite to the line of sight; w: pixels per point of the overlays.
    backward: vec4<f32>,
    // Near and far distance, then the picture's width and height in pixels.
    range_and_size: vec4<f32>,
    // From the centre of the view to its right and upper edges, at a distance of 1.
    right: vec4<f32>,
    up: vec4<f32>,
    // Factor of the environment's texels; w: its last mip level.
    environment: vec4<f32>,
    // Cosine and sine of its rotation about +Y; w: mip level of the backdrop.
    environment_turn: vec4<f32>,
    // Irradiance over pi as nine spherical harmonics, with their constant factors included.
    irradiance: array<vec4<f32>, 9>,
    // From positions relative to the eye to the shadow map: x right, y down, both 0 to 1; z: 0 nearest to
    // the light.
    shadow_from_eye: mat4x4<f32>,
    // Size of the map in texels; penumbra radius per depth difference; width of a texel as a depth; widest
    // penumbra. Radii are fractions of the map.
    shadow: vec4<f32>,
    // Centre of the ground relative to the eye; w: half the side of the drawn square.
    ground: vec4<f32>,
    // Least X and Z, then greatest X and Z of the part of the ground that shadows can fall on, relative to its centre.
    shadowed: vec4<f32>,
    // The same of the part that the key light's shadow can fall on.
    thrown: vec4<f32>,
    // Opacity of the shadow; cell size of the grid, 0 for none; half the grid's side; 1 if the pass is in
    // linear light, 0 if its values are encoded colours.
    grid: vec4<f32>,
    // Half the width and half the height of the view: at a distance of 1, or anywhere if orthographic; the
    // light that the exposure makes 1; w: length of drawn normals and tangents.
    half_view: vec4<f32>,
    // Distance within which surfaces occlude each other; distance of the model's centre ahead of the camera; shift of
    // the view to the right and up, in halves of the picture's width and height.
    occlusion: vec4<f32>,
    // Contact shadow: X and Z of its centre relative to the eye; half its side, 0 for none; its edge in texels.
    contact: vec4<f32>,
    // Height up to which the model casts it, in halves of a side; room below the ground, as a fraction of it;
    // brightness of the floor, 0 for none; radius of its pool of light.
    contact_height: vec4<f32>,
    // Colour of the floor's pool of light, whatever the exposure; in the wireframe, of faces seen from their edge.
    paint: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// Unit direction from a surface point, given relative to the eye, to the camera.
fn towards_camera(from_eye: vec3<f32>) -> vec3<f32> {
    return select(frame.backward.xyz, normalize(-from_eye), frame.eye.w > 0.5);
}

// Returns where a point, given relative to the eye, is in the picture: x to the right, y down, both from 0 to 1. Not
// by the projection's matrix: with it, Mesa's lavapipe compiles fragment shaders again for each new camera, and never
// frees the result.
fn place_in_picture(from_eye: vec3<f32>) -> vec2<f32> {
    let ahead = -dot(from_eye, frame.backward.xyz);
    let across = vec2(dot(from_eye, normalize(frame.right.xyz)), dot(from_eye, normalize(frame.up.xyz)));
    let ndc = across / (frame.half_view.xy * select(1.0, ahead, frame.eye.w > 0.5));
    return vec2(0.5, -0.5) * (ndc + frame.occlusion.zw) + 0.5;
}
