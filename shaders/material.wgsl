// A material as its primitives' fragments see it, and the light on them.

const DRAW_FRONTS = 1u;
const DRAW_BACKS = 2u;
const UNLIT = 4u;

struct Material {
    base_color: vec4<f32>,
    // Rows of the 2x3 matrix from the vertex's texture coordinates; w of the first: which set.
    uv_u: vec4<f32>,
    uv_v: vec4<f32>,
    // Below this alpha nothing is drawn; negative for materials without a mask.
    alpha_cutoff: f32,
    // What the drawn pixel's alpha is: 0 the surface's own, 1 always one.
    opaque: f32,
    roughness: f32,
    flags: u32,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var base_color_texture: texture_2d<f32>;
@group(1) @binding(2) var base_color_sampler: sampler;

// Whether the topology has faces: lines and points have none, so no winding and no face normal.
override has_faces: bool = true;

struct Surface {
    // Linear, straight alpha.
    color: vec4<f32>,
    // Towards the side that is seen; zero where there is none.
    normal: vec3<f32>,
}

// What of a fragment is seen; leaves by discard where nothing is.
fn surface(in: VertexOut, facing: bool) -> Surface {
    let front = !has_faces || (facing != (in.mirrored == 1u));
    let shown = select(DRAW_BACKS, DRAW_FRONTS, front);
    let own_uv = select(in.uv.xy, in.uv.zw, material.uv_u.w > 0.5);
    let uv = vec2(
        dot(material.uv_u.xyz, vec3(own_uv, 1.0)),
        dot(material.uv_v.xyz, vec3(own_uv, 1.0)),
    );
    let texel = textureSample(base_color_texture, base_color_sampler, uv);
    let face_normal = face_normal(in);
    let color = material.base_color * in.color * texel;
    if (material.flags & shown) == 0u || color.a < material.alpha_cutoff {
        discard;
    }
    var normal = face_normal;
    if any(in.normal != vec3(0.0)) {
        normal = normalize(in.normal) * select(-1.0, 1.0, front);
    }
    return Surface(vec4(color.rgb, mix(color.a, 1.0, material.opaque)), normal);
}

// The triangle's own normal, towards the camera.
fn face_normal(in: VertexOut) -> vec3<f32> {
    if !has_faces {
        return vec3(0.0);
    }
    let n = cross(dpdx(in.from_eye), dpdy(in.from_eye));
    let size = length(n);
    let unit = select(vec3(0.0), n / size, size > 0.0);
    return unit * select(-1.0, 1.0, dot(unit, towards_camera(in.from_eye)) >= 0.0);
}

const PI = 3.14159265359;

// Diffuse light of the environment and the lights.
fn lit(s: Surface, from_eye: vec3<f32>) -> vec3<f32> {
    var light = environment_diffuse(s.normal);
    for (var i = 0u; i < light_count(); i++) {
        let sample = light_sample(i, from_eye);
        light += max(dot(s.normal, sample.towards), 0.0) / PI * sample.radiance;
    }
    return s.color.rgb * light;
}
