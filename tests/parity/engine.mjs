// Steps that Node and a page take alike: open the engine with a counted clock and randomness, walk the
// scenario, embed texts. Sent into the page as source, so it may use nothing from outside.

/** Walks the scenario and returns the answers in their written form. */
export async function walk(glue, scenario) {
  let now = 1795336200000 - 1;
  let drawn = 0n;
  const engine = await glue.Engine.open({
    store: { kind: "memory" },
    now: () => (now += 1),
    random: (bytes) => {
      drawn += 1n;
      for (let at = bytes.length - 1, left = drawn; at >= 0; at -= 1, left >>= 8n) bytes[at] = Number(left & 255n);
    },
  });
  const sorted = (value) => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, sorted(value[key])]),
    );
  };
  const lines = [];
  for (const { method, path, body = null } of scenario.steps) {
    const answer = await engine.handle({ method, path, headers: {}, body });
    await engine.idle();
    lines.push(JSON.stringify(sorted(answer)));
  }
  return `[\n${lines.join(",\n")}\n]\n`;
}

/** The texts' vectors, one array each. */
export async function embed(glue, pack, texts) {
  const engine = await glue.Engine.open({ store: { kind: "memory" } });
  await engine.load_model(pack);
  const flat = engine.embed(texts);
  const dims = flat.length / texts.length;
  return texts.map((_, at) => Array.from(flat.subarray(at * dims, (at + 1) * dims)));
}
