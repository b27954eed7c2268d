// Replaces blockers.wgsl where depths can only be compared, as in GLSL: all edges are equally soft.
fn gap_before(r: Receiver, how: Sampling) -> f32 {
    return 0.4 * frame.shadow.w / frame.shadow.y;
}
