// How light is reflected: glTF 2.0, appendix B. `alpha` is the square of the roughness.

const PI = 3.14159265359;

// What light from one direction meets: cosines between the normal, it, the eye and their half.
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

// Microfacets by GGX, with the height-correlated Smith term over 4 n.l n.v.
fn ggx(alpha: f32, a: Angles) -> f32 {
    let alpha2 = alpha * alpha;
    let spread = a.n_h * a.n_h * (alpha2 - 1.0) + 1.0;
    let distribution = alpha2 / (PI * spread * spread);
    let masked = a.n_l * sqrt(a.n_v * a.n_v * (1.0 - alpha2) + alpha2);
    let shadowed = a.n_v * sqrt(a.n_l * a.n_l * (1.0 - alpha2) + alpha2);
    return distribution * 0.5 / max(masked + shadowed, 1e-6);
}

// For light from everywhere, at this angle and roughness: scale and bias of F0 and F90, and what
// sheen gives back.
fn reflectance_at(n_v: f32, roughness: f32) -> vec3<f32> {
    return textureSampleLevel(reflectance_table, reflectance_sampler, vec2(n_v, roughness), 0.0).xyz;
}

// What is scattered more than once between the facets comes out too (Turquin, "Practical multiple
// scattering compensation for microfacet models", 2019): the gain over what is scattered once.
fn multiple_scattering(f0: vec3<f32>, table: vec2<f32>) -> vec3<f32> {
    return 1.0 + f0 * (1.0 / (table.x + table.y) - 1.0);
}

// The share of light from everywhere that is reflected.
fn reflectance(f0: vec3<f32>, f90: f32, table: vec2<f32>) -> vec3<f32> {
    return (f0 * table.x + f90 * table.y) * multiple_scattering(f0, table);
}
