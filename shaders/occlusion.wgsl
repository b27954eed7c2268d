// The light that reaches each pixel, from few samples a pixel that differ within a pattern, and two filters that join
// them: ambient occlusion from horizons in screen space (Jimenez, Wu, Pesce and Jarabo, "Practical Real-Time Strategies
// for Accurate Indirect Occlusion", 2016; after XeGTAO), and the share of the key light on surfaces and on the ground.
// Positions are in camera space.

// The shape of what is drawn, see shape.wgsl; or what the filters read: openness, relative distance, share of the key
// light, and width of its penumbra in pixels.
@group(1) @binding(0) var input: texture_2d<f32>;
// The shape again.
@group(1) @binding(1) var shapes: texture_2d<f32>;

// Whether ambient light is occluded.
override occluded: bool = true;
// Whether a light casts a shadow.
override shadowed: bool = true;

const PI = 3.14159265359;

// Planes through the line of sight per pixel.
override slices: i32 = 6;
// Samples of a plane on either side of the line of sight.
const STEPS = 5;

// Samples of the key light's disc in the penumbra, see Sampling in shadow.wgsl.
override further: i32 = 20;

// The pattern is repeated after this many pixels; its square of turns and offsets differ.
const PATTERN = 16;

// Occluders farther away than this fraction of the reach count less, and those at the reach not at all.
const FADE = 0.4;

// Occluders in front of a surface are probably thin, so that their distance counts more in this direction.
const THIN = 1.5;

// Openness where no surface is drawn. The mean over all planes is at most 1, a single plane at most 1.6.
const NO_SURFACE = 4.0;

// Where neither a surface nor ground in a shadow's reach is drawn.
const NOTHING = vec4<f32>(NO_SURFACE, FAR_AWAY, 1.0, 0.0);

// Distance from a plane at which the filter no longer takes a neighbour for the same surface, as a fraction of
// the reach; and for surfaces whose relative distance is more than COARSE, as a fraction of that, since a half float
// keeps it.
const SAME_SURFACE = 0.02;
const COARSE = 4.0;

// Difference in openness at which the second filter no longer takes a neighbour, so that narrow creases stay sharp.
const ALIKE = 0.2;

// Penumbras of this many pixels and more are smoothed by both filters, and narrow ones by the first one only.
const NARROW = 7.0;
const WIDE = 20.0;

struct Filtered {
    @builtin(position) position: vec4<f32>,
    // Pixels between the samples.
    @location(0) @interpolate(flat, either) stride: i32,
}

// The first filter is drawn as instance 0 and the second one as instance 1.
@vertex
fn vs_occlusion(@builtin(vertex_index) i: u32, @builtin(instance_index) stage: u32) -> Filtered {
    let at = vec2(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u));
    return Filtered(vec4(at, 0.0, 1.0), select(1, 4, stage == 1u));
}

// Place of a pixel's centre in the view, in halves of its width and height from its middle: to the right and up.
fn place(pixel: vec2<i32>) -> vec2<f32> {
    let from_corner = (2.0 * vec2<f32>(pixel) + 1.0) / vec2<f32>(textureDimensions(input));
    return vec2(from_corner.x - 1.0, 1.0 - from_corner.y) - frame.view_shift;
}

fn is_perspective() -> bool {
    return frame.perspective > 0.5;
}

// Position of what a pixel shows.
fn position(pixel: vec2<i32>, ahead: f32) -> vec3<f32> {
    let across = place(pixel) * frame.half_view;
    return vec3(across * select(1.0, ahead, is_perspective()), -ahead);
}

// Converts a distance that is relative to the model.
fn distance_ahead(relative: f32) -> f32 {
    return relative * frame.occlusion_reach + frame.center_ahead;
}

// Within 0.2 degrees.
fn fast_acos(x: f32) -> f32 {
    let size = min(abs(x), 1.0);
    let angle = (1.5707963 + size * (-0.2121144 + size * (0.0742610 - 0.0187293 * size))) * sqrt(1.0 - size);
    return select(PI - angle, angle, x >= 0.0);
}

// Numbers the pixels of a block of four by four so that neighbours are far apart.
fn numbered(pixel: vec2<i32>) -> i32 {
    return (((pixel.x + pixel.y) & 3) << 2u) + (pixel.x & 3);
}

