// KHR_materials_transmission, with volume and dispersion: samples the copy of the opaque picture behind a
// surface, at a higher mip level for rough surfaces.

@group(3) @binding(0) var behind: texture_2d<f32>;
@group(3) @binding(1) var behind_sampler: sampler;

// Samples the copy where the refracted ray leaves the volume. Premultiplied.
fn behind_at(from_eye: vec3<f32>, roughness: f32) -> vec4<f32> {
    let uv = place_in_picture(from_eye);
    let level = log2(max(frame.picture_size.x, 1.0)) * roughness;
    return textureSampleLevel(behind, behind_sampler, uv, level);
}
#if VOLUME

// Vector from the point where light enters a volume to the point where it leaves.
fn way_through(view: vec3<f32>, normal: vec3<f32>, ior: f32, thickness: f32) -> vec3<f32> {
    return normalize(refract(-view, normal, 1.0 / ior)) * thickness;
}
#end

// Light transmitted through the surface, tinted by the body; alpha is the coverage of the background.
fn transmitted(s: Surface, in: VertexOut, view: vec3<f32>) -> vec4<f32> {
    // With the refractive index of air, even a rough surface does not scatter light.
    let blur = s.roughness * clamp(2.0 * material.ior - 2.0, 0.0, 1.0);
    var seen: vec4<f32>;
#if VOLUME
    let thickness = material.thickness * thickness_texel(in.uv).g * in.scale;
    let way = way_through(view, s.normal, material.ior, thickness);
#if DISPERSION
    let spread = 0.025 * (material.ior - 1.0) * material.dispersion;
    let way_red = way_through(view, s.normal, max(material.ior - spread, 1.0), thickness);
    let way_blue = way_through(view, s.normal, material.ior + spread, thickness);
    let red = behind_at(in.from_eye + way_red, blur);
    let blue = behind_at(in.from_eye + way_blue, blur);
    seen = behind_at(in.from_eye + way, blur);
    seen = vec4(red.r, seen.g, blue.b, (red.a + seen.a + blue.a) / 3.0);
#else
    seen = behind_at(in.from_eye + way, blur);
#end
    let tint = s.base_color.rgb * exp(-material.absorption * length(way));
#else
    seen = behind_at(in.from_eye, blur);
    let tint = s.base_color.rgb;
#end
    let covered = 1.0 - (1.0 - seen.a) * dot(tint, vec3(1.0 / 3.0));
    return vec4(seen.rgb * tint, covered);
}
