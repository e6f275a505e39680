// One word: its chance to stay, what replaces it, what an attacker learns, and a map of what is around it.

import { ask, latest } from "./api.js";
import { $, after, bar, facts, make, number, odds, percent, show } from "./dom.js";
import { drawMap } from "./map.js";

const learn = latest();
const learnMore = latest();
let shown = null;

export const look = after(60, (word, chosen) => lookNow(word, chosen));

export function lookAgain(chosen) {
  if (shown !== null) lookNow({ ...shown.word, aloud: false }, chosen);
}

async function lookNow(word, chosen) {
  const asked = { ...chosen, word: word.enters };
  const name = JSON.stringify(asked);
  if (shown?.name === name) return;
  try {
    const found = await learn("v1/page/word", asked);
    if (found === null) return;
    shown = { name, word };
    showWord(word, found, chosen);
    if (word.aloud) $("word-live").textContent = `${found.word} stays with chance ${percent(found.stays)}.`;
    afterRest(asked, name);
  } catch (problem) {
    shown = null;
    show($("word-body"), make("p", { class: "problem" }, problem.told ?? "Something went wrong on this page."));
  }
}

// The first count at an epsilon takes the server seconds: it is asked for when the eye rests on a word.
const afterRest = after(350, async (asked, name) => {
  if (shown?.name !== name) return;
  try {
    const found = await learnMore("v1/page/plausible", asked);
    if (found !== null && shown?.name === name) showPlausible(found);
  } catch (problem) {
    if (problem.code === "busy") setTimeout(afterRest, 1500, asked, name);
    else if (shown?.name === name) showPlausible({ as_plausible: null, recovered: null });
  }
});

function showWord(word, found, chosen) {
  $("word-title").textContent = `“${found.word}”`;
  const walk = (to) => look({ enters: to, text: to, aloud: true }, chosen);
  const rest = 1 - found.replacements.reduce((sum, row) => sum + row.chance, found.stays);
  const list = found.replacements.map((row) => make("li", {},
    make("button", { type: "button", class: "plain", onclick: () => walk(row.word) }, row.word),
    make("span", { class: "bar" }, bar(row.chance)),
    make("span", { class: "chance" }, percent(row.chance))));
  const near = found.replacements[0];
  show($("word-body"),
    word.text.toLowerCase() === found.word.toLowerCase() ? null
      : make("p", { class: "small" }, `“${word.text}” enters as “${found.word}”, like every word that the vocabulary does not have in this form.`),
    make("p", { class: "stays" }, make("span", { class: "big" }, percent(found.stays)), " is its chance to stay. What takes its place:"),
    make("ul", { class: "bars" }, list,
      make("li", {}, make("span", { class: "small" }, "any other word"), make("span"), make("span", { class: "chance" }, percent(Math.max(0, rest))))),
    make("dl", { class: "facts" }, facts([
      ["Also plausible", make("span", { id: "plausible" }, "counting …")],
      ["Guessed right", make("span", { id: "recovered" }, "counting …")],
      near ? [`“${found.word}” or “${near.word}”?`, `odds shift by at most ${odds(near.loss)}`] : ["", ""],
    ])),
    found.draws === null ? null : make("p", { class: "small" }, `Counted out of ${number(found.draws)} draws: the law can't be read off.`),
    found.map === null ? null : drawMap(found.map, walk));
}

// A mean: where a word mostly stays, a few rare outputs with many plausible words make up most of it.
function showPlausible({ as_plausible: others, recovered }) {
  const told = others === null ? "not known for this mechanism"
    : others < 0.5 ? "hardly any other word is"
    : `about ${number(others, 2)} other words, at least half as likely: the mean over all that may come out, whether the word stays or changes`;
  $("plausible").textContent = told;
  $("recovered").textContent = recovered === null ? "not known for this mechanism" : `${percent(recovered)} of the time, from the law alone`;
}
