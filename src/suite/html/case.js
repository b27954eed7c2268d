// The chosen case: its checks and findings. Only the chosen case has its pictures and motion loaded.

/** The path of a file of the report as an address relative to the page. */
const address = (path) => path.split("/").map(encodeURIComponent).join("/");

/** A number with three digits that count. */
const short = (x) => (x == null || !Number.isFinite(x) ? "–" : x === 0 ? "0" : Math.abs(x) < 1e-4 ? x.toExponential(1) : String(+x.toPrecision(3)));
const percent = (x) => (x == null ? "–" : `${short(100 * x)} %`);
const seconds = (time) => `${short(time)} s`;

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
    data.commands ? commandsList(data.commands) : null,
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

/** The command lines of a case that did not pass; a click selects one whole. */
function commandsList({ bless, draw }) {
  const line = (what, command) => [el("dt", {}, what), el("dd", {}, el("code", { tabindex: 0 }, plain(command)))];
  return el("section", { id: "commands", "aria-label": "Commands" }, el("dl", {}, ...line("Approve", bless), ...line("Draw", draw)));
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
      const loaded = await motionOf(result, reference);
      if (chosen !== mine || !view.isConnected) return;
      if (loaded.leftOut) return view.replaceChildren(el("p", { class: "notice" }, plain(loaded.leftOut)));
      const bad = data.checks.find((check) => check.status !== "passed" && check.time != null);
      motion = showMotion(view, loaded, bad ? bad.time : null);
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
