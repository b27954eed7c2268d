// The page: addresses, themes and keys.

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
