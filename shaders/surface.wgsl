// Evaluates the surface of a fragment: samples its textures and orients its normals towards the visible
// side.

// Whether the topology has faces. Lines and points have neither winding nor face normal.
override has_faces: bool = true;

// Whether fragments may be discarded: back faces, or by alpha.
override cuts: bool = true;

struct Surface {
    // Linear, straight alpha.
    base_color: vec4<f32>,
    // Normal towards the visible side, with the normal map; zero if the fragment has none.
    normal: vec3<f32>,
    // The same without the normal map.
    smooth_normal: vec3<f32>,
    metallic: f32,
    // Perceptual, as in the file: alpha is its square.
    roughness: f32,
    // Ambient occlusion; 1 is unoccluded.
    occlusion: f32,
    emissive: vec3<f32>,
#if SPECULAR_GLOSSINESS
    // F0.
    specular: vec3<f32>,
#end
#if TANGENTS
    tangent: vec3<f32>,
#end
#if CLEARCOAT
    coat_normal: vec3<f32>,
#end
#if ANISOTROPY
    // Unit vector along which the roughness is increased.
    stretch: vec3<f32>,
    // Anisotropy strength, 0 to 1.
    stretched: f32,
#end
}

// Returns the surface of a fragment, or discards it.
fn surface(in: VertexOut, facing: bool) -> Surface {
    let front = !has_faces || (facing != (in.mirrored == 1u));
    let shown = select(DRAW_BACKS, DRAW_FRONTS, front);
    let side = select(-1.0, 1.0, front);
    let color = material.base_color * in.color * base_color_texel(in.uv);

    var s: Surface;
    s.base_color = vec4(color.rgb, mix(color.a, 1.0, material.opaque));
    let face_normal = face_normal(in);
    s.smooth_normal = face_normal;
    if any(in.normal != vec3(0.0)) {
        s.smooth_normal = normalize(in.normal) * side;
    }
    s.normal = s.smooth_normal;
#if TANGENTS
    let frame = tangent_frame(in, s.smooth_normal * side);
    s.tangent = frame[0];
    // glTF 2.0, 3.9.7: points and lines without tangents have no normal map.
    let mapped = has_faces || dot(in.tangent.xyz, in.tangent.xyz) > 0.01;
    if mapped && any(s.smooth_normal != vec3(0.0)) {
        s.normal = mapped_normal(normal_texel(in.uv).xyz, material.normal_scale, frame) * side;
    }
#end
#if CLEARCOAT
    s.coat_normal = s.smooth_normal;
#if TANGENTS
    if mapped {
        s.coat_normal = mapped_normal(clearcoat_normal_texel(in.uv).xyz, material.clearcoat_normal_scale, frame) * side;
    }
#end
#end
#if ANISOTROPY
    let anisotropy = anisotropy_texel(in.uv).rgb;
    let way = select(vec2(1.0, 0.0), 2.0 * anisotropy.rg - 1.0, (material.flags & ANISOTROPY_MAP) != 0u);
    let turn = material.anisotropy_direction;
    let turned = vec2(turn.x * way.x - turn.y * way.y, turn.y * way.x + turn.x * way.y);
    s.stretch = unit_or(frame[0] * turned.x + frame[1] * turned.y, frame[0]);
    s.stretched = material.anisotropy * anisotropy.b;
#end
    let metallic_roughness = metallic_roughness_texel(in.uv);
    s.metallic = clamp(material.metallic * metallic_roughness.b, 0.0, 1.0);
    s.roughness = clamp(material.roughness * metallic_roughness.g, 0.0, 1.0);
#if SPECULAR_GLOSSINESS
    let specular_glossiness = specular_glossiness_texel(in.uv);
    s.specular = material.specular_f0 * specular_glossiness.rgb;
    if (material.flags & SPECULAR_GLOSSY) != 0u {
        s.roughness = 1.0 - material.roughness * specular_glossiness.a;
    }
#end
    s.occlusion = mix(1.0, occlusion_texel(in.uv).r, material.occlusion_strength);
    s.emissive = material.emissive * emissive_texel(in.uv).rgb;
    if cuts && ((material.flags & shown) == 0u || color.a < material.alpha_cutoff) {
        discard;
    }
    return s;
}

// The triangle's own normal, facing the camera.
fn face_normal(in: VertexOut) -> vec3<f32> {
    if !has_faces {
        return vec3(0.0);
    }
    let unit = triangle_normal(in.from_eye);
    return unit * select(-1.0, 1.0, dot(unit, towards_camera(in.from_eye)) >= 0.0);
}

// Normalises a vector; returns `other` if its length is zero.
fn unit_or(v: vec3<f32>, other: vec3<f32>) -> vec3<f32> {
    let size = length(v);
    return select(other, v / size, size > 1e-12);
}
#if TANGENTS

// Tangent, bitangent and normal of the front side. Without a vertex tangent, the tangent is derived from the
// screen-space derivatives of the normal map's U coordinate.
fn tangent_frame(in: VertexOut, normal: vec3<f32>) -> mat3x3<f32> {
    let uv = slot_uv(NORMAL_SLOT, in.uv);
    let uv_x = dpdx(uv);
    let uv_y = dpdy(uv);
    let at_x = dpdx(in.from_eye);
    let at_y = dpdy(in.from_eye);
    let turn = sign(uv_x.x * uv_y.y - uv_x.y * uv_y.x);
    let along_u = (at_x * uv_y.y - at_y * uv_x.y) * turn;
    // A normal map's green axis points against V.
    let up = (at_x * uv_y.x - at_y * uv_x.x) * turn;
    var tangent = along_u;
    var handed = sign(dot(cross(normal, along_u), up));
    if dot(in.tangent.xyz, in.tangent.xyz) > 0.01 {
        tangent = in.tangent.xyz;
        handed = sign(in.tangent.w);
    }
    let across = cross(normal, select(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), abs(normal.x) > 0.8));
    tangent = unit_or(tangent - normal * dot(normal, tangent), unit_or(across, vec3(1.0, 0.0, 0.0)));
    return mat3x3(tangent, cross(normal, tangent) * select(-1.0, 1.0, handed >= 0.0), normal);
}

// Returns the normal that a texel of a normal map encodes.
fn mapped_normal(texel: vec3<f32>, scale: f32, frame: mat3x3<f32>) -> vec3<f32> {
    let slope = 2.0 * texel - 1.0;
    return unit_or(frame * vec3(slope.xy * scale, slope.z), frame[2]);
}
#end
