// Joints, bones and lines of the overlay, drawn as discs, tapered bars and thin bars of a fixed width in
// pixels. Edges are antialiased by the distance to the outline, without multisampling.

struct BoneIn {
    // Ends in world space; equal ends are a joint's disc.
    @location(0) head: vec3<f32>,
    @location(1) tail: vec3<f32>,
    // Colour of a line. Alpha 0 for joints and bones: their colour, or black for those that do not stand out.
    @location(2) color: vec4<f32>,
    // Factor of the width.
    @location(3) size: f32,
}

struct BoneOut {
    @builtin(position) position: vec4<f32>,
    // Positions of this fragment, the head and the tail in pixels.
    @location(0) at: vec2<f32>,
    @location(1) @interpolate(flat, either) head: vec2<f32>,
    @location(2) @interpolate(flat, either) tail: vec2<f32>,
    @location(3) @interpolate(flat, either) color: vec4<f32>,
    @location(4) @interpolate(flat, either) size: f32,
}

const HEAD_RADIUS = 3.6;
const TAIL_RADIUS = 1.1;
const JOINT_RADIUS = 3.4;
const LINE_RADIUS = 0.75;
const OUTLINE = 1.2;

fn pixels(p: vec4<f32>) -> vec2<f32> {
    let half = 0.5 * frame.picture_size;
    return vec2(p.x / p.w, -p.y / p.w) * half + half;
}

@vertex
fn vs_bone(@builtin(vertex_index) i: u32, bone: BoneIn) -> BoneOut {
    var a = frame.projection_from_world * vec4(bone.head, 1.0);
    var b = frame.projection_from_world * vec4(bone.tail, 1.0);
    // Clip a bone that extends behind the camera to the near plane.
    let a_ahead = a.w - a.z;
    let b_ahead = b.w - b.z;
    if frame.perspective > 0.5 && (a_ahead < 0.0) != (b_ahead < 0.0) {
        let cut = mix(a, b, a_ahead / (a_ahead - b_ahead));
        if a_ahead < 0.0 { a = cut; } else { b = cut; }
    }
    var out: BoneOut;
    if a.w <= 0.0 || b.w <= 0.0 || (a_ahead < 0.0 && b_ahead < 0.0) {
        out.position = vec4(2.0, 2.0, 0.0, 1.0);
        return out;
    }
    out.color = bone.color;
    out.size = bone.size;
    out.head = pixels(a);
    out.tail = pixels(b);
    let reach = (bone.size * HEAD_RADIUS + OUTLINE + 1.5) * frame.pixels_per_point;
    let along = out.tail - out.head;
    let size = length(along);
    let x = select(vec2(1.0, 0.0), along / size, size > 1e-3);
    let y = vec2(-x.y, x.x);
    let end = select(out.head - reach * x, out.tail + reach * x, (i & 1u) == 1u);
    out.at = end + select(-reach, reach, (i & 2u) == 2u) * y;
    let ndc = 2.0 * out.at / frame.picture_size - 1.0;
    let ends = vec2(a.z / a.w, b.z / b.w);
    let depth = clamp(select(ends.x, ends.y, (i & 1u) == 1u), 0.0, 1.0);
    out.position = vec4(ndc.x, -ndc.y, depth, 1.0);
    return out;
}

@fragment
fn fs_bone(in: BoneOut) -> @location(0) vec4<f32> {
    let along = in.tail - in.head;
    let size = length(along);
    if in.color.a > 0.0 {
        let t = clamp(dot(in.at - in.head, along) / max(size * size, 1e-6), 0.0, 1.0);
        let off = length(in.at - in.head - t * along) - in.size * LINE_RADIUS * frame.pixels_per_point;
        let alpha = in.color.a * clamp(0.5 - off, 0.0, 1.0);
        return vec4(in.color.rgb * alpha, alpha);
    }
    let joint = size < 1e-3;
    var distance = length(in.at - in.head) - in.size * JOINT_RADIUS * frame.pixels_per_point;
    if !joint {
        // A bar that is narrow at both ends and widest near the head.
        let t = clamp(dot(in.at - in.head, along) / (size * size), 0.0, 1.0);
        let radius = select(
            mix(HEAD_RADIUS, TAIL_RADIUS, (t - 0.15) / 0.85),
            mix(TAIL_RADIUS, HEAD_RADIUS, t / 0.15),
            t < 0.15,
        );
        distance = length(in.at - in.head - t * along) - in.size * radius * frame.pixels_per_point;
    }
    let inside = clamp(0.5 - distance, 0.0, 1.0);
    let outline = clamp(0.5 - (distance - OUTLINE * frame.pixels_per_point), 0.0, 1.0);
    let plain = select(vec3(0.98, 0.80, 0.36), vec3(1.0, 0.98, 0.92), joint);
    let fill = select(plain, in.color.rgb, any(in.color.rgb > vec3(0.0)));
    let color = mix(vec3(0.10, 0.09, 0.08), fill, inside);
    let alpha = outline * select(0.82, 0.95, joint);
    return vec4(color * alpha, alpha);
}
