// Radiance of a surface towards the eye: glTF 2.0, appendix B, with the layers of the KHR_materials
// extensions from the inside out: body, sheen, clear coat.

// Minimum roughness for punctual lights. Smoother surfaces would have highlights smaller than a pixel.
const SMOOTHEST = 0.045;

// Whether roughness grows where the normal varies within a pixel.
override steadies: bool = false;

// Specular anti-aliasing: adds the variance of the normal within a pixel to the roughness, so that small bright
// edges do not sparkle (Tokuyoshi and Kaplanyan, "Stable Geometric Specular Antialiasing with Projected-Space NDF
// Filtering", 2021, for deferred shading, with its constants).
fn steadied(roughness: f32, normal: vec3<f32>) -> f32 {
    if !steadies {
        return roughness;
    }
    let x = dpdxFine(normal);
    let y = dpdyFine(normal);
    let wider = min(0.31830989 * (dot(x, x) + dot(y, y)), 0.18);
    let alpha = roughness * roughness;
    return sqrt(sqrt(min(alpha * alpha + wider, 1.0)));
}

// The body below all layers, a mix of dielectric and metal, seen at one angle.
struct Body {
    // Diffuse albedo of the dielectric.
    albedo: vec3<f32>,
    // F0 of dielectric and metal, and F90 of the dielectric; that of metals is 1.
    dielectric: vec3<f32>,
    dielectric_90: f32,
    metal: vec3<f32>,
    metallic: f32,
    roughness: f32,
    n_v: f32,
    // Factors of F0 and F90 under uniform illumination at this angle.
    table: vec2<f32>,
#if IRIDESCENCE
    film: f32,
    // The film's Fresnel terms at this angle.
    dielectric_film: vec3<f32>,
    metal_film: vec3<f32>,
#end
}

fn body(s: Surface, in: VertexOut, view: vec3<f32>) -> Body {
    var b: Body;
    b.metallic = s.metallic;
    b.roughness = steadied(s.roughness, s.normal);
    b.albedo = s.base_color.rgb;
    b.metal = s.base_color.rgb;
    let strength = material.specular_f90 * specular_texel(in.uv).a;
    let tint = specular_color_texel(in.uv).rgb;
    b.dielectric = min(material.specular_f0 * tint, vec3(1.0)) * strength;
    b.dielectric_90 = strength;
#if SPECULAR_GLOSSINESS
    if (material.flags & SPECULAR_GLOSSY) != 0u {
        // The extension's factor of the diffuse colour equals `Shares::entering`.
        b.dielectric = s.specular;
    }
#end
    b.n_v = clamp(dot(s.normal, view), 1e-4, 1.0);
    b.table = reflectance_at(b.n_v, b.roughness).xy;
#if IRIDESCENCE
    let film = film(in.uv);
    b.film = film.factor;
    b.dielectric_film = film_fresnel(film, b.n_v, b.dielectric);
    b.metal_film = film_fresnel(film, b.n_v, b.metal);
    b.dielectric = mix(b.dielectric, f0_of(b.dielectric_film, b.n_v), b.film);
    b.metal = mix(b.metal, f0_of(b.metal_film, b.n_v), b.film);
#end
    return b;
}

// Fractions of light that the body reflects and lets in.
struct Shares {
    reflected: vec3<f32>,
    // Fraction that enters the dielectric: what its surface does not reflect.
    entering: f32,
}

// For uniform illumination.
fn shares(b: Body) -> Shares {
    let dielectric = reflectance(b.dielectric, b.dielectric_90, b.table);
    let metal = reflectance(b.metal, 1.0, b.table);
    return Shares(
        mix(dielectric, metal, b.metallic),
        (1.0 - b.metallic) * (1.0 - min(largest(dielectric), 1.0)),
    );
}

// For light from one direction; `reflected` must still be multiplied by the microfacet term.
fn shares_towards(b: Body, v_h: f32) -> Shares {
    var dielectric = schlick(b.dielectric, b.dielectric_90, v_h);
    var metal = schlick(b.metal, 1.0, v_h);
#if IRIDESCENCE
    dielectric = mix(dielectric, b.dielectric_film, b.film);
    metal = mix(metal, b.metal_film, b.film);
#end
    return Shares(
        mix(
            dielectric * multiple_scattering(b.dielectric, b.table),
            metal * multiple_scattering(b.metal, b.table),
            b.metallic,
        ),
        (1.0 - b.metallic) * (1.0 - min(largest(dielectric), 1.0)),
    );
}

// Occlusion of reflections; approaches the diffuse occlusion with increasing roughness (Lagarde and
// de Rousiers, "Moving Frostbite to physically based rendering", 2014).
fn specular_occlusion(occlusion: f32, n_v: f32, roughness: f32) -> f32 {
    return clamp(pow(n_v + occlusion, exp2(-16.0 * roughness - 1.0)) - 1.0 + occlusion, 0.0, 1.0);
}

// Dominant direction of reflected light; on rough surfaces it is closer to the normal.
fn mirrored(view: vec3<f32>, normal: vec3<f32>, roughness: f32) -> vec3<f32> {
    let roughness2 = roughness * roughness;
    return normalize(mix(reflect(-view, normal), normal, roughness2 * roughness2));
}