// The pattern of a pixel: the turn of its slices, and the offset of its samples. Each block of four by four pixels has
// all sixteenths of both, and the blocks have those between. Drawings of one picture, shifted by parts of a pixel, have
// those between again.
fn pattern(pixel: vec2<i32>) -> vec2<f32> {
    let block = numbered(pixel >> vec2(2u));
    let turn = 16 * numbered(pixel) + block;
    // Its four bits in reverse; GL before 4.0 has no function for it.
    let reversed =
        ((block & 1) << 3u) | ((block & 2) << 1u) | ((block & 4) >> 1u) | ((block & 8) >> 3u);
    let offset = 16 * ((pixel.y - pixel.x) & 3) + reversed;
    let between = 0.5 + 0.5 * frame.view_shift * frame.picture_size;
    return (vec2(f32(turn), f32(offset)) + between) / vec2(256.0, 64.0);
}

// Each pixel of the pattern takes a few samples of its own.
fn of_pattern(noise: vec2<f32>) -> Sampling {
    let turn = 2.0 * PI * noise.x;
    return Sampling(8, 4, further, noise.y, vec2(cos(turn), sin(turn)));
}

// Turns a vector from the camera's axes to those of the scene.
fn from_camera(v: vec3<f32>) -> vec3<f32> {
    return v.x * normalize(frame.right) + v.y * normalize(frame.up) + v.z * frame.backward;
}

// The normal of the ground.
fn up() -> vec3<f32> {
    return vec3(normalize(frame.right).y, normalize(frame.up).y, frame.backward.y);
}

// Distance ahead of the camera of the ground that a pixel shows, where shadows can fall on it; 0 elsewhere.
fn ground_ahead(pixel: vec2<i32>) -> f32 {
    let near = from_camera(position(pixel, 0.0));
    let further = from_camera(position(pixel, 1.0)) - near;
    let ahead = (frame.ground.y - near.y) / further.y;
    let across = (near + ahead * further - frame.ground).xz;
    let is_inside = all(across >= frame.thrown.xy) && all(across <= frame.thrown.zw);
    return select(0.0, ahead, is_inside && ahead > 0.0);
}

// The direction from a position to the camera.
fn to_camera(here: vec3<f32>) -> vec3<f32> {
    return select(vec3(0.0, 0.0, 1.0), normalize(-here), is_perspective());
}

// The share of the key light at a position, and the width of the penumbra in pixels, in the direction in which it is
// foreshortened.
fn light_share(here: vec3<f32>, normal: vec3<f32>, noise: vec2<f32>, pixel_size: f32) -> vec2<f32> {
    let share = shadow_light_share(from_camera(here), from_camera(normal), of_pattern(noise));
    let map = frame.shadow_from_eye;
    let width = share.y * inverseSqrt(dot(vec3(map[0].x, map[1].x, map[2].x), vec3(map[0].x, map[1].x, map[2].x)));
    return vec2(share.x, min(width / pixel_size * abs(dot(normal, to_camera(here))), 1000.0));
}

@fragment
fn fs_horizons(in: Filtered) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.position.xy);
    let shape = textureLoad(input, pixel, 0);
    let is_ground = shape.x >= FAR_AWAY;
    var ahead = distance_of(shape);
    if is_ground {
        if !shadowed {
            return NOTHING;
        }
        ahead = ground_ahead(pixel);
    }
    if ahead <= 0.0 {
        return NOTHING;
    }
    let size = vec2<f32>(textureDimensions(input));
    let reach = frame.occlusion_reach;
    let here = position(pixel, ahead);
    let n = select(normal_of(shape), up(), is_ground);
    let pixel_size = 2.0 * frame.half_view.y * select(1.0, ahead, is_perspective()) / size.y;
    let noise = pattern(pixel);
    var lit = vec2(1.0, 0.0);
    if shadowed {
        lit = light_share(here, n, noise, pixel_size);
    }
    var open = NO_SURFACE;
    if !is_ground {
        open = 1.0;
        if occluded {
            open = openness(pixel, here, n, noise, reach / pixel_size);
        }
    }
    return vec4(open, (ahead - frame.center_ahead) / reach, lit);
}

