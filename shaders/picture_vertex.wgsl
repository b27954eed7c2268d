// Output of the vertex shaders of pictures.

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

// Whether the weights have the sums of the file.
override has_file_sums = false;

fn vertex_out(weighted: mat4x4<f32>, v: VertexIn, influences: f32) -> VertexOut {
    let local = local(v);
    // The bottom row of a palette's matrix holds the joint's number and 1, see FrameData::write_palettes.
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
