// The drawn scene with several samples per pixel, averaged here: to resolve samples, software adapters would
// compile a shader of their own in every run.

@group(0) @binding(1) var scene: texture_multisampled_2d<f32>;

fn scene_texel(pixel: vec2<u32>) -> vec4<f32> {
    let samples = textureNumSamples(scene);
    var sum = vec4(0.0);
    for (var i = 0u; i < samples; i++) {
        sum += textureLoad(scene, pixel, i);
    }
    return sum / f32(samples);
}
