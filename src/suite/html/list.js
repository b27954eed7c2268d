// The list of cases: filtered, sorted, and drawn only where it is in view.

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
