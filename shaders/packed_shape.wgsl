// The shape that a pixel shows in four half floats: its distance ahead of the camera, relative to the model and in two
// parts, since one is too coarse; and its normal in camera space. Some GL drivers can draw on no wider format.

// The first part where nothing is drawn, and relative distances there.
const FAR_AWAY = 60000.0;

// The largest relative distance of what is drawn.
const FARTHEST = 30000.0;

// The first part is a multiple of one over this. The step doubles at a distance of 3.7 and at each doubling beyond, so that
// a half float holds it exactly. Only floors are farther from the model's centre than 1.
const PARTS = 512.0;

fn packed_shape(ahead: f32, normal: vec3<f32>) -> vec4<f32> {
    let relative = clamp((ahead - frame.center_ahead) / frame.occlusion_reach, -FARTHEST, FARTHEST);
    let parts = PARTS * exp2(-max(floor(log2(max(abs(relative), 1.0)) - 0.9), 0.0));
    let coarse = floor(relative * parts) / parts;
    // An octahedron, unfolded (Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", 2014).
    let flat = normal.xy / (abs(normal.x) + abs(normal.y) + abs(normal.z));
    let folded = (1.0 - abs(flat.yx)) * select(vec2(-1.0), vec2(1.0), flat >= vec2(0.0));
    return vec4(coarse, relative - coarse, select(folded, flat, normal.z >= 0.0));
}

// The distance ahead of the camera.
fn distance_of(shape: vec4<f32>) -> f32 {
    return (shape.x + shape.y) * frame.occlusion_reach + frame.center_ahead;
}

fn normal_of(shape: vec4<f32>) -> vec3<f32> {
    let flat = shape.zw;
    let height = 1.0 - abs(flat.x) - abs(flat.y);
    let folded = max(-height, 0.0);
    return normalize(vec3(flat - folded * select(vec2(-1.0), vec2(1.0), flat >= vec2(0.0)), height));
}
