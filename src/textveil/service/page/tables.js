// Files of records, read in the browser: lines of text, csv, lines of JSON. Only the chosen column ever leaves.

export class Unreadable extends Error {}

export function read(name, text) {
  const clean = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (/\.jsonl$|\.ndjson$/i.test(name)) return jsonLines(clean);
  if (/\.csv$|\.tsv$/i.test(name)) return delimited(clean, /\.tsv$/i.test(name) ? "\t" : ",");
  if (/\.txt$|\.text$/i.test(name)) return plain(clean);
  throw new Unreadable("This page reads .txt (a record a line), .csv, .tsv and .jsonl; for other files use `textveil rewrite`.");
}

function plain(text) {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return {
    columns: [""],
    column: () => lines,
    write: (released) => ({ type: "text/plain", ending: ".txt", text: released.map((line) => `${line}\n`).join("") }),
  };
}

function jsonLines(text) {
  const rows = text.split("\n").filter((line) => line.trim() !== "").map((line, at) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Unreadable(`Line ${at + 1} is not JSON.`);
    }
  });
  if (!rows.every((row) => typeof row === "object" && row !== null)) throw new Unreadable("Every line must be a JSON object.");
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => rows.every((row) => typeof row[name] === "string"));
  if (columns.length === 0) throw new Unreadable("No field is a string in every line.");
  return {
    columns,
    column: (name) => rows.map((row) => row[name]),
    write: (released, name) => ({
      type: "application/x-ndjson", ending: ".jsonl", text: released.map((value) => `${JSON.stringify({ [name]: value })}\n`).join(""),
    }),
  };
}

function delimited(text, separator) {
  const [head, ...rows] = cells(text, separator);
  if (head === undefined || rows.length === 0) throw new Unreadable("The file needs a line of names and at least one record.");
  const wrong = rows.findIndex((row) => row.length !== head.length);
  if (wrong >= 0) throw new Unreadable(`Record ${wrong + 1} has ${rows[wrong].length} cells, the line of names ${head.length}.`);
  if (new Set(head).size !== head.length) throw new Unreadable("Two columns have the same name.");
  const quoted = (value) => `"${value.replaceAll('"', '""')}"`;
  return {
    columns: head,
    column: (name) => rows.map((row) => row[head.indexOf(name)]),
    write: (released, name) => ({
      type: "text/csv", ending: separator === "," ? ".csv" : ".tsv", text: [name, ...released].map((value) => `${quoted(value)}\n`).join(""),
    }),
  };
}

function cells(text, separator) {
  const rows = [];
  let row = [], cell = "", quoted = false;
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') { cell += '"'; at += 1; }
      else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) endCell();
    else if (letter === "\n") endRow();
    else if (letter !== "\r") cell += letter;
  }
  if (quoted) throw new Unreadable("A quotation mark is never closed.");
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}
