// The ground at the model's feet: nothing is seen of it but the shadow that falls on it and, if asked
// for, a grid. And the sky: the environment behind the scene.

struct GroundOut {
    @builtin(position) position: vec4<f32>,
    @location(0) from_eye: vec3<f32>,
    // Across the ground from its middle.
    @location(1) across: vec2<f32>,
}

@vertex
fn vs_ground(@builtin(vertex_index) i: u32) -> GroundOut {
    let corner = vec2(select(-1.0, 1.0, (i & 1u) == 1u), select(-1.0, 1.0, (i & 2u) == 2u));
    var out: GroundOut;
    out.across = frame.ground.w * corner;
    out.from_eye = frame.ground.xyz + vec3(out.across.x, 0.0, out.across.y);
    out.position = frame.projection_from_world * vec4(out.from_eye + frame.eye.xyz, 1.0);
    return out;
}

// How much of a pixel lines cover that are a pixel wide and a cell apart; less than all of it where
// cells get smaller than pixels.
fn lines(across: vec2<f32>, width: vec2<f32>, cell: f32) -> f32 {
    let from_line = abs(fract(across / cell - 0.5) - 0.5) * cell;
    let cover = clamp(1.0 - from_line / max(width, vec2(1e-30)), vec2(0.0), vec2(1.0));
    let fade = clamp(1.5 - 4.0 * width / cell, vec2(0.0), vec2(1.0));
    return max(cover.x * fade.x, cover.y * fade.y);
}

@fragment
fn fs_ground(in: GroundOut) -> @location(0) vec4<f32> {
    let width = fwidth(in.across);
    var dark = 0.0;
    if frame.grid.x > 0.0 {
        dark = frame.grid.x * (1.0 - key_light_share(in.from_eye));
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
