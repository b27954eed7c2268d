// The numbers of what a picture shows at a pixel, instead of its colour. Vertices are posed as for the picture.

// The number of the draw in x.
@group(3) @binding(0) var<uniform> drawn: vec4<u32>;

// Whether the topology has faces.
override has_faces: bool = true;

// Whether the surface is blended over the picture, so that it is not visible where its alpha is 0.
override fades: bool = false;

// Half the step of a byte: less than this changes no picture.
const INVISIBLE = 0.00196;

struct VertexOut {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec4<f32>,
    @location(1) color: vec4<f32>,
    // Distance ahead of the camera.
    @location(2) ahead: f32,
    @location(3) @interpolate(flat, either) mirrored: u32,
    @location(4) @interpolate(flat, either) instance: u32,
}

fn vertex_out(world_from_mesh: mat4x4<f32>, v: VertexIn, influences: f32) -> VertexOut {
    let local = local(v);
    let p = posed(world_from_mesh, local);
    var out: VertexOut;
    out.position = frame.projection_from_world * vec4(p.position, 1.0);
    out.uv = local.uv;
    out.color = local.color;
    out.ahead = -dot(p.position - frame.eye, frame.backward);
    out.mirrored = p.mirrored;
    out.instance = v.instance;
    return out;
}

// The draw's number plus one, since 0 is nothing; the instance; the bits of the distance.
fn numbers(in: VertexOut) -> vec4<u32> {
    return vec4(drawn.x + 1u, in.instance, bitcast<u32>(in.ahead), 0u);
}

@fragment
fn fs_pick(in: VertexOut) -> @location(0) vec4<u32> {
    return numbers(in);
}

// A surface that is cut by an alpha mask, blended, or drawn from one side only.
@fragment
fn fs_cut_pick(in: VertexOut, @builtin(front_facing) facing: bool) -> @location(0) vec4<u32> {
    let front = !has_faces || facing != (in.mirrored == 1u);
    let alpha = material.base_color.a * in.color.a * base_color_texel(in.uv).a;
    let invisible = fades && mix(alpha, 1.0, material.opaque) < INVISIBLE;
    if !is_shown(front, alpha) || invisible {
        discard;
    }
    return numbers(in);
}
