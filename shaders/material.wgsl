// A material's uniform. render::shader generates the declarations of its textures by slot: X_texel samples
// slot X at a vertex's texture coordinates and returns white without a texture.

const DRAW_FRONTS = 1u;
const DRAW_BACKS = 2u;
const UNLIT = 4u;
const ANISOTROPY_MAP = 8u;
const SPECULAR_GLOSSY = 16u;

// Rows of a 2x3 matrix for the vertex's texture coordinates; u.w: index of the coordinate set.
struct UvRows {
    u: vec4<f32>,
    v: vec4<f32>,
}

struct Material {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    // Fragments with less alpha are discarded; negative for materials without a mask.
    alpha_cutoff: f32,
    metallic: f32,
    // Glossiness for specular-glossiness.
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    // Of the dielectric.
    specular_f0: vec3<f32>,
    specular_f90: f32,
    clearcoat: f32,
    clearcoat_roughness: f32,
    clearcoat_normal_scale: f32,
    // Of the volume.
    dispersion: f32,
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    iridescence: f32,
    iridescence_ior: f32,
    // Thickness in nanometres for texel values 0 and 1.
    iridescence_thinnest: f32,
    iridescence_thickest: f32,
    anisotropy: f32,
    transmission: f32,
    // Cosine and sine of the anisotropy's rotation.
    anisotropy_direction: vec2<f32>,
    // Per metre.
    absorption: vec3<f32>,
    // Of the volume, in mesh space.
    thickness: f32,
    diffuse_transmission_color: vec3<f32>,
    diffuse_transmission: f32,
    ior: f32,
    // 1 if the drawn alpha is always 1, 0 if it is the surface's.
    opaque: f32,
    flags: u32,
    padding: u32,
    uv: array<UvRows, 20>,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var reflectance_table: texture_2d<f32>;
@group(1) @binding(2) var reflectance_sampler: sampler;

// Transforms a vertex's texture coordinates to those of a slot's texture.
fn slot_uv(slot: u32, uv: vec4<f32>) -> vec2<f32> {
    let rows = material.uv[slot];
    let own = vec3(select(uv.xy, uv.zw, rows.u.w > 0.5), 1.0);
    return vec2(dot(rows.u.xyz, own), dot(rows.v.xyz, own));
}

// Whether the material shows this side and this alpha.
fn is_shown(front: bool, alpha: f32) -> bool {
    let side = select(DRAW_BACKS, DRAW_FRONTS, front);
    return (material.flags & side) != 0u && alpha >= material.alpha_cutoff;
}
