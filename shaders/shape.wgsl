// The shape of a model without its shading: what stops the key light, and what the camera sees.

// The distance ahead of the camera, and the geometric normal towards it.
fn shape(from_eye: vec3<f32>) -> vec4<f32> {
    let at = vec3(
        dot(from_eye, normalize(frame.right)),
        dot(from_eye, normalize(frame.up)),
        dot(from_eye, frame.backward),
    );
    let normal = triangle_normal(at);
    let view = select(vec3(0.0, 0.0, 1.0), -at, frame.perspective > 0.5);
    let n = select(vec3(0.0, 0.0, 1.0), normal, any(normal != vec3(0.0)));
    return packed_shape(-at.z, n * select(-1.0, 1.0, dot(n, view) >= 0.0));
}
