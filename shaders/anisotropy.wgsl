// KHR_materials_anisotropy: GGX with two roughnesses.

// Like `ggx`, with a wider lobe along `stretch`. `alpha` is the roughness across it.
fn ggx_anisotropic(s: Surface, alpha: f32, view: vec3<f32>, light: vec3<f32>, a: Angles) -> f32 {
    let along = mix(alpha, 1.0, s.stretched * s.stretched);
    let t = unit_or(s.stretch - s.normal * dot(s.normal, s.stretch), s.stretch);
    let b = cross(s.normal, t);
    let half = normalize(light + view);
    let product = along * alpha;
    let facet = vec3(alpha * dot(t, half), along * dot(b, half), product * a.n_h);
    let weight = product / max(dot(facet, facet), 1e-12);
    let distribution = product * weight * weight / PI;
    let masked = a.n_l * length(vec3(along * dot(t, view), alpha * dot(b, view), a.n_v));
    let shadowed = a.n_v * length(vec3(along * dot(t, light), alpha * dot(b, light), a.n_l));
    return distribution * 0.5 / max(masked + shadowed, 1e-6);
}

// Bends the normal so that a reflection about it is the centre of the anisotropic reflection (McAuley,
// "Rendering the world of Far Cry 4", 2015).
fn bent_normal(s: Surface, view: vec3<f32>) -> vec3<f32> {
    let b = unit_or(cross(s.normal, s.stretch), s.stretch);
    let bent = unit_or(cross(b, cross(view, b)), s.normal);
    let straight = 1.0 - s.stretched * (1.0 - s.roughness);
    let straight2 = straight * straight;
    return normalize(mix(bent, s.normal, straight2 * straight2));
}
