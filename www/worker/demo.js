// The demo's history, as the build made it (www/demo/simulate.mjs): taken into an empty store once, and moved to the present.

const LEDGER = "/demo/ledger.jsonl";
const VECTORS = "/demo/vectors.json";
/** A time as the ledger writes it, between quotes. */
const TIME = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g;

let held = null;

/** The vectors of the demo's lessons, and when its history ends. */
const vectors = () => {
  held ??= get(VECTORS).then((answer) => answer.json());
  // A fetch that failed may succeed the next time.
  held.catch(() => {
    held = null;
  });
  return held;
};

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`The demo could not be loaded: the server answered ${answer.status} for ${path}.`);
  return answer;
}

/** Fills a store that is empty. Throws what a person can be told. */
export async function fill(engine) {
  if (engine.position() > 0) return;
  const [{ end }, text] = await Promise.all([vectors(), get(LEDGER).then((answer) => answer.text())]);
  const later = Date.now() - Date.parse(end);
  const content = text.replace(TIME, (_, time) => `"${new Date(Date.parse(time) + later).toISOString()}"`);
  const { status, body } = await engine.handle({
    method: "POST",
    path: "/v1/import",
    body: { format: "jsonl", files: [{ path: "demo.jsonl", content }] },
  });
  if (status >= 400) throw new Error(`The demo could not be loaded: ${body.error.message}`);
}

/** Hands the engine the vectors that the build made with the same model; it makes the others itself. */
export async function giveVectors(engine, model) {
  const made = await vectors().catch(() => null);
  if (made?.model !== model) return;
  const bytes = Uint8Array.from(atob(made.vectors), (character) => character.charCodeAt(0));
  const values = new Float32Array(bytes.buffer);
  const size = values.length / made.hashes.length;
  const place = new Map(made.hashes.map((hash, at) => [hash, at]));
  const wanted = engine.texts_to_index(made.hashes.length * 2).map(({ hash }) => hash);
  const known = wanted.filter((hash) => place.has(hash));
  engine.release(
    wanted.filter((hash) => !place.has(hash)),
    false,
  );
  const taken = new Float32Array(known.length * size);
  for (const [at, hash] of known.entries()) {
    taken.set(values.subarray(place.get(hash) * size, (place.get(hash) + 1) * size), at * size);
  }
  await engine.take_vectors(model, known, taken);
}
