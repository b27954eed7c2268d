// Ambient occlusion from horizons in screen space (Jimenez, Wu, Pesce and Jarabo, "Practical Real-Time
// Strategies for Accurate Indirect Occlusion", 2016; after XeGTAO). Positions are in camera space.

// Also the share of the key light that reaches each pixel: the same filter smooths it, so that it needs few samples.

// Distance ahead of the camera, 0 where nothing is; or what the filter reads: openness, relative distance, and share
// of the key light.
@group(1) @binding(0) var input: texture_2d<f32>;
@group(1) @binding(1) var normals: texture_2d<f32>;

const PI = 3.14159265359;

// Planes through the line of sight, and samples on either side of it in each. The filter joins the planes of 16 pixels.
const SLICES = 1;
const STEPS = 5;

// Occluders farther away than this fraction of the reach count less, and those at the reach not at all.
const FADE = 0.4;

// Occluders in front of a surface are probably thin, so that their distance counts more in this direction.
const THIN = 1.5;

// Openness, relative distance and share of the key light where nothing is drawn.
const NOTHING = vec4<f32>(1.0, 60000.0, 1.0, 0.0);

// Distance from a plane at which the filter no longer takes a neighbour for the same surface, as a fraction of
// the reach.
const SAME_SURFACE = 0.02;

