// The budgets that the key may spend from, and what was spent.

import { ask } from "./api.js";
import { $, bar, facts, make, number, percent, show } from "./dom.js";

export async function begin() {
  await again();
}

export async function again() {
  const body = $("budgets-body");
  try {
    const { counted, datasets } = await ask("v1/datasets");
    if (!counted) show(body, make("p", { class: "lead" }, "This service keeps no ledger: nothing is counted, and repeated releases add up unseen."));
    else if (datasets.length === 0) show(body, make("p", { class: "lead" }, "This key may not spend from any data set."));
    else {
      show(body, make("p", { class: "lead" }, "Every release is paid for before a byte of it leaves, and what may have left is never given back."),
        await Promise.all(datasets.map(card)));
    }
  } catch (problem) {
    show(body, make("p", { class: "problem", role: "alert" }, problem.told));
  }
}

// Amounts are exact fractions, such as 351/25.
export function amount(text) {
  const [above, below = "1"] = String(text).split("/");
  return Number(above) / Number(below);
}

const sum = (epsilon, delta) => `epsilon ${number(amount(epsilon), 6)}${amount(delta) ? `, delta ${number(amount(delta), 3)}` : ""}`;

export function meter(name, share) {
  const left = Math.max(0, 1 - share);
  return make("div", {
    class: left < 0.15 ? "meter low" : "meter", role: "meter", "aria-label": `Spent of ${name}`,
    "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(100 * share), "aria-valuetext": `${percent(share)} spent`,
  }, bar(share));
}

async function card({ name, facts: about }, at) {
  let past;
  try {
    past = history(name, (await ask(`v1/datasets/${encodeURIComponent(name)}/history`)).entries);
  } catch (problem) {
    past = make("p", { class: "problem" }, `The history can't be shown. ${problem.told ?? ""}`);
  }
  const { ceiling, spent, remaining, share } = about;
  return make("section", { class: "card", "aria-labelledby": `budget-${at}` },
    make("div", { class: "head" }, make("h2", { id: `budget-${at}` }, name), make("span", { class: "small" }, `protects each ${about.unit}`)),
    meter(name, share),
    make("dl", { class: "facts" }, facts([
      ["Spent", `${sum(spent.epsilon, spent.delta)} (${percent(share)})`],
      ["Left", sum(remaining.epsilon, remaining.delta)],
      ["Ceiling", sum(ceiling.epsilon, ceiling.delta)],
    ])),
    past);
}

function history(name, entries) {
  if (entries.length === 0) return make("p", { class: "small" }, "Nothing was released yet.");
  const rows = entries.toReversed().slice(0, 200).map((entry) => make("tr", {},
    make("td", {}, entry.reserved.replace("T", " ").slice(0, 16)),
    make("td", { "data-name": "Cost (epsilon)" }, number(amount(entry.epsilon ?? 0), 6)),
    make("td", { "data-name": "State" }, entry.state),
    make("td", { "data-name": "Mechanism" }, entry.mechanism ?? "?"),
    make("td", { "data-name": "Part" }, entry.part || "all"),
    make("td", { "data-name": "Entry" }, make("code", {}, entry.id))));
  const head = ["When (UTC)", "Cost (epsilon)", "State", "Mechanism", "Part", "Entry"].map((each) => make("th", { scope: "col" }, each));
  return make("details", { open: entries.length <= 8 },
    make("summary", {}, `History: ${number(entries.length)} ${entries.length === 1 ? "entry" : "entries"}`),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `History of ${name}` },
      make("table", { class: "stacked" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows))));
}
