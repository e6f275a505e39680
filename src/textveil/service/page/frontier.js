// How much stays at which epsilon: read off the laws at hand, or what `textveil compare` measured.

import { ask } from "./api.js";
import { asTable, drawChart } from "./chart.js";
import { $, make, number, odds, percent, show } from "./dom.js";
import { showCompared } from "./compared.js";

export async function begin(page) {
  const known = page.mechanisms.filter((each) => each.words);
  const body = $("frontier-body");
  if (known.length === 0) {
    show(body, make("p", { class: "lead" }, "No mechanism here releases words as words, so there is nothing to compare."));
    return;
  }
  const select = make("select", { id: "frontier-mechanism" }, known.map((each) => make("option", { value: each.name }, each.name)));
  const place = make("div");
  const refresh = async () => {
    try {
      const answer = await ask(`v1/page/frontier/${encodeURIComponent(select.value)}`);
      showFrontier(place, known.find((each) => each.name === select.value), answer);
    } catch (problem) {
      show(place, make("p", { class: "problem", role: "alert" }, problem.told));
    }
  };
  select.addEventListener("change", refresh);
  const chooser = known.length < 2 ? null : make("div", { class: "chooser" }, make("label", { for: "frontier-mechanism" }, "Mechanism"), select);
  show(body,
    make("p", { class: "lead" }, "A small epsilon changes nearly every word, a large one hardly any. In between lies the choice."),
    chooser, place);
  await refresh();
}

function showFrontier(place, mechanism, { points, file }) {
  const own = points.length === 0
    ? make("p", { class: "card" }, "The laws of this mechanism are not at hand at other epsilons.")
    : frontierCard(mechanism, points);
  show(place, own, file === null ? null : showCompared(file));
}

function frontierCard(mechanism, points) {
  const note = make("p", { class: "chart-note", role: "status" });
  const tell = ({ epsilon, kept, loss }) => {
    note.textContent = `At epsilon ${number(epsilon)} a word stays with chance ${percent(kept)} in the mean, ` +
      `and one word shifts anyone's odds by at most ${loss === null ? "any factor" : odds(loss)}.`;
  };
  const drawn = points.map((point) => ({ x: point.epsilon, y: point.kept, marked: mechanism.offered.includes(point.epsilon), point }));
  const chart = drawChart({
    series: [{ at: 0, points: drawn }],
    x: { name: "epsilon (loss per unit of distance)", log: true, format: (value) => number(value) },
    y: { from: 0, to: 1, format: percent },
    told: `Share of words that stay against epsilon: from ${percent(points[0].kept)} at ${number(points[0].epsilon)} to ${percent(points.at(-1).kept)} at ${number(points.at(-1).epsilon)}. All values are in the table below.`,
    note: (line, { point }) => tell(point),
  });
  tell(points.find((point) => point.epsilon === mechanism.default) ?? points[0]);
  return make("section", { class: "card", "aria-labelledby": "kept-title" },
    make("h2", { id: "kept-title" }, "Words that stay, in the mean over the vocabulary"),
    make("p", { class: "small" }, "Exact, from the laws themselves. Marked: the epsilons that are offered for releases."),
    chart, note, make("p", {}, make("a", { href: "#release" }, "Release a file at an epsilon that is offered")),
    make("details", {}, make("summary", {}, "All values"),
      asTable(["epsilon", "words that stay", "odds for one word, at most"],
        points.map((point) => [number(point.epsilon), percent(point.kept), point.loss === null ? "not bounded" : odds(point.loss)]))));
}
