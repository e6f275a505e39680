"use strict";
(() => {
  const data = JSON.parse(document.getElementById("frontier").textContent);
  const byId = (id) => document.getElementById(id);
  const plot = byId("plot"), told = byId("told");
  const WIDTH = 960, HEIGHT = 540, LEFT = 64, RIGHT = 24, TOP = 16, BOTTOM = 52, GUTTER = 46;
  const STAR = [...Array(10).keys()].map((k) => [k % 2 ? 0.6 : 1.5, (k * Math.PI) / 5]).map(([r, turn]) => [r * Math.sin(turn), -r * Math.cos(turn)]);
  const CROSS = [[-3, -9], [3, -9], [3, -3], [9, -3], [9, 3], [3, 3], [3, 9], [-3, 9], [-3, 3], [-9, 3], [-9, -3], [-3, -3]].map(([a, b]) => [a / 7, b / 7]);
  const hidden = new Set();
  let shown = [], chosen = null;

  const quantity = (key) => data.quantities.find((it) => it.key === key);
  const way = (key) => data.ways.find((it) => it.key === key);

  function element(name, attributes, parent, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }

  function number(value) {
    if (value === null) return "∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  }

  // A scale takes a number to its place; what is unbounded lies in a gutter at the end.
  function scale(key, values, start, end) {
    const log = quantity(key).scale === "log";
    const finite = values.filter((it) => it !== null && (!log || it > 0));
    const unbounded = values.some((it) => it === null);
    const gutter = unbounded ? Math.sign(end - start) * GUTTER : 0;
    let low = Math.min(...finite), high = Math.max(...finite);
    if (!finite.length) [low, high] = [log ? 0.1 : 0, 1];
    if (log) {
      [low, high] = [Math.log10(low), Math.log10(high)];
      const room = Math.max(0.05, 0.03 * (high - low));
      [low, high] = [low - room, high + room];
    } else {
      [low, high] = [Math.min(0, low), Math.max(1, high)];
      high += 0.02 * (high - low);
    }
    const last = end - gutter;
    const place = (value) => {
      if (value === null) return end - gutter / 2;
      const at = log ? Math.log10(Math.max(value, 1e-300)) : value;
      return start + ((Math.min(Math.max(at, low), high) - low) / (high - low)) * (last - start);
    };
    return { place, log, low, high, last, end, unbounded, ticks: log ? logTicks(low, high) : evenTicks(low, high) };
  }

  function logTicks(low, high) {
    const steps = high - low > 4 ? [1] : high - low > 1.5 ? [1, 3] : [1, 2, 3, 5, 7];
    const ticks = [];
    for (let power = Math.floor(low); power <= Math.ceil(high); power++)
      for (const step of steps) {
        const value = step * 10 ** power;
        if (Math.log10(value) >= low && Math.log10(value) <= high) ticks.push(value);
      }
    return ticks;
  }

  function evenTicks(low, high) {
    const rough = (high - low) / 6, unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((it) => it * unit >= rough);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k++) ticks.push(Number((k * step).toPrecision(12)));
    return ticks;
  }

  function mark(kind, x, y, size) {
    const s = size, polygon = (corners) => "M" + corners.map(([a, b]) => `${x + a * s},${y + b * s}`).join("L") + "Z";
    switch (kind) {
      case 1: return polygon([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]);
      case 2: return polygon([[0, -1.15], [1.1, 0.8], [-1.1, 0.8]]);
      case 3: return polygon([[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]]);
      case 4: return polygon([[0, 1.15], [1.1, -0.8], [-1.1, -0.8]]);
      case 5: return `M${x - s},${y - s}L${x + s},${y + s}M${x + s},${y - s}L${x - s},${y + s}`;
      case 6: return `M${x - 1.2 * s},${y}L${x + 1.2 * s},${y}M${x},${y - 1.2 * s}L${x},${y + 1.2 * s}`;
      case 7: return polygon([[0, -1.3], [1.2, -0.4], [0.75, 1.05], [-0.75, 1.05], [-1.2, -0.4]]);
      case 8: return polygon([[-1.15, 0], [0.8, -1.1], [0.8, 1.1]]);
      case 9: return polygon([[1.15, 0], [-0.8, -1.1], [-0.8, 1.1]]);
      case 10: return polygon(STAR);
      case 11: return `M${x},${y}L${x},${y + 1.3 * s}M${x},${y}L${x - 1.1 * s},${y - 0.8 * s}M${x},${y}L${x + 1.1 * s},${y - 0.8 * s}`;
      case 12: return polygon(CROSS);
      default: return `M${x - s},${y}a${s},${s} 0 1 0 ${2 * s},0a${s},${s} 0 1 0 ${-2 * s},0Z`;
    }
  }

  function axes(across, up, keys) {
    for (const tick of up.ticks) {
      const y = up.place(tick);
      element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "grid" }, plot);
      element("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, plot, number(tick));
    }
    for (const tick of across.ticks) {
      const x = across.place(tick);
      element("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }, plot);
      element("text", { x, y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, plot, number(tick));
    }
    if (across.unbounded) {
      const box = { x: across.last + 6, y: TOP, width: GUTTER - 6, height: HEIGHT - BOTTOM - TOP, class: "gutter" };
      element("rect", box, plot);
      element("text", { x: across.place(null), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, plot, "∞");
    }
    if (up.unbounded) {
      element("rect", { x: LEFT, y: TOP, width: WIDTH - RIGHT - LEFT, height: GUTTER - 6, class: "gutter" }, plot);
      element("text", { x: LEFT - 8, y: up.place(null) + 4, "text-anchor": "end" }, plot, "∞");
    }
    const middle = (LEFT + WIDTH - RIGHT) / 2, label = { "text-anchor": "middle", class: "axis" };
    element("text", { ...label, x: middle, y: HEIGHT - 10 }, plot, quantity(keys[0]).label);
    const turned = { ...label, transform: `translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)` };
    element("text", turned, plot, quantity(keys[1]).label);
  }

  function draw() {
    const keys = [byId("across").value, byId("up").value];
    const points = data.points.filter((it) => keys.every((key) => key in it.values) && !hidden.has(it.way));
    plot.replaceChildren();
    plot.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    plot.setAttribute("aria-label", `${quantity(keys[1]).label} against ${quantity(keys[0]).label}`);
    const values = (key) => points.map((it) => it.values[key][0]);
    const across = scale(keys[0], values(keys[0]), LEFT, WIDTH - RIGHT);
    const up = scale(keys[1], values(keys[1]), HEIGHT - BOTTOM, TOP);
    axes(across, up, keys);
    shown = [];
    for (const one of data.ways) {
      const own = points.filter((it) => it.way === one.key);
      if (!own.length) continue;
      const group = element("g", { class: one.status === "refuted" ? "refuted" : "" }, plot);
      const line = own.map((point) => ({
        point, x: across.place(point.values[keys[0]][0]), y: up.place(point.values[keys[1]][0]), way: one,
      }));
      line.sort((a, b) => a.x - b.x || a.y - b.y);
      // Where the number of near words changes the line jumps: nothing is drawn across.
      const joined = (k) => k > 0 && line[k].point.near === line[k - 1].point.near;
      const path = line.map((it, k) => `${joined(k) ? "L" : "M"}${it.x.toFixed(1)},${it.y.toFixed(1)}`).join("");
      element("path", { d: path, class: `line k${one.colour}` }, group);
      for (const it of line) {
        const [, low, high] = it.point.values[keys[1]];
        const bar = { x1: it.x, x2: it.x, y1: up.place(low), y2: up.place(high), class: `limits k${one.colour}` };
        if (low !== null && high > low) element("line", bar, group);
        const [, left, right] = it.point.values[keys[0]];
        const beam = { x1: across.place(left), x2: across.place(right), y1: it.y, y2: it.y, class: `limits k${one.colour}` };
        if (left !== null && right > left) element("line", beam, group);
        element("path", { d: mark(one.mark, it.x, it.y, 4), class: `mark k${one.colour}` }, group);
      }
      shown.push(line);
    }
    chosen = null;
    told.hidden = true;
    byId("notes").textContent = keys.map((key) => `${quantity(key).label}: ${quantity(key).note}`).join(" ");
  }

  const HOW = { "at least": "at least, by an attack carried out", unbounded: "nothing bounds it" };
  const AT_MOST = { privacy: "at most: proved of the noisy vector", attack: "at most, by an attack that sees more" };

  function worded(key, value) {
    const [middle, low, high, how] = value;
    const limits = middle !== null && high > low ? ` (${number(low)} to ${number(high)})` : "";
    const found = how === "at most" ? AT_MOST[quantity(key).side] : HOW[how];
    return `${quantity(key).label}: ${number(middle)}${limits}, ${found || how}`;
  }

  function tell(found) {
    plot.querySelectorAll(".chosen").forEach((it) => it.remove());
    chosen = found;
    told.hidden = !found;
    if (!found) return;
    const { point, x, y } = found;
    element("circle", { cx: x, cy: y, r: 8, class: "chosen" }, plot);
    told.replaceChildren();
    const title = document.createElement("strong");
    title.textContent = found.way.label;
    told.append(title);
    const keys = [...new Set(["epsilon", "loss", byId("across").value, byId("up").value])];
    for (const key of keys.filter((it) => it in point.values && quantity(it))) {
      const row = document.createElement("div");
      row.textContent = worded(key, point.values[key]);
      told.append(row);
    }
    if (found.way.reason) {
      const row = document.createElement("div");
      row.className = "refusal";
      row.textContent = `${found.way.status}: ${found.way.reason}`;
      told.append(row);
    }
    const box = plot.getBoundingClientRect(), factor = box.width / WIDTH;
    const right = x * factor + 14 + told.offsetWidth > box.width;
    told.style.left = `${Math.max(0, right ? x * factor - 14 - told.offsetWidth : x * factor + 14)}px`;
    told.style.top = `${Math.max(0, Math.min(y * factor - 10, box.height - told.offsetHeight))}px`;
  }

  function nearest(event) {
    const box = plot.getBoundingClientRect(), factor = WIDTH / box.width;
    const x = (event.clientX - box.left) * factor, y = (event.clientY - box.top) * factor;
    let best = null, least = 24 ** 2;
    for (const it of shown.flat()) {
      const far = (it.x - x) ** 2 + (it.y - y) ** 2;
      if (far < least) [best, least] = [it, far];
    }
    return best;
  }

  function move(event) {
    if (!shown.length) return;
    if (event.key === "Escape") return tell(null);
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] }[event.key];
    if (!steps) return;
    event.preventDefault();
    let line = Math.max(0, shown.findIndex((it) => it.includes(chosen)));
    if (!chosen) return tell(shown[0][0]);
    if (steps[0]) {
      line = (line + steps[0] + shown.length) % shown.length;
      const by = (it) => Math.abs(it.x - chosen.x);
      return tell(shown[line].reduce((a, b) => (by(b) < by(a) ? b : a)));
    }
    const at = shown[line].indexOf(chosen) + steps[1];
    tell(shown[line][Math.min(Math.max(at, 0), shown[line].length - 1)]);
  }

  function legend() {
    for (const one of data.ways) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      const sign = element("svg", { viewBox: "0 0 32 16", "aria-hidden": "true" }, button);
      const group = element("g", { class: one.status === "refuted" ? "refuted" : "" }, sign);
      element("line", { x1: 1, x2: 31, y1: 8, y2: 8, class: `line k${one.colour}` }, group);
      element("path", { d: mark(one.mark, 16, 8, 4), class: `mark k${one.colour}` }, group);
      button.append(one.label + (one.reason ? ` (${one.status})` : ""));
      button.addEventListener("click", () => {
        if (!hidden.delete(one.key)) hidden.add(one.key);
        button.setAttribute("aria-pressed", String(!hidden.has(one.key)));
        draw();
      });
      byId("legend").append(button);
    }
  }

  function choices(id, preferred) {
    const select = byId(id);
    for (const side of ["privacy", "attack", "utility"]) {
      const group = document.createElement("optgroup");
      group.label = side;
      for (const it of data.quantities.filter((one) => one.side === side)) group.append(new Option(it.label, it.key));
      if (group.children.length) select.append(group);
    }
    select.value = preferred.find((key) => quantity(key)) || data.quantities[0].key;
    select.addEventListener("change", draw);
  }

  function table() {
    const head = byId("table").createTHead().insertRow();
    for (const name of ["mechanism", ...data.quantities.map((it) => it.label)]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      head.append(cell);
    }
    const body = byId("table").createTBody();
    for (const point of data.points) {
      const row = body.insertRow();
      row.insertCell().textContent = way(point.way).label;
      for (const { key } of data.quantities) {
        const value = point.values[key];
        const limits = value && value[0] !== null && value[2] > value[1] ? ` (${number(value[1])}–${number(value[2])})` : "";
        row.insertCell().textContent = value ? number(value[0]) + limits : "";
      }
    }
  }

  choices("across", ["loss"]);
  choices("up", ["accuracy", "unchanged", "cosine"]);
  legend();
  table();
  draw();
  plot.addEventListener("mousemove", (event) => tell(nearest(event)));
  plot.addEventListener("mouseleave", () => tell(null));
  plot.addEventListener("keydown", move);
})();
