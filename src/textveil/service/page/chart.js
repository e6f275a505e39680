// A chart of lines, each with its own colour, dash and mark; the values are in a table too, for those who can't see it.

import { draw, make, number } from "./dom.js";

const TOP = 20, BOTTOM = 52, RIGHT = 24;
const DASHES = ["", "8 4", "2 4", "10 3 2 3", "5 5", "1 3", "12 4"];
const SHAPES = ["circle", "square", "diamond", "triangle"];

// Letters are as large on a phone: the picture has fewer units there.
const frame = () => (window.matchMedia("(max-width: 44rem)").matches
  ? { width: 380, height: 320, left: 46 } : { width: 720, height: 400, left: 62 });

export function drawChart({ series, x, y, told, note }) {
  const { width, height, left } = frame();
  const points = series.flatMap((line) => line.points);
  const across = scale(points.map((point) => point.x), x, left, width - RIGHT);
  const up = scale(points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]), y, height - BOTTOM, TOP);
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told, class: "chart" },
    up.ticks.map((tick) => draw("line", { class: "grid", x1: left, x2: width - RIGHT, y1: up(tick), y2: up(tick) })),
    up.ticks.map((tick) => label(left - 10, up(tick) + 4, y.format(tick), "end")),
    across.ticks.map((tick) => label(across(tick), height - BOTTOM + 22, x.format(tick), "middle")),
    label((left + width - RIGHT) / 2, height - 8, x.name, "middle"),
    series.map((line) => drawLine(line, across, up)));
  picture.addEventListener("pointermove", (event) => {
    const shown = picture.getBoundingClientRect();
    const at = { x: ((event.clientX - shown.left) / shown.width) * width, y: ((event.clientY - shown.top) / shown.height) * height };
    const near = nearest(series, at, across, up);
    if (near !== null) note(near.line, near.point);
  });
  return picture;
}

const kind = (at) => ({ colour: `series-${at % 7}`, dash: DASHES[at % 7], shape: SHAPES[at % 4] });

export function swatch(at) {
  const { colour, dash, shape } = kind(at);
  return draw("svg", { viewBox: "0 0 34 16", "aria-hidden": "true" },
    draw("line", { class: `line ${colour}`, x1: 1, x2: 33, y1: 8, y2: 8, "stroke-dasharray": dash }), mark(shape, 17, 8, colour));
}

function drawLine({ at, points }, across, up) {
  const { colour, dash, shape } = kind(at);
  const path = (each) => each.map(([px, py], step) => `${step ? "L" : "M"}${across(px).toFixed(1)} ${up(py).toFixed(1)}`).join("");
  const banded = points.filter((point) => point.low !== undefined && point.high !== undefined);
  const band = banded.length < 2 ? null : draw("path", {
    class: `band ${colour}`, d: `${path([...banded.map((p) => [p.x, p.high]), ...banded.toReversed().map((p) => [p.x, p.low])])}Z`,
  });
  return draw("g", {}, band,
    draw("path", { class: `line ${colour}`, d: path(points.map((p) => [p.x, p.y])), "stroke-dasharray": dash }),
    points.filter((point) => point.marked !== false).map((point) => mark(shape, across(point.x), up(point.y), colour)));
}

function mark(shape, x, y, colour) {
  const given = { class: `point ${colour}` };
  if (shape === "circle") return draw("circle", { ...given, cx: x, cy: y, r: 5 });
  if (shape === "square") return draw("rect", { ...given, x: x - 4.5, y: y - 4.5, width: 9, height: 9 });
  const corners = shape === "diamond" ? [[0, -6], [6, 0], [0, 6], [-6, 0]] : [[0, -6], [5.5, 4.5], [-5.5, 4.5]];
  return draw("polygon", { ...given, points: corners.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" ") });
}

const label = (x, y, text, anchor) => draw("text", { class: "axis", x, y, "text-anchor": anchor }, text);

function nearest(series, at, across, up) {
  let found = null;
  for (const line of series) {
    for (const point of line.points) {
      const away = Math.hypot(across(point.x) - at.x, 0.5 * (up(point.y) - at.y));
      if (found === null || away < found.away) found = { line, point, away };
    }
  }
  return found;
}

function scale(values, { log = false, from, to }, start, end) {
  const turned = log ? Math.log : (value) => value;
  const known = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  const low = from ?? Math.min(...known), high = to ?? Math.max(...known);
  const size = turned(high) - turned(low) || 1;
  const place = (value) => start + ((turned(value) - turned(low)) / size) * (end - start);
  place.ticks = log ? logTicks(low, high) : linearTicks(low, high);
  return place;
}

function logTicks(low, high) {
  const steps = high / low < 30 ? [1, 2, 3, 5] : [1];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const step of steps) {
      const tick = step * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) found.push(Number(tick.toPrecision(3)));
    }
  }
  return found;
}

function linearTicks(low, high) {
  const rough = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const found = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) found.push(Number(tick.toPrecision(6)));
  return found;
}

export function asTable(columns, rows) {
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of values" },
    make("table", {},
      make("thead", {}, make("tr", {}, columns.map((column) => make("th", { scope: "col" }, column)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell) => make("td", {}, typeof cell === "number" ? number(cell) : cell)))))));
}
