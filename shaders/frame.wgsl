// The uniform that all passes of a frame share. World space is scene space minus the stage's origin.

// The shadow map. Radii are fractions of it.
struct ShadowMap {
    // Its edge in texels.
    texels: f32,
    // Radius of the penumbra per difference in depth.
    penumbra_per_depth: f32,
    // Width of a texel as a depth.
    texel_depth: f32,
    // Radius of the widest penumbra.
    widest_penumbra: f32,
}

struct Frame {
    projection_from_world: mat4x4<f32>,
    // Position of the camera.
    eye: vec3<f32>,
    // 1 for a perspective camera, 0 for an orthographic one.
    perspective: f32,
    // The camera's +Z axis, opposite to the line of sight.
    backward: vec3<f32>,
    // Pixels per point of the overlays.
    pixels_per_point: f32,
    // From the centre of the view to its right edge, at a distance of 1.
    right: vec3<f32>,
    // Near and far distance.
    near: f32,
    // From the centre of the view to its upper edge, at a distance of 1.
    up: vec3<f32>,
    far: f32,
    // Factor of the environment's texels.
    environment_factor: vec3<f32>,
    environment_last_level: f32,
    // Cosine and sine of its rotation about +Y.
    environment_turn: vec2<f32>,
    // In pixels.
    picture_size: vec2<f32>,
    // Irradiance over pi as nine spherical harmonics, with their constant factors included.
    irradiance: array<vec4<f32>, 9>,
    // From positions relative to the eye to the shadow map: x right, y down, both 0 to 1; z: 0 nearest to
    // the light.
    shadow_from_eye: mat4x4<f32>,
    shadow: ShadowMap,
    // Centre of the ground relative to the eye.
    ground: vec3<f32>,
    // Half the side of the drawn square.
    ground_reach: f32,
    // Least X and Z, then greatest X and Z of the part of the ground that shadows can fall on, relative to its centre.
    shadowed: vec4<f32>,
    // The same of the part that the key light's shadow can fall on.
    thrown: vec4<f32>,
    // Opacity of the shadow on the ground.
    shadow_opacity: f32,
    // Size of the grid's cells; 0 for no grid.
    cell_size: f32,
    // Half the grid's side.
    grid_reach: f32,
    // 1 if the pass is in linear light, 0 if its values are encoded colours.
    linear_light: f32,
    // Half the width and half the height of the view: at a distance of 1, or anywhere if orthographic.
    half_view: vec2<f32>,
    // The light that becomes 1 in the picture.
    white: f32,
    // Length of drawn normals and tangents.
    vector_length: f32,
    // Distance within which surfaces occlude each other.
    occlusion_reach: f32,
    // Distance of the model's centre ahead of the camera.
    center_ahead: f32,
    // Shift of the view to the right and up, in halves of the picture's width and height.
    view_shift: vec2<f32>,
    // X and Z of the contact shadow's centre relative to the eye.
    contact_center: vec2<f32>,
    // Half its side; 0 for none.
    contact_reach: f32,
    // Its edge in texels.
    contact_texels: f32,
    // Height up to which the model casts it, in halves of a side.
    contact_height: f32,
    // Room below the ground, as a fraction of that height.
    contact_below: f32,
    // Brightness of the floor, 0 for none.
    floor_brightness: f32,
    // Radius of the floor's pool of light.
    floor_radius: f32,
    // Colour of the floor's pool of light, whatever the exposure; in the wireframe, of faces seen from their edge.
    paint: vec3<f32>,
    // Mip level of the environment behind the scene.
    backdrop_level: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// Least cosine between a normal and the line of sight with which corners are moved along their surface: normals that are not the
// surface's, as of foliage, must not move them far.
const LEAST_FACING = 0.25;

// Returns the clip position of a point on a grid of 1/16 pixel. Without it edges would differ by rasterizer: their own grids are
// 1/16 pixel in SwiftShader and 1/256 in most others. The point is moved along its surface, so that a layer close to another
// surface stays before it; a normal of zero keeps its depth. Points behind the camera, those too far off for single precision,
// and those of passes that are numbers, stay where they are.
fn on_screen(at: vec3<f32>, normal: vec3<f32>) -> vec4<f32> {
    let clip = frame.projection_from_world * vec4(at, 1.0);
    let sixteenths = 8.0 * frame.picture_size;
    let ndc = clip.xy / clip.w;
    let place = ndc * sixteenths;
    if !(frame.linear_light > 0.5 && clip.w > 0.0 && all(abs(place) < vec2(4e6))) {
        return clip;
    }
    let snapped = round(place) / sixteenths;
    let off = (snapped - ndc) * clip.w * frame.half_view;
    let across = normalize(frame.right) * off.x + normalize(frame.up) * off.y;
    let sight = select(-frame.backward, at - frame.eye, frame.perspective > 0.5);
    let facing = dot(normal, sight);
    let slope = select(-1.0, 1.0, facing >= 0.0) * max(abs(facing), LEAST_FACING * length(sight));
    let moved = clip - dot(normal, across) / slope * (frame.projection_from_world * vec4(sight, 0.0));
    return vec4(snapped * moved.w, moved.zw);
}

// Unit direction from a surface point, given relative to the eye, to the camera.
fn towards_camera(from_eye: vec3<f32>) -> vec3<f32> {
    return select(frame.backward, normalize(-from_eye), frame.perspective > 0.5);
}

// The unit normal of the triangle at a point of the fragment, to either side; zero without an area. The squares of very
// small and very large derivatives would be no numbers of single precision, so each is first made about one long.
fn triangle_normal(at: vec3<f32>) -> vec3<f32> {
    let n = cross(about_one_long(dpdx(at)), about_one_long(dpdy(at)));
    let size = length(n);
    return select(vec3(0.0), n / size, size > 0.0);
}

fn about_one_long(v: vec3<f32>) -> vec3<f32> {
    return v / max(max(abs(v.x), max(abs(v.y), abs(v.z))), 1e-37);
}

// Returns where a point, given relative to the eye, is in the picture: x to the right, y down, both from 0 to 1. Not
// by the projection's matrix: with it, Mesa's lavapipe compiles fragment shaders again for each new camera, and never
// frees the result.
fn place_in_picture(from_eye: vec3<f32>) -> vec2<f32> {
    let ahead = -dot(from_eye, frame.backward);
    let across = vec2(dot(from_eye, normalize(frame.right)), dot(from_eye, normalize(frame.up)));
    let ndc = across / (frame.half_view * select(1.0, ahead, frame.perspective > 0.5));
    return vec2(0.5, -0.5) * (ndc + frame.view_shift) + 0.5;
}
