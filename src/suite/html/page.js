"use strict";
// The page of a report: a list of cases, and the chosen case with its pictures, motion and findings. Only the
// chosen case has its pictures and motion loaded.

const $ = (id) => document.getElementById(id);
const results = JSON.parse($("results").textContent);
const ORDER = { failed: 0, error: 1, passed: 2 };
const MARKS = { failed: "✕", error: "!", passed: "✓" };
const cases = results.cases
  .map((data, index) => ({ data, index, text: searched(data), folders: foldersOf(data.name) }))
  .sort((a, b) => ORDER[a.data.status] - ORDER[b.data.status] || a.index - b.index);
const byName = new Map(cases.map((one) => [one.data.name, one]));

/** What the filter looks at. */
function searched(data) {
  const texts = [data.name, data.file, data.clip, data.message];
  for (const check of data.checks) {
    texts.push(check.message, check.pose && check.pose.node);
    for (const finding of check.findings || []) texts.push(finding.code, finding.object, finding.clip);
  }
  return texts.filter(Boolean).join("\n").toLowerCase();
}

/** The folders of a name: "a/b/c" is in "a" and in "a/b". */
function foldersOf(name) {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** The path of a file of the report as an address relative to the page. */
const address = (path) => path.split("/").map(encodeURIComponent).join("/");

/** A number with three digits that count. */
const short = (x) => (x == null || !Number.isFinite(x) ? "–" : x === 0 ? "0" : Math.abs(x) < 1e-4 ? x.toExponential(1) : String(+x.toPrecision(3)));
const percent = (x) => (x == null ? "–" : `${short(100 * x)} %`);
const seconds = (time) => `${short(time)} s`;

// The list --------------------------------------------------------------------------------------------------

const ROW = 52;
let shown = cases;
let chosen = null;
const wanted = { text: "", status: "", kind: "", tag: "" };

/** The status of a case as far as checks of the wanted kind are concerned; null if it has none. */
function statusOf(one) {
  if (!wanted.kind) return one.data.status;
  const checks = one.data.checks.filter((check) => check.kind === wanted.kind);
  return checks.length ? checks.reduce((worst, check) => (ORDER[check.status] < ORDER[worst] ? check.status : worst), "passed") : null;
}

function fits(one) {
  const status = statusOf(one);
  return (
    status !== null &&
    (!wanted.status || status === wanted.status) &&
    (!wanted.tag || one.folders.includes(wanted.tag)) &&
    wanted.text.split(/\s+/).every((word) => one.text.includes(word))
  );
}

function applyFilters() {
  shown = cases.filter(fits);
  $("count").textContent = shown.length === cases.length ? `${cases.length} cases` : `${shown.length} of ${cases.length} cases`;
  $("list").scrollTop = 0;
  drawList();
}

function drawList() {
  const list = $("list");
  const rows = $("rows");
  rows.style.height = `${Math.max(shown.length * ROW, 1)}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(shown.length, first + Math.ceil((list.clientHeight || 800) / ROW) + 8);
  const made = [];
  for (let i = first; i < last; i++) made.push(row(shown[i], i));
  const at = shown.indexOf(chosen);
  // The active descendant has to be there even while it is scrolled away.
  if (at >= 0 && (at < first || at >= last)) made.push(row(chosen, at));
  if (!shown.length) made.push(el("p", { class: "empty" }, "No case fits the filters."));
  rows.replaceChildren(...made);
  if (at >= 0) list.setAttribute("aria-activedescendant", `row-${chosen.index}`);
  else list.removeAttribute("aria-activedescendant");
}

function row(one, at) {
  const { name, status } = one.data;
  const leaf = name.lastIndexOf("/") + 1;
  return el(
    "div",
    {
      id: `row-${one.index}`, class: `row ${status}`, role: "option", style: `top:${at * ROW}px`,
      "aria-selected": String(one === chosen), "aria-setsize": shown.length, "aria-posinset": at + 1,
      onclick: () => choose(one, true),
    },
    el("span", { class: `mark ${status}`, role: "img", "aria-label": status }, MARKS[status]),
    el("span", { class: "row-name" }, el("small", {}, plain(name.slice(0, leaf))), plain(name.slice(leaf))),
    el("span", { class: "row-note" }, plain(summary(one.data))),
  );
}

/** The worst numbers of a case on one line. */
function summary(data) {
  const bad = data.checks.filter((check) => check.status !== "passed");
  const parts = bad.map((check) => {
    if (check.kind === "pose" && check.pose) return `${millimetres(check.pose.distance)}${check.pose.node ? ` at ${check.pose.node}` : ""}`;
    if (check.kind === "picture" && check.picture && check.picture.visible != null) return `${percent(check.picture.visible)} of pixels`;
    const codes = [...new Set((check.findings || []).filter((f) => f.level === "error").map((f) => f.code))];
    return codes.length ? codes.join(", ") : check.message || check.kind;
  });
  return [...new Set(parts)].join(" · ") || data.message || data.clip || data.file;
}

function scrollToChosen() {
  const list = $("list");
  const at = shown.indexOf(chosen);
  if (at < 0) return;
  if (at * ROW < list.scrollTop) list.scrollTop = at * ROW;
  if ((at + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (at + 1) * ROW - list.clientHeight;
}

/** Selects the case `by` places further down. */
function step(by) {
  if (!shown.length) return;
  const at = shown.indexOf(chosen);
  choose(shown[at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + by))], false);
}

// The chosen case -------------------------------------------------------------------------------------------

let viewer = null;
let motion = null;
let checkAt = 0;
let motionSoon = 0;

/** Shows a case; `opened` says that it was opened rather than passed by. */
function choose(one, opened) {
  const hash = `#case-${encodeURIComponent(one.data.name)}`;
  if (opened && !document.body.classList.contains("open")) {
    document.body.classList.add("open");
    $("detail").scrollTop = 0;
  }
  if (one !== chosen) {
    chosen = one;
    showCase();
    drawList();
    scrollToChosen();
  }
  if (location.hash === hash) return;
  const isNew = opened && matchMedia("(max-width: 760px)").matches;
  history[isNew ? "pushState" : "replaceState"](null, "", hash);
}

function leave() {
  if (motion) motion.free();
  if (viewer) viewer.free();
  clearTimeout(motionSoon);
  viewer = motion = null;
}

function showCase() {
  leave();
  const { data } = chosen;
  const detail = $("detail");
  $("codes").hidden = true;
  detail.hidden = false;
  const leaf = data.name.lastIndexOf("/") + 1;
  const pictures = el("section", { id: "pictures", "aria-label": "Pictures" });
  const findings = data.checks.flatMap((check) => check.findings || []);
  const parts = [
    el("button", { class: "back", type: "button", onclick: toList }, "← Cases"),
    el("div", { class: "case-head" },
      el("span", { class: `badge ${data.status}` }, `${MARKS[data.status]} ${data.status}`),
      el("h2", {}, el("small", {}, plain(data.name.slice(0, leaf))), plain(data.name.slice(leaf))),
      el("p", { class: "case-file" }, plain(data.file), data.clip != null ? ` · ${plain(data.clip)}` : "")),
    data.message ? el("p", { class: "message" }, plain(data.message)) : null,
    checksTable(data),
    pictures,
    data.motion ? motionSection(data) : null,
    findings.length ? findingsTable(findings) : null,
  ];
  detail.replaceChildren(...parts.filter(Boolean));
  detail.scrollTop = 0;
  const firstBad = data.checks.findIndex((check) => check.picture && check.status !== "passed");
  chooseCheck(firstBad >= 0 ? firstBad : data.checks.findIndex((check) => check.picture));
  document.title = `${MARKS[data.status]} ${plain(data.name)} – rigview report`;
}

function checksTable({ checks }) {
  if (!checks.length) return null;
  const rows = checks.map((check, i) => {
    const time = check.time == null ? "" : seconds(check.time);
    const label = `${check.kind} ${time}`.trim();
    const pick = check.picture ? el("button", { type: "button", class: "pick", onclick: () => chooseCheck(i) }, label) : label;
    return el("tr", { class: check.status, "data-check": i },
      el("td", {}, el("span", { class: `mark ${check.status}`, role: "img", "aria-label": check.status }, MARKS[check.status])),
      el("th", { scope: "row" }, pick),
      el("td", { class: "numbers" }, ...numbers(check)),
      el("td", { class: "said" }, check.message ? plain(check.message) : ""));
  });
  return el("section", { id: "checks", "aria-label": "Checks" }, el("table", {}, el("tbody", {}, ...rows)));
}

/** The numbers of a check as small labelled values. */
function numbers(check) {
  const value = (name, text) => el("span", { class: "value" }, `${name} `, el("b", {}, text));
  if (check.picture) {
    const { max, mean, visible, flip } = check.picture;
    return [value("visible", percent(visible)), value("max", short(max)), value("mean", short(mean)), value("FLIP", short(flip))];
  }
  if (check.pose) {
    const { distance, node, angle } = check.pose;
    const out = [value("distance", millimetres(distance))];
    if (node) out.push(value("worst joint", plain(node)));
    if (angle) out.push(value("turned by", `${short(angle)}°`));
    return out;
  }
  const count = (level) => (check.findings || []).filter((finding) => finding.level === level).length;
  const levels = ["error", "warning", "note"].filter(count);
  return levels.map((level) => value(level + (count(level) > 1 ? "s" : ""), String(count(level))));
}

function findingsTable(findings) {
  const rank = { error: 0, warning: 1, note: 2 };
  const sorted = findings.map((f, i) => [f, i]).sort(([a, i], [b, j]) => rank[a.level] - rank[b.level] || i - j);
  const rows = sorted.map(([f]) => {
    const value = f.value == null ? "" : `${short(f.value)}${f.limit == null ? "" : ` of ${short(f.limit)}`}${f.unit ? ` ${plain(f.unit)}` : ""}`;
    const place = [f.object, f.clip, f.time == null ? null : seconds(f.time)].filter((x) => x != null && x !== "");
    return el("tr", { class: f.level },
      el("td", {}, el("span", { class: `level ${f.level}` }, f.level)),
      el("th", { scope: "row" }, el("a", { href: `#code-${encodeURIComponent(f.code)}` }, plain(f.code))),
      el("td", {}, plain(f.message), el("small", {}, plain([...place, f.pointer].filter(Boolean).join(" · ")))),
      el("td", { class: "amount" }, value));
  });
  return el("section", { id: "findings", "aria-labelledby": "findings-title" },
    el("h3", { id: "findings-title" }, `Findings (${findings.length})`),
    el("table", {}, el("tbody", {}, ...rows)));
}

// Pictures --------------------------------------------------------------------------------------------------

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

// Motion ----------------------------------------------------------------------------------------------------

let arrived = null;
/** Called by the scripts in motions/. */
window.rigview_motion = (data) => (arrived = data);

/** The data of a script, which can be loaded from disk where no request could. */
function loadMotion(path) {
  return new Promise((resolve, reject) => {
    // Results may come from elsewhere: run nothing outside the folder.
    if (!/^motions\//.test(path) || path.split("/").includes("..")) return reject(new Error(`${path} is not in motions/`));
    const script = el("script", { src: address(path) });
    script.onload = () => {
      const data = arrived;
      arrived = null;
      script.remove();
      data == null ? reject(new Error(`${path} holds no motion`)) : resolve(data);
    };
    script.onerror = () => reject(new Error(`${path} can't be read`));
    document.head.append(script);
  });
}

function motionSection(data) {
  const view = el("div", { class: "motion" }, el("p", { class: "notice" }, "Loading the motion…"));
  const section = el("section", { id: "motion", tabindex: -1, "aria-labelledby": "motion-title" }, el("h3", { id: "motion-title" }, "Motion"), view);
  const mine = chosen;
  const start = async () => {
    try {
      const result = await loadMotion(data.motion.result);
      const reference = data.motion.reference && (await loadMotion(data.motion.reference));
      const loaded = await player.motionOf(result, reference);
      if (chosen !== mine || !view.isConnected) return;
      if (loaded.leftOut) return view.replaceChildren(el("p", { class: "notice" }, plain(loaded.leftOut)));
      const bad = data.checks.find((check) => check.status !== "passed" && check.time != null);
      motion = player.view(view, loaded, bad ? bad.time : null);
      if (motion && document.activeElement === section) motion.focus();
    } catch (error) {
      if (view.isConnected) view.replaceChildren(el("p", { class: "notice" }, `The motion can't be shown: ${plain(error.message)}`));
    }
  };
  // Cases that are only passed by, or whose motion is not scrolled to, load nothing.
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    motionSoon = setTimeout(start, 150);
  }, { rootMargin: "200px" });
  seen.observe(section);
  return section;
}

