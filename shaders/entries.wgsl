// A vertex entry point for each number of influence sets. The file before this one declares `VertexOut` and `vertex_out`.

@vertex
fn vs_rigid(v: VertexIn, i: InstanceIn) -> VertexOut {
    return vertex_out(rigid_matrix(i), v, 0.0);
}

@vertex
fn vs_skinned_1(v: VertexIn, a: Set0) -> VertexOut {
    return vertex_out(blended(v.instance, a.joints, a.weights), v, count(a.weights));
}

@vertex
fn vs_skinned_2(v: VertexIn, a: Set0, b: Set1) -> VertexOut {
    let m = blended(v.instance, a.joints, a.weights) + blended(v.instance, b.joints, b.weights);
    return vertex_out(m, v, count(a.weights) + count(b.weights));
}

@vertex
fn vs_skinned_3(v: VertexIn, a: Set0, b: Set1, c: Set2) -> VertexOut {
    let m = blended(v.instance, a.joints, a.weights) + blended(v.instance, b.joints, b.weights)
        + blended(v.instance, c.joints, c.weights);
    return vertex_out(m, v, count(a.weights) + count(b.weights) + count(c.weights));
}

@vertex
fn vs_skinned_4(v: VertexIn, a: Set0, b: Set1, c: Set2, d: Set3) -> VertexOut {
    let m = blended(v.instance, a.joints, a.weights) + blended(v.instance, b.joints, b.weights)
        + blended(v.instance, c.joints, c.weights) + blended(v.instance, d.joints, d.weights);
    let n = count(a.weights) + count(b.weights) + count(c.weights) + count(d.weights);
    return vertex_out(m, v, n);
}