@vertex
fn vs_occlusion(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

// Position of what a pixel shows.
fn position(pixel: vec2<i32>, ahead: f32) -> vec3<f32> {
    let size = vec2<f32>(textureDimensions(input));
    let ndc = (2.0 * vec2<f32>(pixel) + 1.0) / size - 1.0;
    let across = vec2(ndc.x, -ndc.y) * frame.half_view.xy;
    return vec3(across * select(1.0, ahead, frame.eye.w > 0.5), -ahead);
}

fn normal(pixel: vec2<i32>) -> vec3<f32> {
    return normalize(2.0 * textureLoad(normals, pixel, 0).xyz - 1.0);
}

// Within 0.2 degrees.
fn fast_acos(x: f32) -> f32 {
    let size = min(abs(x), 1.0);
    let angle = (1.5707963 + size * (-0.2121144 + size * (0.0742610 - 0.0187293 * size))) * sqrt(1.0 - size);
    return select(PI - angle, angle, x >= 0.0);
}

// The pattern of a pixel, repeated every four: the turn of its slices, and the offset of its samples.
fn pattern(pixel: vec2<i32>) -> vec2<f32> {
    let turn = (((pixel.x + pixel.y) & 3) << 2u) + (pixel.x & 3);
    return vec2(f32(turn) / 16.0, f32((pixel.y - pixel.x) & 3) / 4.0);
}

// Each pixel of the pattern takes a few samples of its own, which the filter joins.
fn of_pattern(noise: vec2<f32>) -> Sampling {
    let turn = 2.0 * PI * noise.x;
    return Sampling(6, 4, 6, 0.125 + noise.y, vec2(cos(turn), sin(turn)));
}

// Turns a vector from the camera's axes to those of the scene.
fn from_camera(v: vec3<f32>) -> vec3<f32> {
    return v.x * normalize(frame.right.xyz) + v.y * normalize(frame.up.xyz) + v.z * frame.backward.xyz;
}

@fragment
fn fs_horizons(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(at.xy);
    let ahead = textureLoad(input, pixel, 0).x;
    if ahead <= 0.0 {
        return NOTHING;
    }
    let size = vec2<f32>(textureDimensions(input));
    let end = vec2<i32>(textureDimensions(input)) - 1;
    let reach = frame.occlusion.x;
    let here = position(pixel, ahead);
    let perspective = frame.eye.w > 0.5;
    let view = select(vec3(0.0, 0.0, 1.0), normalize(-here), perspective);
    let n = normal(pixel);
    let pixel_size = 2.0 * frame.half_view.y * select(1.0, ahead, perspective) / size.y;
    let steps = reach / pixel_size;
    let noise = pattern(pixel);
    var open = 0.0;
    let slices = not_unrolled(SLICES);
    let samples = not_unrolled(STEPS);
    for (var slice = 0; slice < slices; slice++) {
        let turn = (f32(slice) + noise.x) * PI / f32(SLICES);
        let way = vec2(cos(turn), sin(turn));
        let level = vec3(way, 0.0);
        let across = level - dot(level, view) * view;
        let axis = normalize(cross(across, view));
        let in_slice = n - axis * dot(n, axis);
        let share = length(in_slice);
        let cosine = clamp(dot(in_slice, view) / max(share, 1e-6), -1.0, 1.0);
        let tilt = sign(dot(across, in_slice)) * fast_acos(cosine);
        var angles = vec2(0.0);
        for (var side = 0; side < not_unrolled(2); side++) {
            let sense = select(-1.0, 1.0, side == 1);
            // The horizon of an open surface.
            let low = cos(tilt + sense * 0.5 * PI);
            var horizon = low;
            for (var i = 0; i < samples; i++) {
                let along = (f32(i) + noise.y) / f32(STEPS);
                let step = sense * max(along * along * steps, 1.0) * vec2(way.x, -way.y);
                let other = pixel + vec2<i32>(round(step));
                if any(other < vec2(0)) || any(other > end) {
                    continue;
                }
                let depth = textureLoad(input, other, 0).x;
                let between = position(other, depth) - here;
                let rise = dot(between, view) * inverseSqrt(max(dot(between, between), 1e-30));
                let far = length(between * vec3(1.0, 1.0, THIN)) / reach;
                let weight = clamp((1.0 - far) / (1.0 - FADE), 0.0, 1.0);
                let seen = mix(low, rise, select(0.0, weight, depth > 0.0));
                horizon = max(horizon, seen);
            }
            let angle = clamp(sense * fast_acos(clamp(horizon, -1.0, 1.0)) - tilt, -0.5 * PI, 0.5 * PI) + tilt;
            angles[side] = angle;
        }
        let arcs = cosine + 2.0 * angles * sin(tilt) - cos(2.0 * angles - tilt);
        open += 0.25 * share * (arcs.x + arcs.y);
    }
    var lit = 1.0;
    // The size of the shadow map, or 0; the same in every frame.
    if frame.shadow.x > 0.0 {
        lit = shadow_light_share(from_camera(here), from_camera(n), of_pattern(noise));
    }
    // A single plane may see more than all: only the mean over the planes is at most 1.
    return vec4(open / f32(SLICES), (ahead - frame.occlusion.y) / reach, lit, 0.0);
}

// Averages over the pattern. Neighbours count by their distance from the pixel's tangent plane, so that the
// filter does not cross silhouettes.
@fragment
fn fs_filter(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(at.xy);
    let center = textureLoad(input, pixel, 0);
    if center.y > 50000.0 {
        return NOTHING;
    }
    let end = vec2<i32>(textureDimensions(input)) - 1;
    let reach = frame.occlusion.x;
    let n = normal(pixel);
    let here = position(pixel, center.y * reach + frame.occlusion.y);
    var sum = vec2(0.0);
    var weights = 0.0;
    let count = not_unrolled(16);
    for (var i = 0; i < count; i++) {
        let other = clamp(pixel + vec2((i & 3) - 1, (i >> 2u) - 1), vec2(0), end);
        let sample = textureLoad(input, other, 0);
        let off = abs(dot(position(other, sample.y * reach + frame.occlusion.y) - here, n));
        let weight = clamp(1.0 - off / (SAME_SURFACE * reach), 0.0, 1.0);
        sum += weight * sample.xz;
        weights += weight;
    }
    let mean = select(center.xz, sum / weights, weights > 0.0);
    return vec4(clamp(mean.x, 0.0, 1.0), center.y, mean.y, 0.0);
}
