// The ground, visible only by the shadow on it and the optional grid, and the sky: the environment behind
// the scene.

@group(1) @binding(0) var contact_texture: texture_2d<f32>;
@group(1) @binding(1) var contact_sampler: sampler;

// What occlusion.wgsl has drawn: openness, more than 2 where no surface is; and in the third part, the share of the key
// light.
@group(0) @binding(5) var openness_texture: texture_2d<f32>;

// Whether the shadow on the ground was drawn too. Otherwise the ground looks for it itself.
override shadow_is_drawn: bool = false;

struct GroundOut {
    @builtin(position) position: vec4<f32>,
    @location(0) from_eye: vec3<f32>,
    // Position on the ground relative to its centre.
    @location(1) across: vec2<f32>,
}

// Whether shadows can fall on the drawn part. Software adapters run all of a shader where any of it is needed.
override shadowed: bool = true;

// The ground is drawn in rectangles, three by three. Shadows can fall only on the one in the middle, which has a
// pipeline of its own.
@vertex
fn vs_ground(@builtin(vertex_index) i: u32, @builtin(instance_index) drawn: u32) -> GroundOut {
    let rectangle = select(drawn + select(0u, 1u, drawn > 3u), 4u, shadowed);
    let corner = vec2(rectangle % 3u + (i & 1u), rectangle / 3u + (i >> 1u));
    let reach = frame.ground_reach;
    let x = array(-reach, frame.shadowed.x, frame.shadowed.z, reach);
    let z = array(-reach, frame.shadowed.y, frame.shadowed.w, reach);
    var out: GroundOut;
    out.across = vec2(x[corner.x], z[corner.y]);
    out.from_eye = frame.ground + vec3(out.across.x, 0.0, out.across.y);
    out.position = frame.projection_from_world * vec4(out.from_eye + frame.eye, 1.0);
    // The camera's near and far planes enclose the model and must not clip the ground, so the vertex depth
    // is constant and the fragment shader writes the actual depth.
    out.position.z = 0.5 * out.position.w;
    return out;
}

// Depth clamped to the planes, and slightly in front of the cleared depth. It is one depth for all samples of a pixel, so
// it is that of the farthest one: the model's own floor, whose depth differs by sample, hides the ground in all of them.
fn depth(from_eye: vec3<f32>) -> f32 {
    let at = frame.projection_from_world * vec4(from_eye + frame.eye, 1.0);
    let middle = at.z / at.w;
    return clamp(middle - fwidth(middle), 1e-9, 1.0);
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

// The share of the key light at a point of the ground given relative to the eye.
fn light_share(from_eye: vec3<f32>) -> f32 {
    if !shadow_is_drawn {
        return shadow_light_share(from_eye, vec3(0.0, 1.0, 0.0), FINE).x;
    }
    let last = vec2<i32>(textureDimensions(openness_texture)) - 1;
    let place = place_in_picture(from_eye) * vec2<f32>(last + 1);
    let middle = floor(place);
    // The nine texels around the point. Those that show the model count only where all of them do. The weights are those of a
    // quadratic B-spline, which is smooth where a picture is larger than the texture.
    let off = place - middle - 0.5;
    var sum = 0.0;
    var weights = 0.0;
    for (var i = 0; i < 9; i++) {
        let step = vec2(i % 3, i / 3) - 1;
        let texel = textureLoad(openness_texture, clamp(vec2<i32>(middle) + step, vec2(0), last), 0);
        let away = abs(vec2<f32>(step) - off);
        let outer = 1.5 - away;
        let spline = select(0.75 - away * away, 0.5 * outer * outer, away > vec2(0.5));
        let weight = (spline.x * spline.y + 1e-4) * select(1e-6, 1.0, texel.x > 2.0);
        sum += weight * texel.z;
        weights += weight;
    }
    return sum / weights;
}

// Opacity of the contact shadow where the ground sees nothing but the model.
const CONTACT = 0.75;

fn ground(in: GroundOut) -> vec4<f32> {
    let width = fwidth(in.across);
    var light = 1.0;
    if shadowed && frame.shadow_opacity > 0.0 {
        light = 1.0 - frame.shadow_opacity * (1.0 - light_share(in.from_eye));
    }
    var pool = 0.0;
    // This number is the same in every frame, see finish.wgsl.
    if frame.contact_below > 0.0 {
        let from_contact = (in.from_eye.xz - frame.contact_center) / frame.contact_reach;
        if shadowed && frame.contact_texels > 0.0 && all(abs(from_contact) < vec2(1.0)) {
            let uv = 0.5 + vec2(0.5, -0.5) * from_contact;
            var open = 0.0;
            let count = not_unrolled(4);
            for (var i = 0; i < count; i++) {
                let side = vec2(f32(i & 1), f32(i >> 1u)) - 0.5;
                open += textureSampleLevel(contact_texture, contact_sampler, uv + side / frame.contact_texels, 0.0).x;
            }
            light *= 1.0 - CONTACT * (1.0 - 0.25 * open);
        }
        let away = length(in.from_eye.xz - frame.contact_center) / max(frame.floor_radius, 1e-12);
        let near = clamp(1.0 - away, 0.0, 1.0);
        pool = frame.floor_brightness * near * near * (3.0 - 2.0 * near);
    }
    // The floor's light over the background, then the shadow over both.
    let floor = vec4(frame.white * frame.paint * pool * light, 1.0 - (1.0 - pool) * light);
    let cell = frame.cell_size;
    if cell <= 0.0 {
        return floor;
    }
    let away = clamp(1.0 - length(in.across) / frame.grid_reach, 0.0, 1.0);
    let line = max(0.38 * lines(in.across, width, cell), 0.75 * lines(in.across, width, 10.0 * cell));
    let alpha = line * away * away * (3.0 - 2.0 * away);
    let color = select(vec3(0.55), vec3(0.30), frame.linear_light > 0.5);
    return vec4(color * alpha, alpha) + floor * (1.0 - alpha);
}

struct SkyOut {
    @builtin(position) position: vec4<f32>,
    @location(0) direction: vec3<f32>,
}

@vertex
fn vs_sky(@builtin(vertex_index) i: u32) -> SkyOut {
    let at = vec2(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u));
    let direction = at.x * frame.right + at.y * frame.up - frame.backward;
    return SkyOut(vec4(at, 0.0, 1.0), direction);
}

@fragment
fn fs_sky(in: SkyOut) -> @location(0) vec4<f32> {
    let light = environment_level(normalize(in.direction), frame.backdrop_level);
    return vec4(min(light, vec3(65000.0)), 1.0);
}
