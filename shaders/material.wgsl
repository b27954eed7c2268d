// A material's numbers and textures. The textures' own declarations are put in front of this by
// slot: X_texel gives the texel of a slot at a vertex's coordinates, white without a texture.

const DRAW_FRONTS = 1u;
const DRAW_BACKS = 2u;
const UNLIT = 4u;
const ANISOTROPY_MAP = 8u;
const SPECULAR_GLOSSY = 16u;

// Rows of a 2x3 matrix from the vertex's texture coordinates; w of the first: which set.
struct UvRows {
    u: vec4<f32>,
    v: vec4<f32>,
}

struct Material {
    base_color: vec4<f32>,
    // w: below this alpha nothing is drawn; negative for materials without a mask.
    emissive: vec4<f32>,
    // Metallic, roughness (of specular-glossiness the glossiness), the normals' scale, the
    // occlusion's strength.
    surface: vec4<f32>,
    // What a dielectric reflects facing the light; w: how much at grazing angles.
    specular: vec4<f32>,
    // Factor, roughness, its normals' scale; w: the dispersion.
    clearcoat: vec4<f32>,
    // Colour; w: roughness.
    sheen: vec4<f32>,
    // Factor, index of refraction, nanometres where the texture is 0 and where it is 1.
    iridescence: vec4<f32>,
    // Strength, cosine and sine of the rotation; w: the transmission.
    anisotropy: vec4<f32>,
    // Absorption a metre; w: the volume's thickness in the mesh's space.
    absorption: vec4<f32>,
    // Colour; w: factor.
    diffuse_transmission: vec4<f32>,
    ior: f32,
    // What the drawn pixel's alpha is: 0 the surface's own, 1 always one.
    opaque: f32,
    flags: u32,
    padding: u32,
    uv: array<UvRows, 20>,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var reflectance_table: texture_2d<f32>;
@group(1) @binding(2) var reflectance_sampler: sampler;

// Where a slot's texture is sampled.
fn slot_uv(slot: u32, uv: vec4<f32>) -> vec2<f32> {
    let rows = material.uv[slot];
    let own = vec3(select(uv.xy, uv.zw, rows.u.w > 0.5), 1.0);
    return vec2(dot(rows.u.xyz, own), dot(rows.v.xyz, own));
}
