// The interactive view: plays the skin of a case beside its reference.

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

/** Frames per second below which playing draws fewer pixels, and the least share of them in each direction. */
const SMOOTH = 24;
const LEAST_DETAIL = 0.3;

/** The share of the pixels in each direction after a frame that took so many milliseconds. */
function detailAfter(detail, took) {
  if (took > 1000 / SMOOTH) return Math.max(LEAST_DETAIL, detail * Math.max(0.7, Math.sqrt(1000 / SMOOTH / took)));
  return took < 600 / SMOOTH ? Math.min(1, detail * 1.02) : detail;
}

/** Builds the view of a motion in `root` and returns what the page needs of it. */
function showMotion(root, motion, startSecs) {
  const hasReference = !!motion.sides.reference;
  const hasHeat = !!motion.worst;
  const state = { frame: 0, playing: 0, detail: 1, mode: hasReference ? "both" : "result", heat: hasHeat, orbit: null };
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
  const worst = hasHeat && el("button", { type: "button", title: "Largest distance (x)", onclick: () => show(worstFrame, true) }, "Worst frame");
  const modes = hasReference ? [["both", "Side by side"], ["reference", "Reference"], ["result", "Result"]] : [];
  const modeButtons = modes.map(([mode, text]) => el("button", { type: "button", onclick: () => change({ mode }) }, text));
  const heat = hasHeat && el("button", { type: "button", title: "Distance as heat (h)", onclick: () => change({ heat: !state.heat }) }, "Heat");
  const reset = el("button", { type: "button", title: "Reset the view (r)", onclick: () => home() }, "Reset view");
  const legend = hasHeat && el("span", { class: "heat-legend" }, "0", el("i", {}), millimetres(motion.largest));
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
    if (!hasHeat) return [];
    const { distance, bone, cause, angle } = motion.worst[state.frame];
    if (distance === 0) return ["No vertex differs at this frame."];
    const name = (bone) => el("strong", {}, plain(bone));
    const because = cause == null ? [" · no joint differs by itself"] : [" · differs by itself: ", name(cause), angle >= 0.005 ? `, turned by ${angle.toFixed(2)}°` : ""];
    return ["Largest distance here ", el("strong", {}, millimetres(distance)), " at ", name(bone), ...because];
  }

  function stop() {
    cancelAnimationFrame(state.playing);
    state.playing = 0;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play");
    draw();
  }

  function toggle() {
    if (state.playing) return stop();
    if (motion.frames < 2) return;
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    let [before, time] = [performance.now(), state.frame + 1 < motion.frames ? timeOf(motion, state.frame) : 0];
    const tick = (now) => {
      if (!canvas.isConnected) return stop();
      const took = now - before;
      time = (time + took / 1000) % Math.max(motion.duration, 1e-3);
      before = now;
      if (took > 0) state.detail = detailAfter(state.detail, took);
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
    // Steps of a tenth, so that the canvas is not made anew for every frame.
    const detail = state.playing ? Math.ceil(10 * state.detail - 1e-6) / 10 : 1;
    const ratio = Math.min(2, devicePixelRatio || 1) * detail;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (!scene || !state.orbit || gl.isContextLost() || !w || !h) return;
    const [width, height] = [Math.max(1, Math.round(w * ratio)), Math.max(1, Math.round(h * ratio))];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
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
      scene.draw(side, state.frame, camera, isHot);
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
    const [px, py] = projected(camera.clip, worst[side]);
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
    h: () => hasHeat && change({ heat: !state.heat }),
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
  show(motion.largest > 0 ? worstFrame : start);
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
