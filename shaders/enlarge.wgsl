// A picture that was drawn smaller than it is shown.

@fragment
fn fs_enlarge(in: Corner) -> @location(0) vec4<f32> {
    return textureSampleLevel(source, source_sampler, in.uv, 0.0);
}
