// The BRDF of glTF 2.0, appendix B. `alpha` is the square of the perceptual roughness.

const PI = 3.14159265359;

// Cosines between normal (n), light (l), view (v) and half vector (h).
struct Angles {
    n_l: f32,
    n_v: f32,
    n_h: f32,
    v_h: f32,
}

fn angles(normal: vec3<f32>, view: vec3<f32>, light: vec3<f32>) -> Angles {
    let half = normalize(light + view);
    return Angles(
        clamp(dot(normal, light), 0.0, 1.0),
        clamp(dot(normal, view), 1e-4, 1.0),
        clamp(dot(normal, half), 0.0, 1.0),
        clamp(dot(view, half), 0.0, 1.0),
    );
}

fn largest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}

fn grazing(cosine: f32) -> f32 {
    let x = 1.0 - cosine;
    let x2 = x * x;
    return x2 * x2 * x;
}

// Schlick's Fresnel term.
fn schlick(f0: vec3<f32>, f90: f32, cosine: f32) -> vec3<f32> {
    return f0 + (vec3(f90) - f0) * grazing(cosine);
}

// GGX distribution times the height-correlated Smith visibility term, which includes 1 / (4 n.l n.v).
fn ggx(alpha: f32, a: Angles) -> f32 {
    let alpha2 = alpha * alpha;
    let spread = a.n_h * a.n_h * (alpha2 - 1.0) + 1.0;
    let distribution = alpha2 / (PI * spread * spread);
    let masked = a.n_l * sqrt(a.n_v * a.n_v * (1.0 - alpha2) + alpha2);
    let shadowed = a.n_v * sqrt(a.n_l * a.n_l * (1.0 - alpha2) + alpha2);
    return distribution * 0.5 / max(masked + shadowed, 1e-6);
}

// Looks up the reflectance under uniform illumination: the factors of F0 and F90, and the albedo of sheen.
fn reflectance_at(n_v: f32, roughness: f32) -> vec3<f32> {
    return textureSampleLevel(reflectance_table, reflectance_sampler, vec2(n_v, roughness), 0.0).xyz;
}

// Compensates for light that is scattered more than once between the facets: returns the gain over single
// scattering (Turquin, "Practical multiple scattering compensation for microfacet models", 2019).
fn multiple_scattering(f0: vec3<f32>, table: vec2<f32>) -> vec3<f32> {
    return 1.0 + max(f0, vec3(0.0)) * (1.0 / (table.x + table.y) - 1.0);
}

// The reflected fraction of uniform illumination.
fn reflectance(f0: vec3<f32>, f90: f32, table: vec2<f32>) -> vec3<f32> {
    return max((f0 * table.x + f90 * table.y) * multiple_scattering(f0, table), vec3(0.0));
}
