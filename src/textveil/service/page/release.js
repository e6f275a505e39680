// A file: chosen, weighed, paid for, released, downloaded with its receipt.

import { ask } from "./api.js";
import { amount, meter } from "./budgets.js";
import { $, facts, make, number, odds, percent, show } from "./dom.js";
import { longest, stream } from "./streaming.js";
import { read, Unreadable } from "./tables.js";

let page = null;
let table = null;
let file = null;
let quote = null;

export async function begin(given) {
  page = given;
  const mechanisms = page.mechanisms.filter((each) => each.reads !== null);
  const datasets = page.counted ? (await ask("v1/datasets")).datasets : [];
  if (page.counted && datasets.length === 0) {
    show($("release-body"), make("p", { class: "notice" }, "This key may not spend from any data set, so it can't release."));
    return;
  }
  if (mechanisms.length === 0) {
    show($("release-body"), make("p", { class: "notice" }, "No mechanism that is offered here gives texts back; programs can ask for the others."));
    return;
  }
  show($("release-body"), make("ol", { class: "steps" }, chooseFile(), chooseTerms(mechanisms, datasets), settle()));
  const terms = ["column", "with", "at", "dataset", "rows"];
  terms.forEach((id) => $(`release-${id}`)?.addEventListener("change", forget));
  $("release-with").addEventListener("change", epsilons);
  $("release-dataset")?.addEventListener("change", askRows);
  epsilons();
  askRows();

  function epsilons() {
    const chosen = mechanisms.find((each) => each.name === $("release-with").value);
    show($("release-at"), chosen.offered.map((each, at) => make("option", { value: each }, `${number(each)}${staying(chosen.stays[at], ": ", "")}`)));
  }

  function askRows() {
    const chosen = datasets.find((each) => each.name === $("release-dataset")?.value);
    $("release-people").hidden = chosen?.facts.unit !== "person";
  }
}

function chooseFile() {
  const input = make("input", {
    id: "release-file", type: "file", accept: ".txt,.csv,.tsv,.jsonl,.ndjson",
    // So that the same file can be chosen again after it was changed.
    onclick: () => { input.value = ""; },
    onchange: () => take(input.files[0]),
  });
  const drop = make("div", {
    class: "drop",
    ondragover: (event) => { event.preventDefault(); drop.classList.add("over"); },
    ondragleave: () => drop.classList.remove("over"),
    ondrop: (event) => { event.preventDefault(); drop.classList.remove("over"); take(event.dataTransfer.files[0]); },
  }, make("label", { for: "release-file" }, "A file of records: .txt (one a line), .csv, .tsv or .jsonl"), input);
  return make("li", { class: "card" }, make("h2", {}, "Choose a file"), drop,
    make("p", { id: "file-problem", class: "problem", role: "alert" }),
    make("div", { id: "file-about", hidden: true },
      make("p", { id: "file-size" }),
      make("div", { id: "column-field", class: "narrow" }, make("label", { for: "release-column" }, "Column to release"), make("select", { id: "release-column" }),
        make("p", { class: "small" }, "Only this column leaves; all others stay here.")),
      make("ol", { id: "peek", class: "peek", "aria-label": "First records" })));
}

function chooseTerms(mechanisms, datasets) {
  const field = (id, name, control) => make("div", {}, make("label", { for: id }, name), control);
  return make("li", { class: "card" }, make("h2", {}, "Choose the terms"),
    make("div", { class: "pair" },
      field("release-with", "Mechanism", make("select", { id: "release-with" }, mechanisms.map((each) => make("option", {}, each.name)))),
      field("release-at", "Epsilon", make("select", { id: "release-at" })),
      datasets.length === 0 ? null : field("release-dataset", "Paid from", make("select", { id: "release-dataset" }, datasets.map((each) => make("option", {}, each.name)))),
      make("div", { id: "release-people", hidden: true }, make("label", { for: "release-rows" }, "Records of one person, at most"),
        make("input", { id: "release-rows", type: "number", min: 1, placeholder: "all" }))),
    make("p", {}, make("button", { id: "weigh", type: "button", disabled: true, onclick: weigh }, "See what it costs")),
    make("p", { id: "weigh-problem", class: "problem", role: "alert" }));
}

function settle() {
  return make("li", { class: "card" }, make("h2", {}, "Release"),
    make("div", { id: "quote", "aria-live": "polite" }, make("p", { class: "small" }, "First the cost, then the decision.")),
    make("div", { id: "done", "aria-live": "polite" }));
}

