"use strict";
// Plays the skin of a test case beside its reference. The data comes from the scripts that rigview writes into
// motions/: a zlib stream with a JSON header and lists of 32-bit words.

const player = (() => {
  /** Texels per row of textures that hold lists. */
  const WIDTH = 1024;

  /** Reads the data of a script: its header, and its lists as words. */
  async function decode(base64) {
    const text = atob(base64);
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let at = 4 + new DataView(bytes.buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)));
    const lists = {};
    for (const { name, words, stride } of header.lists || []) {
      lists[name] = unpack(bytes.subarray(at, (at += 4 * words)), words, stride);
    }
    return { header, lists };
  }

  /** Adds each word to the one a stride before it; the bytes are sorted by significance. */
  function unpack(bytes, count, stride) {
    const words = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const low = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16);
      words[i] = (i < stride ? 0 : words[i - stride]) + (low | (bytes[3 * count + i] << 24));
    }
    return words;
  }

  const floats = (words) => new Float32Array(words.buffer);

  /** The result's motion and mesh with the reference's motion, as plain data. */
  async function motionOf(result, reference) {
    const { header, lists } = await decode(result);
    if (header.left_out) return { leftOut: header.left_out };
    const other = reference && (await decode(reference)).lists;
    const motion = {
      ...header,
      positions: floats(lists.positions),
      normals: lists.normals,
      indices: lists.indices,
      joints: new Uint16Array(lists.joints.buffer),
      jointWeights: floats(lists.weights),
      deltas: floats(lists.deltas),
      sides: { result: floats(lists.values), reference: other ? floats(other.values) : null },
      worst: other ? Array.from({ length: header.frames }, (_, i) => worstOf(other.worst, i)) : null,
    };
    motion.largest = motion.worst ? motion.worst.reduce((a, b) => Math.max(a, b.distance), 0) : 0;
    return motion;
  }

  function worstOf(words, frame) {
    const row = words.slice(6 * frame, 6 * frame + 6);
    const [distance, , , , , angle] = floats(row);
    return { distance, draw: row[1], vertex: row[2], bone: row[3], cause: row[4] === 0xffffffff ? null : row[4], angle };
  }

  const valuesOf = (motion, side, frame) => motion.sides[side].subarray(frame * motion.stride, (frame + 1) * motion.stride);
  const timeOf = (motion, frame) => (frame + 1 < motion.frames ? frame / motion.rate : motion.duration);

  /** A vertex, posed by the arithmetic of the shader. */
  function posed(motion, side, frame, drawn, vertex) {
    const values = valuesOf(motion, side, frame);
    const draw = motion.draws[drawn];
    const geometry = motion.geometries[draw.geometry];
    const p = [0, 1, 2].map((i) => motion.positions[3 * (geometry.first + vertex) + i]);
    for (let t = 0; t < draw.targets; t++) {
      const weight = values[12 * motion.bones.length + draw.weights + t];
      const delta = 3 * (geometry.first_delta + t * geometry.vertices + vertex);
      for (let i = 0; weight && i < 3; i++) p[i] += weight * motion.deltas[delta + i];
    }
    const out = [0, 0, 0];
    const add = (bone, weight) => {
      for (let i = 0; weight && i < 3; i++) {
        const at = 12 * bone + 4 * i;
        out[i] += weight * (values[at] * p[0] + values[at + 1] * p[1] + values[at + 2] * p[2] + values[at + 3]);
      }
    };
    if (!draw.sets) add(draw.bone, 1);
    for (let i = 0; i < 4 * draw.sets; i++) {
      const at = 4 * (geometry.first_set + vertex * draw.sets) + i;
      add(draw.bone + motion.joints[at], motion.jointWeights[at]);
    }
    return out;
  }

  const VERTEX = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
