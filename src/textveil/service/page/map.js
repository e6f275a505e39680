// A map of the words around a word: the Poincaré disc, or a plane with the word in the middle.

import { draw, make, number, percent } from "./dom.js";

const LARGEST = 0.2;
const LEAST = 0.014;
const GAP = 0.014;
const LETTER = 0.031;
const HEIGHT = 0.06;

const radius = (chance) => Math.max(LARGEST * Math.sqrt(chance), LEAST);

export function drawMap(map, walk) {
  const marks = [map.own, ...map.cloud];
  const about = map.curved ? "Poincaré disc" : "Plane";
  const told = `${about} around ${map.own.word}. ${reached(map)} The likeliest words are in the list above.`;
  const clip = `clip-${Math.round(performance.now())}`;
  const picture = draw("svg", { viewBox: "-1.12 -1.1 2.24 2.26", role: "img", "aria-label": told, class: "map" },
    draw("clipPath", { id: clip }, draw("circle", { r: 1 })),
    draw("g", { "clip-path": `url(#${clip})` },
      map.within.toReversed().map((ring) => circle(ring, "within")),
      map.rings.map((ring) => circle(ring, "ring")),
      map.others.map(([x, y]) => draw("circle", { class: "other", cx: x, cy: -y, r: 0.006 }))),
    draw("circle", { class: map.curved ? "rim" : "rim flat", r: 1 }),
    marks.slice(1).reverse().map((mark) => dot(mark, "mark", walk)),
    dot(map.own, "own", walk),
    names(marks, map));
  return make("figure", { class: "map" }, picture, make("figcaption", { class: "small" }, caption(map)));
}

// What the shaded discs show: how far the noise carries.
function reached(map) {
  const [half, most] = map.within.map((ring) => ring.distance);
  const { middle, radius: reach } = map.within[1];
  const beyond = Math.hypot(...middle) + reach > 1.001;
  if (most === 0) return "More than nine in ten releases are the word itself.";
  const first = half === 0 ? "More than half of all releases are the word itself" : `Half of all releases lie within distance ${number(half, 2)}`;
  return `${first}, nine in ten within ${number(most, 2)}${beyond ? ", beyond the edge of this map" : ""} (shaded).`;
}

function caption(map) {
  const cloud = `${reached(map)} Areas of marks are chances, dashed rings distances from the word.`;
  return cloud + (map.exact ? "" : " Distances from the word are exact, directions are a projection.");
}

function circle(ring, kind) {
  return draw("circle", { class: kind, cx: ring.middle[0], cy: -ring.middle[1], r: ring.radius });
}

function dot(mark, kind, walk) {
  const [x, y] = mark.place;
  return draw("circle", { class: kind, cx: x, cy: -y, r: radius(mark.chance), onclick: () => walk(mark.word) },
    draw("title", {}, `${mark.word}: ${percent(mark.chance)}`));
}

// Likely words are named first; a name that finds no room beside its mark is left to the tooltip.
function names(marks, map) {
  const scale = window.matchMedia("(max-width: 44rem)").matches ? 1.18 : 1;
  const rings = ringNames(map);
  const taken = marks.map(({ place: [x, y], chance }) => box(x, -y, 2 * radius(chance), 2 * radius(chance)));
  taken.push(...rings.map((ring) => box(ring.x, ring.y, 0.1, 0.05)));
  const written = rings.map(({ x, y, distance }) => draw("text", { class: "ring-name", x, y: y + 0.015, "text-anchor": "middle", "aria-hidden": "true" }, number(distance, 2)));
  return [...written, ...marks.map((mark, at) => {
    const size = (at === 0 ? 1.22 : 1) * scale;
    const width = mark.word.length * LETTER * size, height = HEIGHT * size;
    const spot = spots(mark, width, height).find((place) => {
      const own = box(place.x, place.y, width, height);
      return inside(own) && !taken.some((other, number) => number !== at && overlap(own, other));
    });
    if (spot === undefined) return null;
    taken.push(box(spot.x, spot.y, width, height));
    return draw("text", { class: at === 0 ? "own-name" : null, x: spot.x, y: spot.y + height * 0.32, "text-anchor": "middle", "aria-hidden": "true" }, mark.word);
  })];
}

function spots({ place: [x, y], chance }, width, height) {
  const away = radius(chance) + GAP;
  const beside = away + width / 2, above = away + height / 2;
  return [[beside, 0], [-beside, 0], [0, -above], [0, above], [beside, -above], [-beside, -above], [beside, above], [-beside, above]]
    .map(([right, down]) => ({ x: x + right, y: -y + down }));
}

function ringNames(map) {
  const fit = map.rings.filter(({ middle, radius: r }) => Math.abs(middle[1]) + r < 1.02);
  return fit.slice(-3).map(({ middle, radius: r, distance }) => ({ x: middle[0], y: -middle[1] - r, distance }));
}

const box = (x, y, width, height) => ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 });
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const inside = (a) => a.left > -1.07 && a.right < 1.07 && a.top > -1.07 && a.bottom < 1.07;
