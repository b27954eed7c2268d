// Fragment shaders, one entry point per pass. All return premultiplied colour with alpha; data passes
// return the value that the picture stores.

@fragment
fn fs_shaded(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let s = surface(in, facing);
    var color = vec4(s.base_color.rgb, 1.0);
    if (material.flags & UNLIT) == 0u {
        // glTF 2.0, 3.9.7: without normals the colour is base colour plus emission.
        color = vec4(s.base_color.rgb + lights.emission_factor * s.emissive, 1.0);
        if any(s.normal != vec3(0.0)) {
            color = lit(s, in);
        }
    }
    return color * s.base_color.a;
}

@fragment
fn fs_mask(in: VertexOut) -> @location(0) vec4<f32> {
    return vec4(1.0);
}

@fragment
fn fs_normal(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(0.5 * surface(in, facing).normal + 0.5, 1.0);
}

@fragment
fn fs_geometric_normal(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let normal = face_normal(in);
    _ = surface(in, facing);
    return vec4(0.5 * normal + 0.5, 1.0);
}

@fragment
fn fs_depth(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    _ = surface(in, facing);
    let ahead = -dot(in.from_eye, frame.backward);
    let near = frame.near;
    let far = frame.far;
    return vec4(vec3(clamp((ahead - near) / (far - near), 0.0, 1.0)), 1.0);
}

@fragment
fn fs_albedo(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(srgb_from_linear(surface(in, facing).base_color.rgb), 1.0);
}

@fragment
fn fs_metallic(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(vec3(surface(in, facing).metallic), 1.0);
}

@fragment
fn fs_roughness(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(vec3(surface(in, facing).roughness), 1.0);
}

@fragment
fn fs_occlusion(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(vec3(surface(in, facing).occlusion), 1.0);
}

@fragment
fn fs_emissive(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(srgb_from_linear(surface(in, facing).emissive), 1.0);
}

@fragment
fn fs_alpha(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(vec3(surface(in, facing).base_color.a), 1.0);
}
#if TANGENTS

@fragment
fn fs_tangent(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(0.5 * surface(in, facing).tangent + 0.5, 1.0);
}
#end

@fragment
fn fs_uv(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    _ = surface(in, facing);
    return vec4(fract(in.uv.xy), 0.0, 1.0);
}

// The share of a pixel of this width that lies in the odd cells of an axis, from the integral of a square wave
// of period 2.
fn odd_share(at: f32, width: f32) -> f32 {
    let w = max(width, 1e-6);
    let ends = at + vec2(0.5, -0.5) * w;
    let odd = floor(0.5 * ends) + max(2.0 * fract(0.5 * ends) - 1.0, vec2(0.0));
    return clamp((odd.x - odd.y) / w, 0.0, 1.0);
}

// Squares in two tones, averaged over the pixel so that they fade where they become smaller than pixels.
fn checker(uv: vec2<f32>, cells: f32) -> f32 {
    let at = cells * uv;
    let width = cells * fwidth(uv);
    let odd = vec2(odd_share(at.x, width.x), odd_share(at.y, width.y));
    return odd.x + odd.y - 2.0 * odd.x * odd.y;
}

// Eight squares per unit with finer ones inside, tinted by their place in the unit, and darker where the surface
// is turned away.
@fragment
fn fs_uv_checker(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let wide = checker(in.uv.xy, 8.0);
    let fine = checker(in.uv.xy, 64.0);
    let tilt = abs(dot(surface(in, facing).smooth_normal, towards_camera(in.from_eye)));
    let tint = mix(vec3(1.0), vec3(fract(in.uv.xy), 0.35), 0.6);
    let tone = mix(0.38, 0.95, wide) + 0.06 * (fine - 0.5);
    return vec4(tone * (0.55 + 0.45 * tilt) * tint, 1.0);
}

// Faint grey that keeps the shape visible where a pass has no value; lines and points have no normal and are flat.
fn without_value(s: Surface, in: VertexOut) -> vec3<f32> {
    return vec3(0.26 + 0.24 * abs(dot(s.smooth_normal, towards_camera(in.from_eye))));
}

@fragment
fn fs_without_value(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    return vec4(without_value(surface(in, facing), in), 1.0);
}

// Grey for none, then blue, cyan, green, yellow, red from one to sixteen joints, on a logarithmic scale.
@fragment
fn fs_influences(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let s = surface(in, facing);
    let heat = log2(max(in.influences, 1.0));
    let ramp = clamp(
        vec3(heat - 2.0, 2.0 - abs(heat - 2.0), 2.0 - heat),
        vec3(0.0),
        vec3(1.0),
    );
    return vec4(select(without_value(s, in), ramp, in.influences > 0.5), 1.0);
}

@fragment
fn fs_faces(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<f32> {
    let front = facing != (in.mirrored == 1u);
    let tilt = 0.55 + 0.45 * dot(face_normal(in), towards_camera(in.from_eye));
    let color = select(vec3(0.90, 0.22, 0.18), vec3(0.20, 0.42, 0.95), front);
    return vec4(tilt * color, 1.0);
}