layout(location=0) in vec3 a_position; layout(location=1) in vec4 a_normal;
layout(location=2) in uvec4 a_joints0; layout(location=3) in uvec4 a_joints1;
layout(location=4) in uvec4 a_joints2; layout(location=5) in uvec4 a_joints3;
layout(location=6) in vec4 a_weights0; layout(location=7) in vec4 a_weights1;
layout(location=8) in vec4 a_weights2; layout(location=9) in vec4 a_weights3;
uniform mat4 u_clip; uniform sampler2D u_here, u_there, u_deltas;
uniform int u_bone, u_sets, u_targets, u_vertices, u_weights;
out vec3 v_place, v_normal; out float v_distance;
vec4 texel(sampler2D list, int i) { return texelFetch(list, ivec2(i % ${WIDTH}, i / ${WIDTH}), 0); }
mat3x4 bone(sampler2D values, int i) {
  return mat3x4(texel(values, 3 * i), texel(values, 3 * i + 1), texel(values, 3 * i + 2));
}
mat3x4 matrix(sampler2D values) {
  if (u_sets == 0) return bone(values, u_bone);
  uvec4 joints[4] = uvec4[4](a_joints0, a_joints1, a_joints2, a_joints3);
  vec4 weights[4] = vec4[4](a_weights0, a_weights1, a_weights2, a_weights3);
  mat3x4 sum = mat3x4(0.0);
  for (int s = 0; s < u_sets; s++) for (int i = 0; i < 4; i++)
    if (weights[s][i] != 0.0) sum += weights[s][i] * bone(values, u_bone + int(joints[s][i]));
  return sum;
}
vec3 morphed(sampler2D values) {
  vec3 at = a_position;
  for (int t = 0; t < u_targets; t++) {
    int i = u_weights + t;
    float weight = texel(values, i / 4)[i % 4];
    if (weight != 0.0) at += weight * texel(u_deltas, t * u_vertices + gl_VertexID).xyz;
  }
  return at;
}
void main() {
  mat3x4 here = matrix(u_here);
  v_place = vec4(morphed(u_here), 1.0) * here;
  v_normal = vec4(a_normal.xyz / 127.0, 0.0) * here;
  v_distance = distance(v_place, vec4(morphed(u_there), 1.0) * matrix(u_there));
  gl_Position = u_clip * vec4(v_place, 1.0);
  gl_PointSize = 3.0;
}`;

  const FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_place, v_normal; in float v_distance;
uniform vec3 u_color, u_eye, u_up; uniform float u_heat; uniform bool u_lit;
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
  if (u_heat > 0.0) color = heat(v_distance * u_heat);
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
      const lists = [motion.positions, motion.normals, motion.joints, motion.jointWeights].map(list);
      gl.bindVertexArray(null);
      const indices = buffer(gl.ELEMENT_ARRAY_BUFFER, motion.indices);
      for (let i = 2; i < 6; i++) gl.vertexAttribI4ui(i, 0, 0, 0, 0);
      this.geometries = motion.geometries.map((geometry) => this.arrays(geometry, lists, indices));
      const spare = Math.ceil(motion.stride / 4 / WIDTH) * WIDTH * 4;
      this.scratch = new Float32Array(spare);
      this.values = { here: this.texture(gl.RGBA32F, gl.RGBA), there: this.texture(gl.RGBA32F, gl.RGBA) };
      this.grid = { count: 0, array: gl.createVertexArray() };
      this.makeGrid(list);
    }

    arrays(geometry, [positions, normals, joints, weights], indices) {
      const { gl, motion } = this;
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
      const targets = Math.max(0, ...motion.draws.filter((d) => motion.geometries[d.geometry] === geometry).map((d) => d.targets));
      let deltas = null;
      if (targets) {
        const texels = targets * geometry.vertices;
        const data = new Float32Array(3 * Math.ceil(texels / WIDTH) * WIDTH);
        data.set(motion.deltas.subarray(3 * geometry.first_delta, 3 * (geometry.first_delta + texels)));
        deltas = this.texture(gl.RGB32F, gl.RGB, data);
      }
      return { ...geometry, array, deltas };
    }

    texture(kind, format, data) {
      const { gl } = this;
      const made = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, made);
      const texels = data ? data.length / 3 : this.scratch.length / 4;
      gl.texImage2D(gl.TEXTURE_2D, 0, kind, WIDTH, Math.max(1, texels / WIDTH), 0, format, gl.FLOAT, data || null);
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

    /** Uploads the values of one side. */
    upload(unit, texture, values) {
      const { gl, scratch } = this;
      scratch.set(values);
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, scratch.length / 4 / WIDTH, gl.RGBA, gl.FLOAT, scratch);
    }

    /** Draws one side into the current viewport; `heat` is the reciprocal of the largest distance, or 0. */
    draw(side, frame, camera, heat) {
      const { gl, motion, skin } = this;
      const there = motion.sides.reference ? (side === "result" ? "reference" : "result") : side;
      const here = valuesOf(motion, side, frame);
      this.upload(0, this.values.here, here);
      this.upload(1, this.values.there, valuesOf(motion, there, frame));
      gl.useProgram(skin.made);
      const u = skin.uniforms;
      gl.uniformMatrix4fv(u.u_clip, false, camera.clip);
      gl.uniform3fv(u.u_eye, camera.eye);
      gl.uniform3fv(u.u_up, camera.up);
      gl.uniform1f(u.u_heat, heat);
      gl.uniform1i(u.u_here, 0);
      gl.uniform1i(u.u_there, 1);
      gl.uniform1i(u.u_deltas, 2);
      gl.activeTexture(gl.TEXTURE2);
      const shown = 12 * motion.bones.length + motion.weights;
      motion.draws.forEach((draw, i) => {
        if (here[shown + i]) this.drawOne(draw);
      });
      gl.bindVertexArray(null);
    }

    drawOne(draw) {
      const { gl, motion } = this;
      const u = this.skin.uniforms;
      const geometry = this.geometries[draw.geometry];
      gl.bindTexture(gl.TEXTURE_2D, geometry.deltas);
      gl.bindVertexArray(geometry.array);
      gl.uniform1i(u.u_bone, draw.bone);
      gl.uniform1i(u.u_sets, draw.sets);
      gl.uniform1i(u.u_targets, draw.targets);
      gl.uniform1i(u.u_vertices, geometry.vertices);
      gl.uniform1i(u.u_weights, 12 * motion.bones.length + draw.weights);
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

  /** The camera that both views share. */
  function cameraOf(orbit, motion, aspect) {
    const [min, max] = motion.bounds;
    const radius = Math.max(1e-6, 0.5 * Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]));
    const slope = Math.tan(Math.PI / 12);
    const distance = ((radius / Math.sin(Math.PI / 12)) * 0.85 * orbit.zoom) / Math.min(1, aspect);
    const [sy, cy, sp, cp] = [Math.sin(orbit.yaw), Math.cos(orbit.yaw), Math.sin(orbit.pitch), Math.cos(orbit.pitch)];
    const [right, up, back] = [[cy, 0, -sy], [-sy * sp, cp, -cy * sp], [sy * cp, sp, cy * cp]];
    const middle = [0, 1, 2].map((i) => (min[i] + max[i]) / 2 + radius * (orbit.x * right[i] + orbit.y * up[i]));
    const eye = middle.map((x, i) => x + distance * back[i]);
    const near = Math.max(distance - 3 * radius, 0.01 * distance);
    const far = distance + 6 * radius;
    const dot = (a) => a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2];
    const f = 1 / slope;
    const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const column = (i) => [(f / aspect) * right[i], f * up[i], a * back[i], -back[i]];
    const clip = [column(0), column(1), column(2), [(-f / aspect) * dot(right), -f * dot(up), -a * dot(back) + b, dot(back)]].flat();
    return { clip, eye, up };
  }

  function projected(clip, p) {
    const row = (i) => clip[i] * p[0] + clip[4 + i] * p[1] + clip[8 + i] * p[2] + clip[12 + i];
    return [row(0) / row(3), row(1) / row(3)];
  }

  /** Builds the view of a motion in `root` and returns what the page needs of it. */
  function view(root, motion, startSecs) {
    const hasReference = !!motion.sides.reference;
    const state = { frame: 0, playing: 0, mode: hasReference ? "both" : "result", heat: hasReference, orbit: null };
    const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": "Motion: arrows orbit, plus and minus zoom, Space plays" });
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!gl) {
      root.replaceChildren(el("p", { class: "notice" }, "This browser offers no WebGL 2, so the motion can't be shown."));
      return null;
    }
    let scene = new Scene(gl, motion);
    const names = { reference: "Reference", result: "Result" };
    const labels = ["reference", "result"].map((side) => el("span", { class: "pane-label" }, names[side]));
    const markers = [0, 1].map(() => el("span", { class: "marker", "aria-hidden": "true" }, el("b", {})));
    const readout = el("p", { class: "readout", role: "status" });
    const clock = el("output", { class: "clock" });
    const slider = el("input", { type: "range", min: 0, max: motion.frames - 1, value: 0, "aria-label": "Frame", oninput: () => show(+slider.value, true) });
    const play = el("button", { type: "button", onclick: () => toggle() });
    const worstFrame = motion.worst ? motion.worst.reduce((best, w, i) => (w.distance > motion.worst[best].distance ? i : best), 0) : 0;
    const worst = hasReference && el("button", { type: "button", title: "Largest distance (x)", onclick: () => show(worstFrame, true) }, "Worst frame");
    const modes = hasReference ? [["both", "Side by side"], ["reference", "Reference"], ["result", "Result"]] : [];
    const modeButtons = modes.map(([mode, text]) => el("button", { type: "button", onclick: () => change({ mode }) }, text));
    const heat = hasReference && el("button", { type: "button", title: "Distance as heat (h)", onclick: () => change({ heat: !state.heat }) }, "Heat");
    const reset = el("button", { type: "button", title: "Reset the view (r)", onclick: () => home() }, "Reset view");
    const legend = hasReference && el("span", { class: "heat-legend" }, "0", el("i", {}), millimetres(motion.largest));
    const stage = el("div", { class: "stage" }, canvas, ...labels, ...markers);
    root.replaceChildren();
    root.append(
      el("div", { class: "bar" }, modeButtons.length ? el("div", { class: "segments", role: "group", "aria-label": "View" }, ...modeButtons) : null, heat, legend, reset),
      stage,
      readout,
      el("div", { class: "transport", hidden: motion.frames < 2 }, play, el("div", { class: "track" }, graph(motion), slider), clock, worst),
      ...motion.notes.map((note) => el("p", { class: "notice" }, plain(note))),
    );

    function home() {
      state.orbit = { yaw: Math.PI / 6, pitch: Math.PI / 12, zoom: 1, x: 0, y: 0 };
      draw();
    }

    function change(changes) {
      Object.assign(state, changes);
      modeButtons.forEach((button, i) => button.setAttribute("aria-pressed", state.mode === modes[i][0]));
      if (heat) heat.setAttribute("aria-pressed", state.heat);
      if (legend) legend.hidden = !state.heat;
      draw();
    }

    /** Shows a frame; by hand it also stops. */
    function show(frame, byHand) {
      if (byHand) stop();
      state.frame = Math.max(0, Math.min(motion.frames - 1, frame));
      slider.value = state.frame;
      const time = timeOf(motion, state.frame);
      slider.setAttribute("aria-valuetext", `${time.toFixed(3)} s`);
      clock.value = `${time.toFixed(3)} s · ${state.frame} / ${motion.frames - 1}`;
      readout.replaceChildren(...words());
      draw();
    }

    /** The largest distance at this frame in words. */
    function words() {
      if (!motion.worst) return [];
      const { distance, bone, cause, angle } = motion.worst[state.frame];
      if (!distance) return ["No vertex differs at this frame."];
      const name = (bone) => el("strong", {}, plain(motion.bones[bone]));
      const because = cause == null ? [] : [" · differs by itself: ", name(cause), angle >= 0.005 ? `, turned by ${angle.toFixed(2)}°` : ""];
      return ["Largest distance here ", el("strong", {}, millimetres(distance)), " at ", name(bone), ...because];
    }

    function stop() {
      cancelAnimationFrame(state.playing);
      state.playing = 0;
      play.textContent = "▶";
      play.setAttribute("aria-label", "Play");
    }

    function toggle() {
      if (state.playing) return stop();
      if (motion.frames < 2) return;
      play.textContent = "❚❚";
      play.setAttribute("aria-label", "Pause");
      let [before, time] = [performance.now(), state.frame + 1 < motion.frames ? timeOf(motion, state.frame) : 0];
      const tick = (now) => {
        if (!canvas.isConnected) return stop();
        time = (time + (now - before) / 1000) % Math.max(motion.duration, 1e-3);
        before = now;
        show(Math.floor(time * motion.rate + 1e-6));
        state.playing = requestAnimationFrame(tick);
      };
      state.playing = requestAnimationFrame(tick);
    }

    let drawn = 0;
    function draw() {
      if (!drawn) drawn = requestAnimationFrame(() => { drawn = 0; paint(); });
    }

    /** The rectangles of the sides, in CSS pixels from the lower left corner. */
    function panes() {
      const [w, h] = [canvas.clientWidth, canvas.clientHeight];
      if (state.mode !== "both") return [[state.mode, 0, 0, w, h]];
      return w >= h ? [["reference", 0, 0, w / 2, h], ["result", w / 2, 0, w / 2, h]] : [["reference", 0, h / 2, w, h / 2], ["result", 0, 0, w, h / 2]];
    }

    function paint() {
      const ratio = Math.min(2, devicePixelRatio || 1);
      const [w, h] = [canvas.clientWidth, canvas.clientHeight];
      if (!scene || gl.isContextLost() || !w || !h) return;
      [canvas.width, canvas.height] = [Math.round(w * ratio), Math.round(h * ratio)];
      gl.enable(gl.DEPTH_TEST);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      stage.dataset.split = state.mode !== "both" ? "" : w >= h ? "columns" : "rows";
      const line = getComputedStyle(canvas).getPropertyValue("--grid").trim() || "0.5 0.5 0.5";
      [...labels, ...markers].forEach((node) => (node.hidden = true));
      panes().forEach(([side, x, y, width, height], i) => {
        const camera = cameraOf(state.orbit, motion, width / height);
        gl.viewport(x * ratio, y * ratio, width * ratio, height * ratio);
        scene.drawGrid(camera, [...line.split(" ").map(Number), 1]);
        const isHot = state.heat && side === "result";
        scene.draw(side, state.frame, camera, isHot ? 1 / Math.max(motion.largest, 1e-7) : 0);
        const label = labels[side === "result" ? 1 : 0];
        Object.assign(label.style, { left: `${x + 8}px`, top: `${h - y - height + 8}px` });
        label.hidden = false;
        mark(markers[i], side, camera, [x, y, width, height]);
      });
    }

    /** Places the marker on the worst vertex. */
    function mark(marker, side, camera, [x, y, width, height]) {
      const worst = motion.worst && motion.worst[state.frame];
      if (!worst || !worst.distance) return;
      const [px, py] = projected(camera.clip, posed(motion, side, state.frame, worst.draw, worst.vertex));
      if (!(Math.abs(px) < 1 && Math.abs(py) < 1)) return;
      marker.hidden = false;
      marker.style.left = `${x + (0.5 + 0.5 * px) * width}px`;
      marker.style.top = `${canvas.clientHeight - y - (0.5 + 0.5 * py) * height}px`;
      marker.firstChild.textContent = side === "result" ? millimetres(worst.distance) : "";
    }

    function orbitBy(yaw, pitch) {
      state.orbit.yaw += yaw;
      state.orbit.pitch = Math.max(-1.55, Math.min(1.55, state.orbit.pitch + pitch));
      draw();
    }
    function panBy(x, y) {
      state.orbit.x += x * state.orbit.zoom;
      state.orbit.y += y * state.orbit.zoom;
      draw();
    }
    function zoomBy(factor) {
      state.orbit.zoom = Math.max(0.02, Math.min(20, state.orbit.zoom * factor));
      draw();
    }

    const pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => {
      const old = pointers.get(event.pointerId);
      if (!old) return;
      const now = [event.clientX, event.clientY];
      const [dx, dy] = [now[0] - old[0], now[1] - old[1]];
      const unit = 2.2 / Math.max(1, canvas.clientHeight);
      const other = [...pointers].find(([id]) => id !== event.pointerId);
      if (other) {
        const span = (p) => Math.max(10, Math.hypot(p[0] - other[1][0], p[1] - other[1][1]));
        zoomBy(span(old) / span(now));
        panBy((-dx * unit) / 2, (dy * unit) / 2);
      } else if (event.shiftKey || event.buttons > 1) panBy(-dx * unit, dy * unit);
      else orbitBy(-dx * 0.008, dy * 0.008);
      pointers.set(event.pointerId, now);
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      // Without the focus the wheel scrolls the page.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      zoomBy(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))));
    }, { passive: false });

    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const keys = {
      ",": () => show(state.frame - 1, true),
      ".": () => show(state.frame + 1, true),
      Home: () => show(0, true),
      End: () => show(motion.frames - 1, true),
      x: () => show(worstFrame, true),
      h: () => hasReference && change({ heat: !state.heat }),
      r: home,
      "+": () => zoomBy(0.85),
      "=": () => zoomBy(0.85),
      "-": () => zoomBy(1 / 0.85),
      " ": toggle,
    };
    root.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const move = event.target === canvas && moves[event.key];
      const isOwn = event.target === slider && /^(Arrow|Home|End|Page)/.test(event.key);
      const presses = event.key === " " && event.target.tagName === "BUTTON";
      if (isOwn || presses) return event.stopPropagation();
      if (move) (event.shiftKey ? panBy(move[0] * -0.1, move[1] * -0.1) : orbitBy(move[0] * 0.12, move[1] * 0.12));
      else if (keys[event.key]) keys[event.key]();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      scene = new Scene(gl, motion);
      draw();
    });
    const sizes = new ResizeObserver(draw);
    sizes.observe(stage);

    stop();
    home();
    change({});
    const start = startSecs == null ? worstFrame : Math.round(startSecs * motion.rate);
    show(hasReference && motion.largest > 0 ? worstFrame : start);
    return {
      motion,
      gl,
      get scene() { return scene; },
      get state() { return state; },
      toggle,
      show,
      change,
      repaint: draw,
      focus: () => canvas.focus(),
      free() {
        stop();
        sizes.disconnect();
        scene.free();
      },
    };
  }

  /** The largest distance over time. */
  function graph(motion) {
    const box = el("div", { "aria-hidden": "true" });
    box.innerHTML = "<svg preserveAspectRatio=none><path/></svg>";
    const svg = box.firstChild;
    if (!motion.worst || !(motion.largest > 0)) return box;
    svg.setAttribute("viewBox", `0 0 ${motion.frames - 1 || 1} 1`);
    const points = motion.worst.map((w, i) => `L${i} ${(1 - w.distance / motion.largest).toFixed(4)}`);
    svg.firstChild.setAttribute("d", `M0 1${points.join("")}L${motion.frames - 1} 1Z`);
    return box;
  }

  return { motionOf, timeOf, posed, view };
})();
