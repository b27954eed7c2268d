// KHR_materials_sheen: the Charlie distribution with Ashikhmin's visibility term.

struct Cloth {
    color: vec3<f32>,
    roughness: f32,
}

fn cloth(uv: vec4<f32>) -> Cloth {
    let color = material.sheen_color * sheen_color_texel(uv).rgb;
    return Cloth(color, clamp(material.sheen_roughness * sheen_roughness_texel(uv).a, 0.0, 1.0));
}

// Fraction of light that passes through to the layers below.
fn below_sheen(c: Cloth, cosine: f32) -> f32 {
    return 1.0 - largest(c.color) * reflectance_at(cosine, c.roughness).z;
}

fn sheen(c: Cloth, a: Angles) -> vec3<f32> {
    let inverse = 1.0 / max(c.roughness * c.roughness, 1e-3);
    let sine2 = max(1.0 - a.n_h * a.n_h, 1e-4);
    let distribution = (2.0 + inverse) * pow(sine2, 0.5 * inverse) / (2.0 * PI);
    return c.color * distribution / (4.0 * max(a.n_l + a.n_v - a.n_l * a.n_v, 1e-4));
}
