// Begins the page: asks for a key if one is needed, then shows one view at a time.

import { ask, Problem, remember } from "./api.js";
import { $, show } from "./dom.js";

const VIEWS = {
  try: () => import("./try.js"),
  frontier: () => import("./frontier.js"),
  release: () => import("./release.js"),
  budgets: () => import("./budgets.js"),
  audits: () => import("./audits.js"),
};
let page = null;
const opened = new Map();

async function begin() {
  try {
    page = await ask("v1/page");
  } catch (problem) {
    enter(problem);
    return;
  }
  $("version").textContent = ` ${page.library}`;
  $("entrance").hidden = true;
  $("views").hidden = false;
  await open();
}

function enter(problem) {
  page = null;
  opened.clear();
  $("views").hidden = $("leave").hidden = true;
  for (const view of Object.keys(VIEWS)) $(view).hidden = true;
  $("entrance").hidden = false;
  document.title = "Key – textveil";
  $("key-problem").textContent = problem instanceof Problem && problem.status !== 401 ? problem.told : "";
  $("key").focus();
}

async function open() {
  if (page === null) return;
  const asked = location.hash.slice(1);
  const name = asked in VIEWS ? asked : "try";
  for (const view of Object.keys(VIEWS)) $(view).hidden = view !== name;
  for (const link of $("views").children) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${$(`${name}-title`).textContent} – textveil`;
  const view = await VIEWS[name]();
  const first = !opened.has(name);
  opened.set(name, true);
  await (first ? view.begin(page) : view.again?.(page));
}

$("key-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = $("key").value.trim();
  $("key-problem").textContent = "";
  remember(given);
  try {
    page = await ask("v1/page");
  } catch (problem) {
    remember(null);
    const wrong = problem.status === 401;
    $("key-problem").textContent = wrong
      ? "This key is not valid here. Check that it is whole, or ask the operator for another."
      : problem.told;
    $("key").select();
    return;
  }
  $("key").value = "";
  $("leave").hidden = false;
  await begin();
  $("main").focus();
});

$("leave").addEventListener("click", () => {
  remember(null);
  location.reload();
});

window.addEventListener("hashchange", async () => {
  if (location.hash === "#main") return;
  await open();
  $("main").focus({ preventScroll: true });
  window.scrollTo(0, 0);
});

show($("key-problem"));
begin();