// The share of the surroundings that a point sees, from the slices of its pixel. The reach is given in pixels.
fn openness(pixel: vec2<i32>, here: vec3<f32>, n: vec3<f32>, noise: vec2<f32>, pixels: f32) -> f32 {
    let end = vec2<i32>(textureDimensions(input)) - 1;
    let reach = frame.occlusion_reach;
    let view = to_camera(here);
    var open = 0.0;
    let planes = not_unrolled(slices);
    let samples = not_unrolled(STEPS);
    for (var slice = 0; slice < planes; slice++) {
        let turn = (f32(slice) + noise.x) * PI / f32(slices);
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
                let along = (f32(i) + fract(noise.y + 0.381966 * f32(slice) + 0.5 * f32(side))) / f32(STEPS);
                let step = sense * max(along * along * pixels, 1.0) * vec2(way.x, -way.y);
                let other = pixel + vec2<i32>(round(step));
                if any(other < vec2(0)) || any(other > end) {
                    continue;
                }
                let shape = textureLoad(input, other, 0);
                let between = position(other, distance_of(shape)) - here;
                let rise = dot(between, view) * inverseSqrt(max(dot(between, between), 1e-30));
                let far = length(between * vec3(1.0, 1.0, THIN)) / reach;
                let weight = clamp((1.0 - far) / (1.0 - FADE), 0.0, 1.0);
                let seen = mix(low, rise, select(0.0, weight, shape.x < FAR_AWAY));
                horizon = max(horizon, seen);
            }
            let angle = clamp(sense * fast_acos(clamp(horizon, -1.0, 1.0)) - tilt, -0.5 * PI, 0.5 * PI) + tilt;
            // The compiler of Direct3D before Shader Model 6 stores no component by a variable index.
            angles = select(angles, vec2(angle), vec2(side == 0, side == 1));
        }
        let arcs = cosine + 2.0 * angles * sin(tilt) - cos(2.0 * angles - tilt);
        open += 0.25 * share * (arcs.x + arcs.y);
    }
    return open / f32(slices);
}

// The share itself, or 1 if it is nearly 1: GPUs may round down where they store half floats, which would darken the mean
// of pixels that are all fully lit.
fn whole(share: f32) -> f32 {
    return select(share, 1.0, share > 0.9998);
}

// Averages 16 pixels, first of a block of four by four, then of 16 such blocks, which are the whole pattern. Neighbours
// count by their distance from the pixel's tangent plane, so that the filter does not cross silhouettes.
@fragment
fn fs_filter(in: Filtered) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.position.xy);
    let center = textureLoad(input, pixel, 0);
    if center.y >= FAR_AWAY {
        return NOTHING;
    }
    let size = vec2<f32>(textureDimensions(input));
    let end = vec2<i32>(textureDimensions(input)) - 1;
    let is_ground = center.x > 2.0;
    let n = select(normal_of(textureLoad(shapes, pixel, 0)), up(), is_ground);
    let level = dot(position(pixel, distance_ahead(center.y)), n);
    // The line of sight of a pixel times the normal, and its change to the right and down.
    let across = dot(place(pixel) * frame.half_view, n.xy);
    let change = vec2(2.0, -2.0) / size * frame.half_view * n.xy;
    let same_surface = SAME_SURFACE * frame.occlusion_reach * max(abs(center.y) / COARSE, 1.0);
    let is_second = in.stride > 1;
    // The blocks' samples lie more to the right and below of a pixel, and the blocks to the left and above.
    let first = select(-1, -2, is_second);
    // Openness, light, and the widths of penumbras where there are any.
    var sum = vec3(0.0);
    var weights = vec2(0.0);
    var edges = 0.0;
    let count = not_unrolled(16);
    for (var i = 0; i < count; i++) {
        let step = in.stride * (vec2(i & 3, i >> 2u) + first);
        let other = pixel + step;
        if any(other < vec2(0)) || any(other > end) {
            continue;
        }
        let sample = textureLoad(input, other, 0);
        let ahead = distance_ahead(sample.y);
        let along = (across + dot(change, vec2<f32>(step))) * select(1.0, ahead, is_perspective());
        let off = abs(along - ahead * n.z - level);
        let is_same = (sample.x > 2.0) == is_ground;
        let weight = select(0.0, clamp(1.0 - off / same_surface, 0.0, 1.0), is_same);
        let alike = select(1.0, clamp(1.0 - abs(sample.x - center.x) / ALIKE, 0.0, 1.0), is_second);
        sum += weight * vec3(alike * sample.x, sample.zw);
        weights += weight * vec2(alike, 1.0);
        edges += select(0.0, weight, sample.w > 0.0);
    }
    let mean = select(center.xz, sum.xy / weights, weights > vec2(0.0));
    if !is_second {
        return vec4(mean.x, center.y, whole(mean.y), sum.z / max(edges, 1e-6));
    }
    let smooth_lit = mix(center.z, mean.y, smoothstep(NARROW, WIDE, center.w));
    return vec4(select(whole(min(mean.x, 1.0)), NO_SURFACE, is_ground), center.y, whole(smooth_lit), 0.0);
}
