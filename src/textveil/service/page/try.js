// The playground: a text, a mechanism, an epsilon, and what may come out.

import { latest } from "./api.js";
import { $, after, facts, make, number, odds, show } from "./dom.js";
import { showOriginal, showSamples } from "./samples.js";
import { look, lookAgain } from "./word.js";

const SAMPLES = 4;
const draw = latest();
let page = null;

export function begin(given) {
  page = given;
  const readable = page.mechanisms.filter((each) => each.reads !== null);
  if (readable.length === 0) {
    show($("try"), $("try-title"), make("p", { class: "lead" }, "No mechanism that is offered here gives texts back."));
    return;
  }
  show($("mechanism"), readable.map((each) => make("option", { value: each.name }, `${each.name} (${each.made_by})`)));
  $("text").maxLength = page.most_characters;
  $("no-samples").hidden = page.samples;
  $("mechanism").addEventListener("change", () => { choose(); refresh(); });
  $("epsilon").addEventListener("input", () => { tell(); afterSlide(); });
  $("text").addEventListener("input", () => { count(); afterTyping(); });
  $("again").addEventListener("click", refresh);
  choose();
  count();
  refresh();
}

const mechanism = () => page.mechanisms.find((each) => each.name === $("mechanism").value);
const epsilon = () => mechanism().stops[Number($("epsilon").value)];
const afterSlide = after(25, () => refresh());
const afterTyping = after(110, () => refresh());

function choose() {
  const { stops, offered, default: first } = mechanism();
  const slider = $("epsilon");
  slider.max = stops.length - 1;
  slider.value = stops.indexOf(first);
  $("slide").hidden = stops.length < 2;
  $("word").hidden = !mechanism().words;
  $("original-title").textContent = mechanism().words ? "Original: choose a word to see where it goes" : "Original";
  const marks = offered.map((each) => {
    const mark = make("span", {}, number(each));
    mark.style.left = `${(100 * stops.indexOf(each)) / Math.max(1, stops.length - 1)}%`;
    return mark;
  });
  show($("ticks"), marks);
  tell();
}

function tell() {
  const chosen = number(epsilon());
  const offered = mechanism().offered.includes(epsilon());
  $("epsilon-value").textContent = chosen;
  $("epsilon").setAttribute("aria-valuetext", `${chosen}${offered ? ", offered for releases" : ", to look at only"}`);
  $("epsilon-note").textContent = offered
    ? "Offered for releases."
    : "To look at only: releases take the marked values.";
}

function count() {
  const left = page.most_characters - $("text").value.length;
  $("text-count").textContent = left < 200 ? `${left} characters left.` : "";
}

async function refresh() {
  const text = $("text").value;
  const chosen = { mechanism: mechanism().name, epsilon: epsilon() };
  if (!page.samples) {
    showWordsAlone(text, chosen);
    return;
  }
  if (text.trim() === "") {
    show($("original"));
    show($("samples"));
    $("legend").hidden = $("promised").hidden = true;
    return;
  }
  try {
    const began = performance.now();
    const answer = await draw("v1/page/samples", { ...chosen, text, samples: SAMPLES });
    if (answer === null) return;
    $("try-problem").textContent = "";
    showOriginal($("original"), answer.pieces, text, mechanism().words ? (word) => look(word, chosen) : null);
    showSamples($("samples"), answer);
    $("legend").hidden = answer.pieces.length === 0;
    $("promised").hidden = false;
    showPromise(answer);
    // What the tests measure: from the question to what is seen.
    $("samples").dataset.milliseconds = Math.round(performance.now() - began);
    $("samples").dataset.epsilon = chosen.epsilon;
    if (mechanism().words) lookAgain(chosen);
  } catch (problem) {
    $("try-problem").textContent = problem.told ?? "Something went wrong on this page.";
  }
}

function showWordsAlone(text, chosen) {
  const pieces = (text.match(/[\p{L}\p{N}'’]+|[^\p{L}\p{N}'’]+/gu) ?? []).map((part) => ({
    text: part, enters: /[\p{L}\p{N}]/u.test(part) ? part.toLowerCase() : null, known: true, left: false,
  }));
  showOriginal($("original"), pieces, text, (word) => look(word, chosen));
  $("legend").hidden = $("again").hidden = $("promised").hidden = true;
  if (mechanism().words) lookAgain(chosen);
}

function showPromise(answer) {
  const proved = answer.status === "proved";
  $("status").textContent = { proved: "Proved", conditional: "Conditional", refuted: "Refuted" }[answer.status];
  $("status").className = proved ? "badge" : "badge warn";
  const bound = (loss) => (loss === null ? "not bounded" : `shifts anyone's odds by at most ${odds(loss)}`);
  const rows = answer.unit === "text" ? [["The whole text", bound(answer.each)]] : [[`One ${answer.unit}`, bound(answer.each)]];
  if (answer.units > 1) rows.push([`All ${answer.units} ${answer.unit}s`, answer.worst_case === null ? "not bounded" : `at most ${odds(answer.worst_case)}`]);
  show($("odds"), facts(rows));
  $("odds-note").hidden = answer.unit !== "word";
  $("promise").textContent = answer.promise;
}