async function take(chosen) {
  table = null;
  forget();
  $("file-problem").textContent = "";
  $("file-about").hidden = true;
  $("weigh").disabled = true;
  if (chosen === undefined) return;
  file = chosen;
  try {
    if (file.size > page.most_bytes) throw new Unreadable(`The file has ${number(file.size / 2 ** 20, 3)} MiB, the service takes ${number(page.most_bytes / 2 ** 20, 3)}; use \`textveil rewrite\` for larger ones.`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    table = read(file.name, text);
  } catch (error) {
    $("file-problem").textContent = error instanceof Unreadable ? error.message : "The file is not UTF-8 text.";
    return;
  }
  show($("release-column"), table.columns.map((name) => make("option", { value: name }, name)));
  $("release-column").value = [...table.columns].sort((one, other) => length(other) - length(one))[0];
  $("column-field").hidden = table.columns.length < 2;
  $("file-about").hidden = false;
  peek();
}

const staying = (share, before, after) => (share === null ? "" : `${before}about ${percent(share)} of words stay${after}`);
const many = (count) => `${number(count, 12)} ${count === 1 ? "record" : "records"}`;
const length = (name) => table.column(name).slice(0, 50).join("").length;

function peek() {
  const records = table.column($("release-column").value);
  const tooMany = records.length > page.most_records || records.length === 0;
  $("file-size").textContent = `${file.name}: ${many(records.length)}.`;
  $("file-problem").textContent = !tooMany ? "" : records.length === 0 ? "The file has no records." : `A release takes at most ${number(page.most_records, 12)} records.`;
  show($("peek"), records.slice(0, 3).map((record) => make("li", {}, record.length > 160 ? `${record.slice(0, 160)}…` : record)));
  $("weigh").disabled = tooMany;
}

function forget() {
  quote = null;
  if (table !== null) peek();
  show($("quote"), make("p", { class: "small" }, "First the cost, then the decision."));
  show($("done"));
}

function terms() {
  const rows = $("release-people").hidden ? "" : $("release-rows").value;
  return {
    mechanism: $("release-with").value, epsilon: Number($("release-at").value),
    ...($("release-dataset") === null ? {} : { dataset: $("release-dataset").value }), ...(rows === "" ? {} : { rows: Number(rows) }),
  };
}

async function weigh() {
  const records = table.column($("release-column").value);
  const chosen = terms();
  const kind = page.mechanisms.find((each) => each.name === chosen.mechanism).reads;
  $("weigh-problem").textContent = "";
  $("weigh").disabled = true;
  try {
    const pieces = await longest(chosen.mechanism, records);
    const size = { kind, records: records.length, pieces };
    quote = { chosen, size, records, column: $("release-column").value };
    showQuote(await ask("v1/preview", { ...chosen, ...size }));
  } catch (problem) {
    $("weigh-problem").textContent = problem.told ?? "Something went wrong on this page.";
  } finally {
    $("weigh").disabled = false;
  }
}

function showQuote(answer) {
  const { size, chosen } = quote;
  const unit = size.kind === "documents" ? "sentences" : "words";
  const rows = [["Records", `${number(size.records, 12)}, the longest with ${number(size.pieces, 12)} ${unit}`],
    ["Odds for the longest", `at most ${odds(answer.worst_case)}`]];
  if (answer.stays !== null) rows.push(["Words that stay", staying(answer.stays, "", ", in the mean over the vocabulary")]);
  if (answer.cost !== null) {
    rows.push(["Costs", `epsilon ${number(amount(answer.cost.epsilon), 6)}`]);
    rows.push([answer.allowed ? "Then left" : "Left", `epsilon ${number(amount(answer.remaining.epsilon), 6)} of ${chosen.dataset}`]);
  }
  const button = make("button", { id: "go", type: "button", disabled: !answer.allowed, onclick: go }, `Release ${many(size.records)}`);
  show($("quote"),
    answer.allowed ? null : make("p", { class: "problem" }, `The budget does not allow it. ${answer.statement}. A smaller epsilon, shorter records or another data set may fit.`),
    make("dl", { class: "facts" }, facts(rows)),
    make("p", { class: "promise" }, answer.promise),
    answer.cost === null ? make("p", { class: "small" }, answer.statement) : null,
    make("p", {}, button));
}

async function go() {
  const { chosen, size, records, column } = quote;
  $("go").disabled = true;
  const progress = make("progress", { max: records.length, value: 0, "aria-label": "Records released" });
  const told = make("p", { class: "small" }, "Paying …");
  show($("done"), progress, told);
  try {
    const { released, receipt } = await stream({ ...chosen, records: size.records, pieces: size.pieces }, size.kind, records, (count) => {
      progress.value = count;
      told.textContent = `${number(count, 12)} of ${number(records.length, 12)} records`;
    });
    $("go").remove();
    await showDone(table.write(released, column), receipt, chosen);
  } catch (problem) {
    show($("done"), make("p", { class: "problem", role: "alert" }, problem.told ?? "The release broke off; what was reserved stays spent."));
  }
}

async function showDone(made, receipt, { dataset }) {
  const stem = file.name.replace(/\.[^.]*$/, "");
  const link = (text, type, name, label, second) => {
    const address = URL.createObjectURL(new Blob([text], { type }));
    return make("a", { class: second ? "button second" : "button", href: address, download: name }, label);
  };
  const heading = make("h3", { tabindex: -1 }, "Released");
  const left = dataset === undefined ? null : (await ask(`v1/datasets/${encodeURIComponent(dataset)}`)).facts;
  show($("done"), heading,
    make("p", {}, receipt.ledger.statement),
    left === null ? null : make("p", { class: "small" }, `Budget of ${dataset}: ${percent(left.share)} used`),
    left === null ? null : meter(dataset, left.share),
    make("p", { class: "row" },
      link(made.text, made.type, `${stem}.released${made.ending}`, "Download"),
      link(`${receipt.written}\n`, "application/json", `${stem}.released${made.ending}.receipt.json`, "Receipt", true)),
    make("p", { class: "small" }, "The receipt names the mechanism, the promise and the entry of the ledger; it holds no content. ",
      make("code", {}, "textveil verify FILE RECEIPT --ledger LEDGER"), " checks it. Releasing the file again costs again."));
  heading.focus();
}
