// The original and its samples, word for word, with what changed.

import { $, make, show } from "./dom.js";

let words = [];

// Arrow keys move between words, so that the whole text is one stop of the tab key.
export function showOriginal(place, pieces, text, look) {
  if (pieces.length === 0) {
    words = [];
    show(place, text);
    return;
  }
  const before = words.findIndex((word) => word.tabIndex === 0);
  const focused = words[before] !== undefined && document.activeElement === words[before];
  words = [];
  show(place, pieces.map((piece) => (piece.enters === null ? piece.text : wordButton(piece, look))));
  const kept = Math.max(0, Math.min(before, words.length - 1));
  if (words.length > 0) {
    words[kept].tabIndex = 0;
    if (focused) words[kept].focus();
  }
}

function wordButton(piece, look) {
  const at = words.length;
  const button = make("button", {
    type: "button", class: `word${piece.left ? " left" : ""}${piece.known ? "" : " unknown"}`, tabindex: -1,
    "aria-pressed": "false", "data-at": at, disabled: look === null,
    onpointerenter: (event) => { mark(at, true); if (event.pointerType === "mouse") choose(at, look, piece, false); },
    onpointerleave: () => mark(at, false),
    onclick: () => choose(at, look, piece, true),
    onfocus: () => choose(at, look, piece, true),
    onkeydown: (event) => move(event, at),
  }, piece.text);
  words.push(button);
  return button;
}

function choose(at, look, piece, aloud) {
  words.forEach((word, place) => {
    word.setAttribute("aria-pressed", String(place === at));
    word.tabIndex = place === at ? 0 : -1;
  });
  look?.({ enters: piece.enters, text: piece.text, aloud });
}

function move(event, at) {
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: words.length - 1 }[event.key];
  if (to === undefined || words[to] === undefined) return;
  event.preventDefault();
  words[to].focus();
}

function mark(at, on) {
  for (const node of document.querySelectorAll(`#samples [data-at="${at}"]`)) node.classList.toggle("same", on);
}

export function showSamples(place, { pieces, samples }) {
  const tallies = samples.map((sample) => (sample.words === null ? null : changes(pieces, sample.words)));
  show(place, samples.map((sample, number) => {
    if (sample.words === null) return make("li", {}, sample.text);
    const tally = tallies[number];
    return make("li", {}, written(pieces, sample.words), make("span", { class: "tally" }, told(tally)));
  }));
  const said = tallies.filter(Boolean).map(({ changed }) => changed);
  $("samples-live").textContent = said.length
    ? `${samples.length} new samples; ${said.join(", ")} of ${tallies[0].all} words changed.`
    : `${samples.length} new samples.`;
}

const same = (one, other) => one.toLowerCase() === other.toLowerCase();

function written(pieces, released) {
  let at = -1;
  return pieces.map((piece) => {
    if (piece.enters === null) return piece.text;
    at += 1;
    const changed = !same(piece.text, released[at]);
    const kind = changed ? "ins" : "span";
    return make(kind, { "data-at": at, class: changed ? "changed" : piece.left ? "left" : null }, released[at]);
  });
}

function changes(pieces, released) {
  const originals = pieces.filter((piece) => piece.enters !== null);
  const changed = originals.filter((piece, at) => !same(piece.text, released[at])).length;
  return { changed, all: originals.length };
}

const told = ({ changed, all }) =>
  changed === 0 ? "nothing changed" : `${changed} of ${all} words changed`;
