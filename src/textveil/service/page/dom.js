// Elements are made from text, never from markup: nothing that is shown can become code.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

export const draw = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

export const show = (parent, ...children) => parent.replaceChildren(...children.flat().filter(Boolean));

export function facts(pairs) {
  return pairs.flatMap(([name, ...value]) => [make("dt", {}, name), make("dd", {}, ...value)]);
}

export function bar(share) {
  const inner = make("span");
  inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return inner;
}

export const number = (value, digits = 4) =>
  new Intl.NumberFormat("en", { maximumSignificantDigits: digits }).format(value);

export function percent(share) {
  if (share > 0 && share < 0.0005) return "< 0.1%";
  const digits = share < 0.1 || share > 0.99 ? 1 : 0;
  const rounded = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: digits }).format(share);
  return rounded === "100%" && share < 1 ? "> 99.9%" : rounded;
}

const raised = (power) => [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");

// Odds are rounded up: a printed bound must not promise too much.
export function odds(loss) {
  if (loss === null || loss === undefined) return "not bounded";
  if (loss > 690) return `× 10${raised(Math.ceil(loss / Math.LN10))}`;
  const factor = Math.exp(loss);
  if (factor < 10) return `× ${Math.ceil(factor * 10) / 10}`;
  const power = Math.floor(Math.log10(factor));
  if (power < 6) {
    const unit = 10 ** Math.max(0, power - 1);
    return `× ${new Intl.NumberFormat("en").format(Math.ceil(factor / unit) * unit)}`;
  }
  const front = Math.ceil((factor / 10 ** power) * 10) / 10;
  return `× ${front} · 10${raised(power)}`;
}

export function after(milliseconds, action) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...given);
  };
}
