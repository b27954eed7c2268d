// The pictures of a check: side by side, wiped, alternating or as a difference.

let pictureMode = "side";

function chooseCheck(at) {
  checkAt = at;
  for (const tr of document.querySelectorAll("[data-check]")) tr.classList.toggle("chosen", +tr.dataset.check === at);
  if (viewer) viewer.free();
  viewer = null;
  const check = at >= 0 ? chosen.data.checks[at] : null;
  if (check) viewer = showPictures($("pictures"), check.picture, check.time);
  else $("pictures").replaceChildren();
}

/** The next check with pictures in a direction. */
function stepCheck(by) {
  if (!chosen) return;
  const { checks } = chosen.data;
  for (let i = checkAt + by; i >= 0 && i < checks.length; i += by) if (checks[i].picture) return chooseCheck(i);
}

/** Shows the pictures of a check. All of them share one zoom: `k` CSS pixels per pixel, and an offset. */
function showPictures(root, picture, time) {
  const files = { reference: picture.reference, result: picture.result, difference: picture.difference };
  const names = { reference: "Reference", result: "Result", difference: "Difference" };
  const both = files.reference && files.result;
  if (!files.reference && !files.result && !files.difference) {
    root.replaceChildren();
    return null;
  }
  const zoom = { k: 1, x: 0, y: 0, fit: true };
  const size = [0, 0];
  let flicker = 0;

  const image = (side) => {
    const img = el("img", { src: address(files[side]), alt: `${names[side]} at ${time == null ? "rest" : seconds(time)}`, draggable: "false", decoding: "async" });
    img.addEventListener("load", () => {
      if (img.naturalWidth > size[0]) [size[0], size[1]] = [img.naturalWidth, img.naturalHeight];
      place();
    });
    img.addEventListener("error", () => img.replaceWith(el("span", { class: "missing" }, `can't be shown: ${files[side]}`)));
    return img;
  };
  const layer = (side) => el("div", { class: `layer ${side}` }, image(side));
  const pane = (name, ...layers) => {
    const made = el("div", { class: "pane", tabindex: 0, role: "group", "aria-label": `${name}: arrows pan, plus and minus zoom` }, ...layers, el("span", { class: "pane-label" }, name));
    listen(made);
    return made;
  };
  const panes = el("div", { class: "panes" });
  const slider = el("input", { type: "range", min: 0, max: 100, value: 50, step: 0.5, "aria-label": "Wipe: share of the reference", oninput: () => panes.style.setProperty("--wipe", `${slider.value}%`) });
  const under = el("div", { class: "under" });
  const modes = [["side", "Side by side", "s"]];
  if (both) modes.push(["wipe", "Wipe", "w"], ["flicker", "Flicker", "f"]);
  if (both || files.difference) modes.push(["difference", "Difference", "d"]);
  const buttons = modes.map(([mode, text, key]) => el("button", { type: "button", title: `${text} (${key})`, "aria-keyshortcuts": key, onclick: () => setMode(mode) }, text));
  const scale = el("output", { class: "scale" });
  root.replaceChildren(
    el("div", { class: "bar" },
      el("div", { class: "segments", role: "group", "aria-label": "Pictures" }, ...buttons),
      el("div", { class: "segments", role: "group", "aria-label": "Zoom" },
        el("button", { type: "button", title: "Zoom out (-)", "aria-label": "Zoom out", onclick: () => zoomBy(1 / 1.5) }, "−"),
        el("button", { type: "button", title: "Fit (0)", onclick: () => fit() }, "Fit"),
        el("button", { type: "button", title: "One to one (1)", onclick: () => oneToOne() }, "1:1"),
        el("button", { type: "button", title: "Zoom in (+)", "aria-label": "Zoom in", onclick: () => zoomBy(1.5) }, "+")),
      scale),
    panes, under);

  function setMode(mode) {
    if (!modes.some(([name]) => name === mode)) return;
    pictureMode = mode;
    clearInterval(flicker);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", modes[i][0] === mode));
    panes.className = `panes ${mode}`;
    under.replaceChildren();
    if (mode === "side") {
      panes.replaceChildren(...["reference", "result", "difference"].filter((side) => files[side]).map((side) => pane(names[side], layer(side))));
      if (!files.reference) panes.prepend(el("div", { class: "pane none" }, el("span", {}, "no reference")));
    } else if (mode === "difference" && files.difference) panes.replaceChildren(pane(names.difference, layer("difference")));
    else if (mode === "difference") panes.replaceChildren(pane(names.difference, layer("reference"), layer("result")));
    else {
      const one = pane(mode === "wipe" ? names.reference : "", layer("result"), layer("reference"));
      if (mode === "wipe") wipe(one);
      else startFlicker(one);
      panes.replaceChildren(one);
    }
    place();
  }

  function wipe(one) {
    const handle = el("div", { class: "handle", "aria-hidden": "true" });
    handle.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const box = one.getBoundingClientRect();
      slider.value = (100 * (event.clientX - box.left)) / box.width;
      slider.dispatchEvent(new Event("input"));
    });
    one.append(handle, el("span", { class: "pane-label right" }, names.result));
    under.replaceChildren(slider);
    panes.style.setProperty("--wipe", `${slider.value}%`);
  }

  function startFlicker(one) {
    const label = one.querySelector(".pane-label");
    const swap = () => (label.textContent = one.classList.toggle("swapped") ? names.result : names.reference);
    label.textContent = names.reference;
    one.swap = swap;
    const button = el("button", { type: "button", onclick: () => run(!flicker) }, "");
    const run = (on) => {
      clearInterval(flicker);
      // One change in half a second: well below the rate at which flashes can harm.
      flicker = on ? setInterval(swap, 500) : 0;
      button.textContent = on ? "Pause" : "Run";
    };
    under.replaceChildren(button, el("button", { type: "button", onclick: () => { run(false); swap(); } }, "Swap"));
    run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  function paneBox() {
    const one = panes.querySelector(".pane");
    return one ? [one.clientWidth, one.clientHeight] : [0, 0];
  }

  function place() {
    const [w, h] = paneBox();
    if (!size[0] || !w) return;
    if (zoom.fit) {
      zoom.k = Math.min(w / size[0], h / size[1]);
      zoom.x = (w - zoom.k * size[0]) / 2;
      zoom.y = (h - zoom.k * size[1]) / 2;
    }
    const ratio = devicePixelRatio || 1;
    panes.style.setProperty("--k", zoom.k);
    panes.style.setProperty("--x", `${zoom.x}px`);
    panes.style.setProperty("--y", `${zoom.y}px`);
    panes.classList.toggle("enlarged", zoom.k * ratio > 1);
    scale.value = `${Math.round(100 * zoom.k * ratio)} %`;
  }

  function zoomBy(factor, at) {
    const [w, h] = paneBox();
    const [px, py] = at || [w / 2, h / 2];
    const k = Math.max(0.02, Math.min(64, zoom.k * factor));
    Object.assign(zoom, { x: px - ((px - zoom.x) * k) / zoom.k, y: py - ((py - zoom.y) * k) / zoom.k, k, fit: false });
    place();
  }

  function fit() {
    zoom.fit = true;
    place();
  }

  function oneToOne() {
    zoomBy(1 / (devicePixelRatio || 1) / zoom.k);
  }

  function panBy(x, y) {
    Object.assign(zoom, { x: zoom.x + x, y: zoom.y + y, fit: false });
    place();
  }

  function listen(one) {
    const pointers = new Map();
    one.addEventListener("pointerdown", (event) => {
      one.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    one.addEventListener("pointermove", (event) => {
      const old = pointers.get(event.pointerId);
      if (!old) return;
      const now = [event.clientX, event.clientY];
      const other = [...pointers].find(([id]) => id !== event.pointerId);
      if (other) {
        const span = (p) => Math.max(10, Math.hypot(p[0] - other[1][0], p[1] - other[1][1]));
        const box = one.getBoundingClientRect();
        zoomBy(span(now) / span(old), [(now[0] + other[1][0]) / 2 - box.left, (now[1] + other[1][1]) / 2 - box.top]);
      } else if (event.pointerType !== "touch" || !zoom.fit) panBy(now[0] - old[0], now[1] - old[1]);
      pointers.set(event.pointerId, now);
    });
    for (const name of ["pointerup", "pointercancel"]) one.addEventListener(name, (event) => pointers.delete(event.pointerId));
    one.addEventListener("dblclick", () => (zoom.fit ? oneToOne() : fit()));
    one.addEventListener("wheel", (event) => {
      // Without the focus the wheel scrolls the page.
      if (document.activeElement !== one && !event.ctrlKey) return;
      event.preventDefault();
      const box = one.getBoundingClientRect();
      zoomBy(Math.exp(Math.max(-1, Math.min(1, -event.deltaY * 0.002))), [event.clientX - box.left, event.clientY - box.top]);
    }, { passive: false });
    const moves = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    one.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (moves[event.key]) panBy(...moves[event.key]);
      else if (event.key === " " && one.swap) one.swap();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  const sizes = new ResizeObserver(place);
  sizes.observe(panes);
  setMode(modes.some(([mode]) => mode === pictureMode) ? pictureMode : "side");
  return {
    setMode, zoomBy, fit, oneToOne, zoom,
    free() {
      clearInterval(flicker);
      sizes.disconnect();
    },
  };
}
