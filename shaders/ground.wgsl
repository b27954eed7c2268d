// The ground, visible only by the shadow on it and the optional grid, and the sky: the environment behind
// the scene.

struct GroundOut {
    @builtin(position) position: vec4<f32>,
    @location(0) from_eye: vec3<f32>,
    // Position on the ground relative to its centre.
    @location(1) across: vec2<f32>,
}

@vertex
fn vs_ground(@builtin(vertex_index) i: u32) -> GroundOut {
    let corner = vec2(select(-1.0, 1.0, (i & 1u) == 1u), select(-1.0, 1.0, (i & 2u) == 2u));
    var out: GroundOut;
    out.across = frame.ground.w * corner;
    out.from_eye = frame.ground.xyz + vec3(out.across.x, 0.0, out.across.y);
    out.position = frame.projection_from_world * vec4(out.from_eye + frame.eye.xyz, 1.0);
    // The camera's near and far planes enclose the model and must not clip the ground, so the vertex depth
    // is constant and the fragment shader writes the actual depth.
    out.position.z = 0.5 * out.position.w;
    return out;
}

// Depth clamped to the planes, and slightly in front of the cleared depth.
fn depth(from_eye: vec3<f32>) -> f32 {
    let at = frame.projection_from_world * vec4(from_eye + frame.eye.xyz, 1.0);
    return clamp(at.z / at.w, 1e-9, 1.0);
}

struct GroundFragment {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

// Coverage of a pixel by grid lines one pixel wide. Fades out where cells become smaller than pixels.
fn lines(across: vec2<f32>, width: vec2<f32>, cell: f32) -> f32 {
    let from_line = abs(fract(across / cell - 0.5) - 0.5) * cell;
    let cover = clamp(1.0 - from_line / max(width, vec2(1e-30)), vec2(0.0), vec2(1.0));
    let fade = clamp(1.5 - 4.0 * width / cell, vec2(0.0), vec2(1.0));
    return max(cover.x * fade.x, cover.y * fade.y);
}

@fragment
fn fs_ground(in: GroundOut) -> GroundFragment {
    return GroundFragment(ground(in), depth(in.from_eye));
}

fn ground(in: GroundOut) -> vec4<f32> {
    let width = fwidth(in.across);
    var dark = 0.0;
    if frame.grid.x > 0.0 {
        dark = frame.grid.x * (1.0 - ground_light_share(in.from_eye));
    }
    let cell = frame.grid.y;
    if cell <= 0.0 {
        return vec4(0.0, 0.0, 0.0, dark);
    }
    let away = clamp(1.0 - length(in.across) / frame.grid.z, 0.0, 1.0);
    let line = max(0.38 * lines(in.across, width, cell), 0.75 * lines(in.across, width, 10.0 * cell));
    let alpha = line * away * away * (3.0 - 2.0 * away);
    let color = select(vec3(0.55), vec3(0.30), frame.grid.w > 0.5);
    return vec4(color * alpha, alpha + dark * (1.0 - alpha));
}

// Twelve points in a disc, spread evenly along a spiral.
const DISC = array<vec2<f32>, 12>(
    vec2(0.2041, 0.0), vec2(-0.2607, 0.2388), vec2(0.0399, -0.4547), vec2(0.3286, 0.4286),
    vec2(-0.6030, -0.1067), vec2(0.5714, -0.3633), vec2(-0.1906, 0.7111), vec2(-0.3691, -0.6991),
    vec2(0.7902, 0.2875), vec2(-0.8146, 0.3588), vec2(0.3654, -0.8615), vec2(0.3381, 0.9189),
);

// Fraction of the key light that reaches a point on the ground. The farther away the occluder, the softer
// the edge (Fernando, "Percentage-Closer Soft Shadows", 2005).
fn ground_light_share(from_eye: vec3<f32>) -> f32 {
    let at = (frame.shadow_from_eye * vec4(from_eye, 1.0)).xyz;
    if any(at.xy < vec2(0.0)) || any(at.xy > vec2(1.0)) || at.z > 1.0 {
        return 1.0;
    }
    let gap = gap_before(at);
    if gap < 0.0 {
        return 1.0;
    }
    let edge = frame.shadow.x;
    let soft = clamp(gap * frame.shadow.y, 1.5 / edge, frame.shadow.w);
    let bias = frame.shadow.z * (1.0 + 0.5 * soft * edge);
    var open = 0.0;
    for (var i = 0; i < 12; i++) {
        let uv = at.xy + soft * DISC[i];
        open += textureSampleCompareLevel(shadow_texture, shadow_sampler, uv, at.z - bias);
    }
    return open / 12.0;
}

struct SkyOut {
    @builtin(position) position: vec4<f32>,
    @location(0) direction: vec3<f32>,
}

@vertex
fn vs_sky(@builtin(vertex_index) i: u32) -> SkyOut {
    let at = vec2(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u));
    let direction = at.x * frame.right.xyz + at.y * frame.up.xyz - frame.backward.xyz;
    return SkyOut(vec4(at, 0.0, 1.0), direction);
}

@fragment
fn fs_sky(in: SkyOut) -> @location(0) vec4<f32> {
    let light = environment_level(normalize(in.direction), frame.environment_turn.w);
    return vec4(min(light, vec3(65000.0)), 1.0);
}
