// The drawn scene with one sample per pixel.

@group(0) @binding(1) var scene: texture_2d<f32>;

fn scene_texel(pixel: vec2<u32>) -> vec4<f32> {
    return textureLoad(scene, pixel, 0);
}
