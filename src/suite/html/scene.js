// A motion on the GPU (WebGL 2): skinned, morphed and coloured by the distance from its reference.

/** Texels per row of textures that hold lists. */
const WIDTH = 1024;

const VERTEX = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
layout(location=0) in vec3 a_position; layout(location=1) in vec4 a_normal;
layout(location=2) in uvec4 a_joints0; layout(location=3) in uvec4 a_joints1;
layout(location=4) in uvec4 a_joints2; layout(location=5) in uvec4 a_joints3;
layout(location=6) in vec4 a_weights0; layout(location=7) in vec4 a_weights1;
layout(location=8) in vec4 a_weights2; layout(location=9) in vec4 a_weights3;
layout(location=10) in float a_heat;
uniform mat4 u_clip; uniform sampler2D u_values, u_deltas;
uniform int u_bone, u_sets, u_targets, u_vertices, u_weights;
out vec3 v_place, v_normal; out float v_heat;
vec4 texel(sampler2D list, int i) { return texelFetch(list, ivec2(i % ${WIDTH}, i / ${WIDTH}), 0); }
mat3x4 bone(int i) {
  return mat3x4(texel(u_values, 3 * i), texel(u_values, 3 * i + 1), texel(u_values, 3 * i + 2));
}
mat3x4 matrix() {
  if (u_sets == 0) return bone(u_bone);
  uvec4 joints[4] = uvec4[4](a_joints0, a_joints1, a_joints2, a_joints3);
  vec4 weights[4] = vec4[4](a_weights0, a_weights1, a_weights2, a_weights3);
  mat3x4 sum = mat3x4(0.0);
  for (int s = 0; s < u_sets; s++) for (int i = 0; i < 4; i++)
    if (weights[s][i] != 0.0) sum += weights[s][i] * bone(u_bone + int(joints[s][i]));
  return sum;
}
vec3 morphed() {
  vec3 at = a_position;
  for (int t = 0; t < u_targets; t++) {
    int i = u_weights + t;
    float weight = texel(u_values, i / 4)[i % 4];
    if (weight != 0.0) at += weight * texel(u_deltas, t * u_vertices + gl_VertexID).xyz;
  }
  return at;
}
void main() {
  mat3x4 moved = matrix();
  v_place = vec4(morphed(), 1.0) * moved;
  v_normal = vec4(a_normal.xyz / 127.0, 0.0) * moved;
  v_heat = a_heat;
  gl_Position = u_clip * vec4(v_place, 1.0);
  gl_PointSize = 3.0;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_place, v_normal; in float v_heat;
uniform vec3 u_color, u_eye, u_up; uniform bool u_hot, u_lit;
out vec4 o_color;
vec3 heat(float t) {
  vec3 low = mix(vec3(0.62, 0.64, 0.67), vec3(1.0, 0.80, 0.25), clamp(t / 0.35, 0.0, 1.0));
  vec3 middle = mix(low, vec3(0.93, 0.30, 0.14), clamp((t - 0.35) / 0.35, 0.0, 1.0));
  return mix(middle, vec3(0.58, 0.0, 0.34), clamp((t - 0.7) / 0.3, 0.0, 1.0));
}
void main() {
  vec3 ahead = normalize(u_eye - v_place);
  vec3 n = cross(dFdx(v_place), dFdy(v_place));
  if (dot(v_normal, v_normal) > 1e-12) n = v_normal;
  n = dot(n, n) > 0.0 ? normalize(n) : ahead;
  if (dot(n, ahead) < 0.0) n = -n;
  float light = u_lit ? 0.3 + 0.7 * pow(0.5 + 0.5 * dot(n, normalize(ahead + 0.6 * u_up)), 1.5) : 1.0;
  vec3 color = pow(clamp(u_color, 0.0, 1.0), vec3(1.0 / 2.2)) * 0.86 + 0.04;
  if (u_hot) color = heat(v_heat);
  o_color = vec4(color * light, 1.0);
}`;

const GRID_VERTEX = `#version 300 es
uniform mat4 u_clip; layout(location=0) in vec3 a_position;
void main() { gl_Position = u_clip * vec4(a_position, 1.0); }`;

const GRID_FRAGMENT = `#version 300 es
precision mediump float; uniform vec4 u_color; out vec4 o_color;
void main() { o_color = u_color; }`;

function program(gl, sources) {
  const made = gl.createProgram();
  [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((kind, i) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, sources[i]);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  });
  gl.transformFeedbackVaryings(made, sources[0] === VERTEX ? ["v_place"] : [], gl.SEPARATE_ATTRIBS);
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(made, i);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { made, uniforms };
}

/** The motion on the GPU. */
class Scene {
  constructor(gl, motion) {
    this.gl = gl;
    this.motion = motion;
    this.skin = program(gl, [VERTEX, FRAGMENT]);
    this.lines = program(gl, [GRID_VERTEX, GRID_FRAGMENT]);
    const buffer = (target, data) => {
      const made = gl.createBuffer();
      gl.bindBuffer(target, made);
      gl.bufferData(target, data, gl.STATIC_DRAW);
      return made;
    };
    const list = (data) => buffer(gl.ARRAY_BUFFER, data);
    for (let i = 2; i < 6; i++) gl.vertexAttribI4ui(i, 0, 0, 0, 0);
    this.bodies = {};
    for (const [side, body] of Object.entries(motion.sides)) {
      if (!body) continue;
      const lists = [body.positions, body.normals, body.joints, body.jointWeights].map(list);
      gl.bindVertexArray(null);
      const indices = buffer(gl.ELEMENT_ARRAY_BUFFER, body.indices);
      const geometries = body.geometries.map((geometry) => this.arrays(body, geometry, lists, indices));
      const scratch = new Float32Array(Math.ceil(body.stride / 4 / WIDTH) * WIDTH * 4);
      const texture = this.texture(gl.RGBA32F, gl.RGBA, scratch, 4);
      this.bodies[side] = { ...body, geometries, scratch, texture };
    }
    const heat = motion.sides.reference && motion.sides.reference.heat;
    if (heat) this.heat = { list: list(heat), stride: heat.length / motion.frames };
    this.grid = { count: 0, array: gl.createVertexArray() };
    this.makeGrid(list);
  }

  arrays(body, geometry, [positions, normals, joints, weights], indices) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const bind = (buffer) => gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    [0, 1].forEach((i) => gl.enableVertexAttribArray(i));
    bind(positions);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 12 * geometry.first);
    bind(normals);
    gl.vertexAttribPointer(1, 4, gl.BYTE, false, 4, 4 * geometry.first);
    for (let set = 0; set < geometry.sets; set++) {
      gl.enableVertexAttribArray(2 + set);
      gl.enableVertexAttribArray(6 + set);
      bind(joints);
      gl.vertexAttribIPointer(2 + set, 4, gl.UNSIGNED_SHORT, 8 * geometry.sets, 8 * (geometry.first_set + set));
      bind(weights);
      gl.vertexAttribPointer(6 + set, 4, gl.FLOAT, false, 16 * geometry.sets, 16 * (geometry.first_set + set));
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bindVertexArray(null);
    const targets = Math.max(0, ...body.draws.filter((d) => body.geometries[d.geometry] === geometry).map((d) => d.targets));
    let deltas = null;
    if (targets) {
      const texels = targets * geometry.vertices;
      const data = new Float32Array(3 * Math.ceil(texels / WIDTH) * WIDTH);
      data.set(body.deltas.subarray(3 * geometry.first_delta, 3 * (geometry.first_delta + texels)));
      deltas = this.texture(gl.RGB32F, gl.RGB, data, 3);
    }
    return { ...geometry, array, deltas };
  }

  texture(kind, format, data, width) {
    const { gl } = this;
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, kind, WIDTH, data.length / width / WIDTH, 0, format, gl.FLOAT, data);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    return made;
  }

  /** Lines on the ground, a round number of metres apart. */
  makeGrid(list) {
    const { gl, motion } = this;
    const [min, max] = motion.bounds;
    const size = Math.max(max[0] - min[0], max[2] - min[2], 0.2 * (max[1] - min[1]), 1e-6);
    const step = 10 ** Math.floor(Math.log10(size / 2));
    const [x0, z0] = [min[0], min[2]].map((low) => Math.floor(low / step - 1) * step);
    const [nx, nz] = [max[0] - x0, max[2] - z0].map((span) => Math.min(60, Math.ceil(span / step + 1)));
    const points = [];
    for (let i = 0; i <= nx; i++) points.push(x0 + i * step, min[1], z0, x0 + i * step, min[1], z0 + nz * step);
    for (let i = 0; i <= nz; i++) points.push(x0, min[1], z0 + i * step, x0 + nx * step, min[1], z0 + i * step);
    gl.bindVertexArray(this.grid.array);
    list(new Float32Array(points));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.grid.count = points.length / 3;
  }

  /** Draws one side into the current viewport; `isHot` colours it by its distance. */
  draw(side, frame, camera, isHot) {
    const { gl, skin } = this;
    const body = this.bodies[side];
    const values = valuesOf(body, frame);
    body.scratch.set(values);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, body.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, body.scratch.length / 4 / WIDTH, gl.RGBA, gl.FLOAT, body.scratch);
    gl.useProgram(skin.made);
    const u = skin.uniforms;
    gl.uniformMatrix4fv(u.u_clip, false, camera.clip);
    gl.uniform3fv(u.u_eye, camera.eye);
    gl.uniform3fv(u.u_up, camera.up);
    gl.uniform1i(u.u_hot, isHot ? 1 : 0);
    gl.uniform1i(u.u_values, 0);
    gl.uniform1i(u.u_deltas, 1);
    gl.activeTexture(gl.TEXTURE1);
    const shown = 12 * body.bones + body.weights;
    body.draws.forEach((draw, i) => {
      if (values[shown + i]) this.drawOne(body, draw, isHot ? frame : -1);
    });
    gl.bindVertexArray(null);
  }

  /** Draws a primitive; `frame` is that of its distances, or -1. */
  drawOne(body, draw, frame) {
    const { gl, heat } = this;
    const u = this.skin.uniforms;
    const geometry = body.geometries[draw.geometry];
    gl.bindTexture(gl.TEXTURE_2D, geometry.deltas);
    gl.bindVertexArray(geometry.array);
    if (frame >= 0) {
      gl.enableVertexAttribArray(10);
      gl.bindBuffer(gl.ARRAY_BUFFER, heat.list);
      gl.vertexAttribPointer(10, 1, gl.UNSIGNED_BYTE, true, 1, frame * heat.stride + draw.heat);
    } else gl.disableVertexAttribArray(10);
    gl.uniform1i(u.u_bone, draw.bone);
    gl.uniform1i(u.u_sets, draw.sets);
    gl.uniform1i(u.u_targets, draw.targets);
    gl.uniform1i(u.u_vertices, geometry.vertices);
    gl.uniform1i(u.u_weights, 12 * body.bones + draw.weights);
    gl.uniform3fv(u.u_color, geometry.color);
    gl.uniform1i(u.u_lit, geometry.corners === 3 ? 1 : 0);
    const mode = [gl.POINTS, gl.LINES, gl.TRIANGLES][geometry.corners - 1];
    gl.drawElements(mode, geometry.indices, gl.UNSIGNED_INT, 4 * geometry.first_index);
  }

  drawGrid(camera, color) {
    const { gl, lines } = this;
    gl.useProgram(lines.made);
    gl.uniformMatrix4fv(lines.uniforms.u_clip, false, camera.clip);
    gl.uniform4fv(lines.uniforms.u_color, color);
    gl.bindVertexArray(this.grid.array);
    gl.drawArrays(gl.LINES, 0, this.grid.count);
    gl.bindVertexArray(null);
  }

  free() {
    const { gl } = this;
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
