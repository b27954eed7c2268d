// Input of vertex shaders: rigid vertices are transformed by an instance's matrix, skinned ones by one to four sets of
// four weighted joint IDs.

struct VertexIn {
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tangent: vec4<f32>,
    @location(3) uv: vec4<f32>,
    @location(4) color: vec4<f32>,
}

// Rows of a rigid instance's matrix, from mesh to world space.
struct InstanceIn {
    @location(5) x: vec4<f32>,
    @location(6) y: vec4<f32>,
    @location(7) z: vec4<f32>,
}

struct Set0 {
    @location(8) joints: vec4<u32>,
    @location(9) weights: vec4<f32>,
}

struct Set1 {
    @location(10) joints: vec4<u32>,
    @location(11) weights: vec4<f32>,
}

struct Set2 {
    @location(12) joints: vec4<u32>,
    @location(13) weights: vec4<f32>,
}

struct Set3 {
    @location(14) joints: vec4<u32>,
    @location(15) weights: vec4<f32>,
}

fn rigid_matrix(i: InstanceIn) -> mat4x4<f32> {
    return transpose(mat4x4(i.x, i.y, i.z, vec4(0.0, 0.0, 0.0, 1.0)));
}

fn count(weights: vec4<f32>) -> f32 {
    return dot(vec4(1.0), vec4<f32>(weights > vec4(0.0)));
}

fn local(v: VertexIn) -> Local {
    return morphed(Local(v.position, v.normal, v.tangent.xyz, v.uv, v.color), v.index);
}