// The page --------------------------------------------------------------------------------------------------

function toList() {
  document.body.classList.remove("open");
  history.replaceState(null, "", location.pathname + location.search);
  $("list").focus();
}

function route() {
  const hash = location.hash;
  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  if (hash === "#codes" || hash.startsWith("#code-")) return showCodes(hash.startsWith("#code-") ? decoded(hash.slice(1)) : "codes");
  $("codes").hidden = true;
  $("detail").hidden = false;
  const one = hash.startsWith("#case-") && byName.get(decoded(hash.slice(6)));
  if (one) choose(one, true);
  else if (matchMedia("(max-width: 760px)").matches) document.body.classList.remove("open");
}

function showCodes(id) {
  $("detail").hidden = true;
  $("codes").hidden = false;
  document.body.classList.add("open");
  const at = document.getElementById(id) || $("codes");
  at.scrollIntoView();
  at.focus({ preventScroll: true });
}

/** Back to the chosen case, or to the list. */
function fromCodes() {
  const hash = chosen ? `#case-${encodeURIComponent(chosen.data.name)}` : location.pathname + location.search;
  history.replaceState(null, "", hash);
  route();
}

const THEMES = ["auto", "light", "dark"];
function theme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[name];
  if (motion) motion.repaint();
  try {
    localStorage.setItem("rigview-theme", name);
  } catch {}
}
function storedTheme() {
  try {
    return localStorage.getItem("rigview-theme");
  } catch {
    return null;
  }
}
const nextTheme = () => theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]);

