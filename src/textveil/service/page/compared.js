// A file of `textveil compare`: ways to release, by any two of the quantities that were measured.

import { asTable, drawChart, swatch } from "./chart.js";
import { make, number, show } from "./dom.js";

export function showCompared(file) {
  const { title, findings, quantities, ways } = file;
  const choose = (id, chosen) => make("select", { id, onchange: () => refresh() },
    quantities.map((each) => make("option", { value: each.key, selected: each.key === chosen }, each.label)));
  const [across, up] = beginning(quantities);
  const selects = { x: choose("compare-x", across), y: choose("compare-y", up) };
  const boxes = ways.map((way, at) => make("input", { type: "checkbox", checked: true, value: way.key, onchange: () => refresh(), "data-at": at }));
  const place = make("div");
  const find = (key) => quantities.find((each) => each.key === key);
  const refresh = () => show(place, chart(file, find(selects.x.value), find(selects.y.value), boxes));
  refresh();
  return make("section", { class: "card", "aria-labelledby": "compared-title" },
    make("h2", { id: "compared-title" }, title),
    make("div", { class: "pair" },
      make("div", {}, make("label", { for: "compare-y" }, "Upwards"), selects.y),
      make("div", {}, make("label", { for: "compare-x" }, "Across"), selects.x)),
    make("ul", { class: "swatches", "aria-label": "Ways to release" }, ways.map((way, at) =>
      make("li", {}, make("label", {}, boxes[at], swatch(at), way.status === "proved" ? way.label : `${way.label} (${way.status})`)))),
    place,
    findings.length === 0 ? null : make("ul", {}, findings.map((each) => make("li", {}, each))));
}

function beginning(quantities) {
  const keys = quantities.map((each) => each.key);
  const useful = quantities.find((each) => each.side === "utility");
  return [keys.includes("loss") ? "loss" : keys[0], useful?.key ?? keys.at(-1)];
}

const told = (value) => number(value, 3);

function chart(file, x, y, boxes) {
  const series = boxes.filter((box) => box.checked).map((box) => {
    const points = file.points.filter((point) => point.way === box.value)
      .map(({ values }) => ({ across: values[x.key], upwards: values[y.key] }))
      .filter(({ across, upwards }) => across && upwards && across[0] !== null && upwards[0] !== null)
      .map(({ across, upwards: [value, low, high, how] }) => ({ x: across[0], y: value, low, high, how }))
      .sort((one, other) => one.x - other.x);
    const way = file.ways.find((each) => each.key === box.value);
    return { at: Number(box.dataset.at), name: way.label, points };
  }).filter((line) => line.points.length > 0);
  if (series.length === 0) return [make("p", { class: "small" }, "No way to release has both of these.")];
  const note = make("p", { class: "chart-note", role: "status" }, "Point at a mark to read its values.");
  const every = series.flatMap((line) => line.points);
  const positive = (pick) => every.every((point) => pick(point) > 0);
  return [
    drawChart({
      series,
      x: { name: x.label, log: x.scale === "log" && positive((point) => point.x), format: told },
      y: { name: y.label, log: y.scale === "log" && positive((point) => Math.min(point.y, point.low)), format: told, ...(y.scale === "log" ? {} : { from: 0, to: Math.max(1, ...every.map((point) => point.high)) }) },
      told: `${y.label} against ${x.label} for ${series.map((line) => line.name).join(", ")}. All values are in the table below.`,
      note: (line, point) => {
        note.textContent = `${line.name}: ${y.label} ${told(point.y)} (${told(point.low)} to ${told(point.high)}, ${point.how}) at ${x.label} ${told(point.x)}.`;
      },
    }),
    note,
    make("details", {}, make("summary", {}, "All values"),
      asTable(["way", x.label, y.label, "from", "to", "how"], series.flatMap((line) =>
        line.points.map((point) => [line.name, told(point.x), told(point.y), told(point.low), told(point.high), point.how])))),
  ];
}
