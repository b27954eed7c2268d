// KHR_materials_iridescence: interference in a thin film (Belcour and Barla, "A practical extension to
// microfacet theory for the modeling of varying iridescence", 2017).

struct Film {
    factor: f32,
    ior: f32,
    // Nanometres.
    thickness: f32,
}

fn film(uv: vec4<f32>) -> Film {
    let part = iridescence_thickness_texel(uv).g;
    let thickness = mix(material.iridescence_thinnest, material.iridescence_thickest, part);
    let factor = material.iridescence * iridescence_texel(uv).r;
    return Film(select(factor, 0.0, thickness == 0.0), material.iridescence_ior, thickness);
}

fn f0_between(a: vec3<f32>, b: f32) -> vec3<f32> {
    let r = (a - b) / (a + b);
    return r * r;
}

// Colour of the interference at a path difference, in linear sRGB. Uses Gaussians fitted to the colour
// matching functions in the frequency domain.
fn sensitivity(path_nm: f32, shift: vec3<f32>) -> vec3<f32> {
    let phase = 2.0 * PI * path_nm * 1e-9;
    let height = vec3(5.4856e-13, 4.4201e-13, 5.2481e-13);
    let place = vec3(1.6810e6, 1.7953e6, 2.2084e6);
    let variance = vec3(4.3278e9, 9.3046e9, 6.6121e9);
    var xyz = height * sqrt(2.0 * PI * variance) * cos(place * phase + shift)
        * exp(-phase * phase * variance);
    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase + shift.x)
        * exp(-4.5282e9 * phase * phase);
    xyz /= 1.0685e-7;
    return mat3x3(
        vec3(3.2404542, -0.9692660, 0.0556434),
        vec3(-1.5371385, 1.8760108, -0.2040259),
        vec3(-0.4985314, 0.0415560, 1.0572252),
    ) * xyz;
}

// The Fresnel term of a film on a body with this F0, at this cosine of the angle of incidence.
fn film_fresnel(f: Film, cosine: f32, body_f0: vec3<f32>) -> vec3<f32> {
    // A film much thinner than the wavelength has no effect.
    let ior = mix(1.0, f.ior, smoothstep(0.0, 0.03, f.thickness));
    let inner2 = 1.0 - (1.0 - cosine * cosine) / (ior * ior);
    if inner2 < 0.0 {
        return vec3(1.0);
    }
    let inner = sqrt(inner2);
    // Air to film.
    let r12 = schlick(f0_between(vec3(ior), 1.0), 1.0, cosine).x;
    let through2 = (1.0 - r12) * (1.0 - r12);
    let shift21 = select(PI, 0.0, ior < 1.0);
    // Film to body.
    let root = sqrt(clamp(body_f0, vec3(0.0), vec3(0.9999)));
    let body_ior = (1.0 + root) / (1.0 - root);
    let r23 = schlick(f0_between(body_ior, ior), 1.0, inner);
    let shift = shift21 + select(vec3(0.0), vec3(PI), body_ior < vec3(ior));
    let path = 2.0 * ior * f.thickness * inner;
    let r123 = clamp(r12 * r23, vec3(1e-5), vec3(0.9999));
    let once = through2 * r23 / (1.0 - r123);
    var color = r12 + once;
    var order = once - (1.0 - r12);
    for (var m = 1; m <= 2; m++) {
        order *= sqrt(r123);
        color += order * 2.0 * sensitivity(f32(m) * path, f32(m) * shift);
    }
    return max(color, vec3(0.0));
}

// Inverts Schlick's approximation with F90 = 1: the F0 that gives this Fresnel term at this cosine. It is
// negative for colours that the film removes at grazing angles.
fn f0_of(fresnel: vec3<f32>, cosine: f32) -> vec3<f32> {
    let g = min(grazing(cosine), 0.9999);
    return clamp((fresnel - g) / (1.0 - g), vec3(-2.0), vec3(1.0));
}
