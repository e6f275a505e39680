// The only place that talks to the server. The key is kept here, in the memory of the tab, and nowhere else.

let key = null;

export const remember = (given) => { key = given; };

export class Problem extends Error {
  constructor(plain, status) {
    super(plain.detail || plain.title || `The service answered ${status}.`);
    this.code = plain.code ?? "";
    this.remedy = plain.remedy ?? "";
    this.status = status;
  }

  get told() {
    const end = /[.!?]$/.test(this.message) ? "" : ".";
    const first = this.message.charAt(0).toUpperCase() + this.message.slice(1);
    return `${first}${end} ${this.remedy}`.trim();
  }
}

export async function send(path, { body, type = "application/json", signal } = {}) {
  const headers = key === null ? {} : { Authorization: `Bearer ${key}` };
  if (body !== undefined) headers["Content-Type"] = type;
  let answer;
  try {
    const method = body === undefined ? "GET" : "POST";
    answer = await fetch(path, { method, headers, body, signal, credentials: "omit", cache: "no-store", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The service can't be reached.", remedy: "Is it running?" }, 0);
  }
  if (!answer.ok) throw new Problem(await answer.json().catch(() => ({})), answer.status);
  return answer;
}

export async function ask(path, plain, signal) {
  const body = plain === undefined ? undefined : JSON.stringify(plain);
  return (await send(path, { body, signal })).json();
}

// Of several questions of one kind only the latest matters: those before it are called off.
export function latest() {
  let running = null;
  return async (path, plain) => {
    running?.abort();
    const own = (running = new AbortController());
    try {
      const answer = await ask(path, plain, own.signal);
      return own.signal.aborted ? null : answer;
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error;
    }
  };
}
