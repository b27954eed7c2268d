// Returns the average depth between a receiver and the occluders in front of it, within the radius of the
// widest penumbra. Negative without occluders.
fn gap_before(r: Receiver, how: Sampling) -> f32 {
    let edge = frame.shadow.x;
    let top = i32(edge) - 1;
    var direction = how.start;
    var blockers = 0.0;
    var gaps = 0.0;
    let count = not_unrolled(how.searched);
    for (var i = 0; i < count; i++) {
        let step = frame.shadow.w * sqrt((f32(i) + how.offset) / f32(how.searched)) * direction;
        let texel = vec2<i32>((r.at.xy + step) * edge);
        let z = textureLoad(shadow_texture, clamp(texel, vec2(0), vec2(top)), 0);
        let gap = r.at.z + dot(r.slope, step) - z;
        let before = gap > 2.0 * frame.shadow.z;
        blockers += select(0.0, 1.0, before);
        gaps += select(0.0, gap, before);
        direction = GOLDEN_TURN * direction;
    }
    return select(-1.0, gaps / max(blockers, 1.0), blockers > 0.0);
}
