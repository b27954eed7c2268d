// Vertex shaders: rigid vertices are transformed by an instance's matrix, skinned ones by one to four sets of
// four weighted joint IDs. Each kind has an entry point for pictures (vs_) and one that writes the posed
// position to a texel (probe_), for `pose --gpu`.

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

// Whether lines fade where they are short, so that dense ones do not fill the picture.
override edges_fade: bool = false;

struct VertexOut {
    @builtin(position) position: vec4<f32>,
    // Position relative to the eye. Small values keep the derivatives precise.
    @location(0) from_eye: vec3<f32>,
    // Zero if the file has none; the face normal is used then.
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec4<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat, either) mirrored: u32,
    // Number of joints that influence the vertex.
    @location(5) influences: f32,
    // Weighted mean of the joints' numbers (the weight of a shown joint), and the sum of all weights.
    @location(12) weights: vec2<f32>,
#if TANGENTS
    // Tangent on the front side; w: handedness. Zero if the file has none.
    @location(6) tangent: vec4<f32>,
#end
#if VOLUME
    @location(7) scale: f32,
#end
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

// Whether the weights have the sums of the file.
override has_file_sums = false;

fn for_picture(weighted: mat4x4<f32>, v: VertexIn, influences: f32) -> VertexOut {
    let local = local(v);
    // The bottom rows of a palette's matrices hold the joint's number and 1, see FrameData::put_palettes.
    let sum = weighted[3].w;
    var world_from_mesh = weighted;
    if has_file_sums {
        world_from_mesh *= 1.0 / sum;
    }
    let p = posed(world_from_mesh, local);
    var out: VertexOut;
    out.position = on_screen(p.position, p.normal);
    out.from_eye = p.position - frame.eye;
    out.normal = p.normal;
    out.uv = local.uv;
    out.color = local.color;
    out.mirrored = p.mirrored;
    out.influences = influences;
    out.weights = vec2(world_from_mesh[0].w, sum);
#if TANGENTS
    // Mirroring reverses the cross product of normal and tangent.
    let tangent = (world_from_mesh * vec4(local.tangent, 0.0)).xyz;
    let size = length(tangent);
    let handed = select(v.tangent.w, -v.tangent.w, p.mirrored == 1u);
    out.tangent = vec4(select(vec3(0.0), tangent / size, size > 0.0), handed);
#end
#if VOLUME
    out.scale = p.scale;
#end
    return out;
}
