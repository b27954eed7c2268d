// Fragment shaders of the passes that show the shape and its rig, one entry point per pass.

const CLAY = vec3<f32>(0.62, 0.60, 0.57);

@fragment
fn fs_clay(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let s = surface(in, facing);
    if all(s.normal == vec3(0.0)) {
        return vec4(vec3(0.5), 1.0);
    }
    let reached = reached(in.from_eye, s.smooth_normal);
    var light = environment_diffuse(s.normal);
    if occluded {
        light *= several_bounces(reached.x, CLAY);
    }
    for (var i = 0u; i < light_count(); i++) {
        let sample = light_sample(i, in.from_eye, reached.y);
        light += max(dot(s.normal, sample.towards), 0.0) * 0.31830989 * sample.radiance;
    }
    return vec4(CLAY * light, 1.0);
}

// The brightest colour of a face that is seen from its edge. A brighter one would hide the edges.
const BRIGHTEST_FACE = 0.27;

// The faces below the edges.
@fragment
fn fs_wireframe_faces(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    _ = surface(in, facing);
    let tilt = abs(dot(face_normal(in), towards_camera(in.from_eye)));
    let brightest = max(frame.paint.r, max(frame.paint.g, frame.paint.b));
    let dimmed = BRIGHTEST_FACE / max(brightest, BRIGHTEST_FACE);
    return vec4((1.0 + tilt) * dimmed * frame.paint, 1.0);
}

@fragment
fn fs_wireframe(in: VertexOut) -> @location(0) vec4<f32> {
    return vec4(0.78, 0.86, 0.95, 1.0) * select(1.0, in.weights.x, edges_fade);
}

// Added up: the number of layers, in red.
@fragment
fn fs_overdraw(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    _ = surface(in, facing);
    return vec4(1.0, 0.0, 0.0, 1.0);
}

// Grey where the weight is 0.
@fragment
fn fs_weights(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let s = surface(in, facing);
    return vec4(select(without_value(s, in), heat_color(in.weights.x), in.weights.x > 0.0), 1.0);
}

// Grey without joints, and where one of them has no distance, which makes the mean negative.
@fragment
fn fs_rest_to_bind(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let s = surface(in, facing);
    let has_distance = in.influences > 0.0 && in.weights.x > -0.5;
    return vec4(select(without_value(s, in), heat_color(in.weights.x), has_distance), 1.0);
}

// The colours saturate at a deviation of 0.1. Without one, the surface is faintly shaded; without weights, brown.
@fragment
fn fs_weight_sum(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let s = surface(in, facing);
    if in.influences <= 0.0 {
        return vec4(without_value(s, in) * vec3(1.1, 0.85, 0.4), 1.0);
    }
    let tilt = abs(dot(s.smooth_normal, towards_camera(in.from_eye)));
    let off = clamp(10.0 * (in.weights.y - 1.0), -1.0, 1.0);
    let grey = vec3((0.2 + 0.15 * tilt) * (1.0 - abs(off)));
    return vec4(grey + vec3(max(off, 0.0), 0.0, max(-off, 0.0)), 1.0);
}

@fragment
fn fs_ambient_occlusion(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    _ = surface(in, facing);
    return vec4(vec3(drawn(in.from_eye).open), 1.0);
}