const toFilter = () => {
  document.body.classList.remove("open");
  $("filter").focus();
  $("filter").select();
};

/** Scrolls to the motion and moves the focus there; once it is loaded, to its picture. */
function toMotion() {
  if (!$("motion")) return;
  $("motion").scrollIntoView();
  motion ? motion.focus() : $("motion").focus();
}

const GLOBAL = {
  j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  PageDown: () => step(10), PageUp: () => step(-10), Home: () => step(-1e9), End: () => step(1e9),
  "/": toFilter,
  "[": () => stepCheck(-1), "]": () => stepCheck(1),
  s: () => viewer && viewer.setMode("side"), w: () => viewer && viewer.setMode("wipe"),
  f: () => viewer && viewer.setMode("flicker"), d: () => viewer && viewer.setMode("difference"),
  "+": () => viewer && viewer.zoomBy(1.5), "=": () => viewer && viewer.zoomBy(1.5), "-": () => viewer && viewer.zoomBy(1 / 1.5),
  0: () => viewer && viewer.fit(), 1: () => viewer && viewer.oneToOne(),
  m: toMotion,
  p: () => motion && motion.toggle(),
  t: nextTheme,
  "?": () => $("help").showModal(),
  Escape: () => ($("codes").hidden ? toList() : fromCodes()),
};

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const typing = target.matches("input[type=search], select");
  if (typing) {
    if (key === "Escape" || (key === "Enter" && target.id === "filter") || (key === "ArrowDown" && target.id === "filter")) {
      event.preventDefault();
      $("list").focus();
      if (!shown.includes(chosen)) step(0);
    }
    return;
  }
  const inList = target === document.body || target === $("list") || target === $("detail");
  const moves = /^(Arrow|Page|Home|End)/.test(key);
  if (moves && !inList) return;
  if (moves && target === $("detail") && !/^Arrow/.test(key)) return;
  if (key === "Enter" && target === $("list") && chosen) {
    event.preventDefault();
    choose(chosen, true);
    $("detail").focus();
    return;
  }
  const act = GLOBAL[key];
  if (!act) return;
  event.preventDefault();
  act();
});

