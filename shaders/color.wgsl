// The sRGB transfer function in both directions, per component.

fn srgb_from_linear(c: vec3<f32>) -> vec3<f32> {
    let x = clamp(c, vec3(0.0), vec3(1.0));
    return select(1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3(0.0031308));
}

fn linear_from_srgb(c: vec3<f32>) -> vec3<f32> {
    return select(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, c <= vec3(0.04045));
}

// The nearest multiple of 1/255. GPUs may store a byte that is 0.6 steps from a value; stored from its multiple, a byte
// is the same on all of them.
fn nearest_byte(value: vec4<f32>) -> vec4<f32> {
    return floor(255.0 * clamp(value, vec4(0.0), vec4(1.0)) + 0.5) / 255.0;
}

// Blue, cyan, green, yellow, red from 0 to 1.
fn heat_color(share: f32) -> vec3<f32> {
    let heat = 4.0 * clamp(share, 0.0, 1.0);
    return clamp(vec3(heat - 2.0, 2.0 - abs(heat - 2.0), 2.0 - heat), vec3(0.0), vec3(1.0));
}