// Radiance towards the eye, not premultiplied; alpha is the coverage of the background.
fn lit(s: Surface, in: VertexOut) -> vec4<f32> {
    let view = towards_camera(in.from_eye);
    let b = body(s, in, view);
    var covered = 1.0;

    // Environment light.
    let all_around = shares(b);
    var normal = s.normal;
#if ANISOTROPY
    normal = bent_normal(s, view);
#end
    var diffuse = b.albedo * environment_diffuse(s.normal);
#if DIFFUSE_TRANSMISSION
    let through = material.diffuse_transmission * diffuse_transmission_texel(in.uv).a;
    var through_color =
        material.diffuse_transmission_color * diffuse_transmission_color_texel(in.uv).rgb;
#if VOLUME
    through_color *= exp(-material.absorption * material.thickness * thickness_texel(in.uv).g * in.scale);
#end
    diffuse = mix(diffuse, through_color * environment_diffuse(-s.normal), through);
#end
    // Of the file's occlusion and that of the picture, the darker wins.
    var open = s.occlusion;
    var bounced = vec3(s.occlusion);
    let reached = reached(in.from_eye, s.smooth_normal);
    if occluded {
        open = min(open, reached.x);
        bounced = several_bounces(open, b.albedo);
    }
    diffuse *= bounced;
    var opacity = 1.0;
#if TRANSMISSION
    let transmission = material.transmission * transmission_texel(in.uv).r;
    if transmission > 0.0 {
        let seen = transmitted(s, in, view);
        diffuse = mix(diffuse, seen.rgb, transmission);
        covered = 1.0 - all_around.entering * transmission * (1.0 - seen.a);
        opacity = 1.0 - transmission;
    }
#end
    let mirror = environment_specular(mirrored(view, normal, b.roughness), b.roughness);
    var color = all_around.entering * diffuse
        + all_around.reflected * mirror * specular_occlusion(open, b.n_v, b.roughness);
#if SHEEN
    var cloth = cloth(in.uv);
    cloth.roughness = steadied(cloth.roughness, s.normal);
    let left = below_sheen(cloth, b.n_v);
    color = color * left + cloth.color * reflectance_at(b.n_v, cloth.roughness).z
        * environment_specular(mirrored(view, s.normal, cloth.roughness), cloth.roughness) * open;
#end
#if CLEARCOAT
    let coat = material.clearcoat * clearcoat_texel(in.uv).r;
    var coat_roughness = clamp(material.clearcoat_roughness * clearcoat_roughness_texel(in.uv).g, 0.0, 1.0);
    coat_roughness = steadied(coat_roughness, s.coat_normal);
    let coat_n_v = clamp(dot(s.coat_normal, view), 1e-4, 1.0);
    let coat_reflects = reflectance_at(coat_n_v, coat_roughness);
    var coat_light = (COAT_F0 * coat_reflects.x + coat_reflects.y)
        * environment_specular(mirrored(view, s.coat_normal, coat_roughness), coat_roughness)
        * specular_occlusion(open, coat_n_v, coat_roughness);
#end

    // Punctual lights.
    let roughness = max(b.roughness, SMOOTHEST);
    let alpha = roughness * roughness;
    for (var i = 0u; i < light_count(); i++) {
        let light = light_sample(i, in.from_eye, reached.y);
        let a = angles(s.normal, view, light.towards);
        let part = shares_towards(b, a.v_h);
        var facets = ggx(alpha, a);
#if ANISOTROPY
        facets = ggx_anisotropic(s, alpha, view, light.towards, a);
#end
        var given = opacity * part.entering * b.albedo * a.n_l / PI;
#if DIFFUSE_TRANSMISSION
        // Light from the other side enters like its mirror image on this side.
        let behind = max(-dot(s.normal, light.towards), 0.0);
        let image = light.towards + 2.0 * s.normal * behind;
        let entering = shares_towards(b, angles(s.normal, view, image).v_h).entering;
        given = given * (1.0 - through) + opacity * entering * through * through_color * behind / PI;
#end
        given += part.reflected * facets * a.n_l;
#if SHEEN
        given = given * min(left, below_sheen(cloth, a.n_l)) + sheen(cloth, a) * a.n_l;
#end
        color += given * light.radiance;
#if CLEARCOAT
        let over = angles(s.coat_normal, view, light.towards);
        let smoothest = max(coat_roughness, SMOOTHEST);
        coat_light += schlick(vec3(COAT_F0), 1.0, over.v_h) * ggx(smoothest * smoothest, over)
            * over.n_l * light.radiance;
#end
    }

    color += lights.emission_factor * s.emissive;
#if CLEARCOAT
    color = color * (1.0 - coat * schlick(vec3(COAT_F0), 1.0, coat_n_v).x) + coat * coat_light;
#end
#if TRANSMISSION
    // Coverage below the brightness would clip the light where there is no background.
    covered = max(covered, min(largest(srgb_from_linear(color / frame.white)), 1.0));
#end
    return vec4(color, covered);
}
#if CLEARCOAT

// F0 of varnish, whose index of refraction is 1.5.
const COAT_F0 = 0.04;
#end
