// Returns the average depth between a position in the shadow map and the occluders in front of it, within
// the radius of the widest penumbra. Negative without occluders.
fn gap_before(at: vec3<f32>) -> f32 {
    let edge = frame.shadow.x;
    let top = i32(edge) - 1;
    var blockers = 0.0;
    var depth = 0.0;
    for (var i = 0; i < 12; i++) {
        let texel = vec2<i32>((at.xy + frame.shadow.w * DISC[i]) * edge);
        let z = textureLoad(shadow_texture, clamp(texel, vec2(0), vec2(top)), 0);
        let before = z < at.z - 2.0 * frame.shadow.z;
        blockers += select(0.0, 1.0, before);
        depth += select(0.0, z, before);
    }
    if blockers == 0.0 {
        return -1.0;
    }
    return at.z - depth / blockers;
}