function start() {
  const count = (status) => cases.filter((one) => one.data.status === status).length;
  const counts = { failed: count("failed"), error: count("error"), passed: count("passed") };
  const words = [["failed", "failed"], ["error", "with an error"], ["passed", "passed"]].filter(([status]) => counts[status] || status !== "error");
  $("totals").replaceChildren(...words.map(([status, word]) => el("span", { class: `total ${counts[status] ? status : "none"}` }, el("b", {}, String(counts[status])), ` ${word}`)));
  document.title = `${words.map(([status, word]) => `${counts[status]} ${word}`).join(", ")} – rigview report`;
  const segments = [["", "All"], ["failed", "Failed"], ["error", "Errors"], ["passed", "Passed"]].map(([status, text]) => {
    const button = el("button", { type: "button", "aria-pressed": String(!status), onclick: () => {
      wanted.status = status;
      segments.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      applyFilters();
    } }, text);
    return button;
  });
  $("statuses").append(...segments);
  const tags = [...new Set(cases.flatMap((one) => one.folders))].sort();
  $("tag").append(...tags.map((tag) => el("option", { value: tag }, plain(tag))));
  $("tag").parentElement.hidden = !tags.length;
  $("filter").addEventListener("input", () => { wanted.text = $("filter").value.trim().toLowerCase(); applyFilters(); });
  $("kind").addEventListener("change", () => { wanted.kind = $("kind").value; applyFilters(); });
  $("tag").addEventListener("change", () => { wanted.tag = $("tag").value; applyFilters(); });
  $("list").addEventListener("scroll", drawList, { passive: true });
  new ResizeObserver(drawList).observe($("list"));
  $("theme").addEventListener("click", nextTheme);
  $("help-button").addEventListener("click", () => $("help").showModal());
  $("codes-button").hidden = !document.querySelector("#codes article");
  $("codes-button").addEventListener("click", () => (location.hash = "#codes"));
  $("codes-back").addEventListener("click", fromCodes);
  addEventListener("hashchange", route);
  addEventListener("popstate", route);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => motion && motion.repaint());
  theme(THEMES.includes(storedTheme()) ? storedTheme() : "auto");
  applyFilters();
  const isWide = !matchMedia("(max-width: 760px)").matches;
  route();
  if (!chosen && isWide && cases.length) choose(cases[0], false);
  if (isWide) $("list").focus({ preventScroll: true });
}
start();
