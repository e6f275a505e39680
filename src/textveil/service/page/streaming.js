// Sends records and takes what comes back, line by line.

import { ask, Problem, send } from "./api.js";

const AT_ONCE = 500_000;

// How many words or sentences the longest record has, counted by the rule that the release goes by.
export async function longest(mechanism, records) {
  let most = 1, start = 0;
  while (start < records.length) {
    let end = start, size = 0;
    while (end < records.length && (end === start || size + records[end].length <= AT_ONCE)) {
      size += records[end].length;
      end += 1;
    }
    const { pieces } = await ask("v1/page/size", { mechanism, texts: records.slice(start, end) });
    most = Math.max(most, pieces);
    start = end;
  }
  return most;
}

export async function stream(terms, kind, records, step) {
  const body = new Blob(records.map((record) => `${JSON.stringify(record)}\n`));
  const query = new URLSearchParams(terms);
  const answer = await send(`v1/stream/${kind}?${query}`, { body, type: "application/x-ndjson" });
  const released = [];
  let receipt = null;
  for await (const line of lines(answer.body)) {
    const plain = JSON.parse(line);
    if (plain.problem) throw new Problem(plain.problem, plain.problem.status);
    // Its bytes are kept as they came: the ledger knows their digest, and JavaScript would write 1.0 as 1.
    if (plain.receipt) receipt = { ...plain.receipt, written: line.replace(/^\{"receipt": (.*)\}$/s, "$1") };
    else released.push(readable(plain.released));
    if (released.length % 50 === 0) step(released.length);
  }
  if (receipt === null || released.length !== records.length) {
    throw new Problem({ detail: "The release broke off.", remedy: "What was reserved stays spent." }, 0);
  }
  step(released.length);
  return { released, receipt };
}

function readable(value) {
  if (typeof value === "string") return value;
  return value.texts ? value.texts.join(" ") : value.text ?? JSON.stringify(value.vector ?? value);
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const found = (rest + value).split("\n");
    rest = found.pop();
    yield* found.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}
