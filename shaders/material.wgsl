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
    // w: alpha below which fragments are discarded; negative for materials without a mask.
    emissive: vec4<f32>,
    // Metallic, roughness (glossiness for specular-glossiness), normal scale, occlusion strength.
    surface: vec4<f32>,
    // F0 of the dielectric; w: its F90.
    specular: vec4<f32>,
    // Factor, roughness, normal scale; w: dispersion of the volume.
    clearcoat: vec4<f32>,
    // Colour; w: roughness.
    sheen: vec4<f32>,
    // Factor, index of refraction, thickness in nanometres for texel values 0 and 1.
    iridescence: vec4<f32>,
    // Strength, cosine and sine of the rotation; w: transmission.
    anisotropy: vec4<f32>,
    // Absorption per metre; w: thickness of the volume in mesh space.
    absorption: vec4<f32>,
    // Colour; w: factor.
    diffuse_transmission: vec4<f32>,
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
    return (material.flags & side) != 0u && alpha >= material.emissive.w;
}
