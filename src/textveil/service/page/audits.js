// Audits of what is offered: run here, on the server's own laws.

import { ask } from "./api.js";
import { $, facts, make, number, show } from "./dom.js";

export function begin(page) {
  const rows = page.mechanisms.flatMap((each) => each.offered.map((epsilon) => ({ mechanism: each.name, epsilon })));
  show($("audits-body"), rows.map(card));
}

function card({ mechanism, epsilon }) {
  const name = `${mechanism} at epsilon ${number(epsilon)}`;
  const result = make("div", { "aria-live": "polite" });
  const button = make("button", { type: "button", "aria-label": `Audit ${name}` }, "Audit");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const began = performance.now();
    const clock = make("span", {}, "0 s");
    const timer = setInterval(() => { clock.textContent = `${Math.round((performance.now() - began) / 1000)} s`; }, 1000);
    show(result, make("p", { class: "small" }, "Looking at every pair … ", clock, ". The first time this may take minutes; it goes on while you look elsewhere."));
    try {
      show(result, report(await ask("v1/audit", { mechanism, epsilon })));
    } catch (problem) {
      show(result, make("p", { class: "problem" }, problem.told));
    } finally {
      clearInterval(timer);
      button.disabled = false;
      button.textContent = "Audit again";
    }
  });
  return make("section", { class: "card" }, make("div", { class: "head" }, make("h2", {}, name), button), result);
}

function report({ verdict, promise, findings, claim }) {
  const kind = { holds: "holds", violated: "violated" }[verdict] ?? "";
  const said = { holds: "The promise holds", violated: "The promise is broken", "not certifiable": "Not certifiable" }[verdict] ?? verdict;
  return [
    make("p", { class: `verdict ${kind}` }, said),
    make("p", { class: "promise" }, promise),
    make("ul", { class: "findings" }, findings.map((found) => finding(found, claim))),
  ];
}

function finding(found, claim) {
  const rows = [["How", found.method], ["Says", found.verdict]];
  if (found.bound !== null) rows.push(["Epsilon", `${number(found.bound, 6)} found, ${number(claim.epsilon, 6)} promised`]);
  if (found.witness?.pair) rows.push(["Closest pair", found.witness.pair.map(short).join("  ·  ")]);
  if (found.witness?.event) rows.push(["Output", short(found.witness.event)]);
  return make("li", {}, make("h3", {}, found.name), make("dl", { class: "facts" }, facts(rows)), make("p", { class: "small" }, found.explanation));
}

function short(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 90 ? `${text.slice(0, 87)}…` : text;
}
