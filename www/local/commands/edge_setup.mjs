// `lessonloop doctor --edge URL`: what an edge function says of its own set-up, and what to do about what is missing.

/** Time to wait for its answer, in milliseconds: it waits eight seconds itself for its project. */
const PATIENCE_MS = 15_000;

/**
 * Looks at an edge function.
 * @param {string} given its address
 * @param {string | undefined} dashboard the origin of a dashboard elsewhere that is to ask it
 * @param {string} version this program's
 * @param {(level: "ok" | "note" | "fault", what: string, remedy?: string) => void} say
 */
export async function lookAtEdge(given, dashboard, version, say) {
  const url = origin(given);
  if (!url) {
    say("fault", `\`${given}\` is no address`, "give the Worker's: https://lessonloop.YOURS.workers.dev");
    return;
  }
  const from = dashboard === undefined ? undefined : origin(dashboard);
  if (dashboard !== undefined && !from) {
    say("fault", `\`${dashboard}\` is no address`, "give the dashboard's: https://lessons.example.org");
    return;
  }
  let answer;
  /** @type {any} */
  let body;
  try {
    answer = await fetch(`${url}/v1/setup`, {
      headers: from ? { origin: from } : {},
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    body = await answer.json();
  } catch (error) {
    const { name, message, cause } = /** @type {any} */ (error);
    if (!answer) {
      const why = name === "TimeoutError" ? "no answer" : (cause?.code ?? cause?.message ?? message);
      say("fault", `${url} can't be reached (${why})`, "check the address, and that `npx wrangler deploy` went well");
      return;
    }
  }
  if (answer.status === 200 && Array.isArray(body?.problems)) {
    found(url, from, body, version, say);
    return;
  }
  const { code, field, message } = body?.error ?? {};
  if (code === "forbidden" && field === "origin")
    say("fault", `pages of ${from} may not ask ${url}`, `deploy it with \`--var DASHBOARD_ORIGIN:${from}\``);
  else if (code === "forbidden" && field === "host")
    say(
      "fault",
      `${url} does not answer to this name`,
      `add \`${new URL(url).host}\` to ALLOWED_HOSTS and deploy again`,
    );
  else if (field && VARIABLES[field])
    say("fault", message, `set ${VARIABLES[field]} in edge/wrangler.toml or by \`--var\`, and deploy again`);
  else if (message) say("fault", `${url} says: ${message}`, "try again in a minute");
  else
    say(
      "fault",
      `what answers at ${url} is no edge function of this version (status ${answer.status})`,
      "give the Worker's address, and deploy this release's dist/edge",
    );
}

/** The variable that each setting comes from. @type {Record<string, string>} */
const VARIABLES = {
  url: "SUPABASE_URL",
  key: "SUPABASE_KEY",
  dashboard_origin: "DASHBOARD_ORIGIN",
  requests_per_second: "REQUESTS_PER_SECOND",
  burst: "BURST",
  bytes_per_second: "BYTES_PER_SECOND",
  work_per_second: "WORK_PER_SECOND",
  replica_bytes: "REPLICA_BYTES",
};

/**
 * @param {string} url
 * @param {string | undefined} from
 * @param {any} told
 * @param {string} version
 * @param {(level: "ok" | "note" | "fault", what: string, remedy?: string) => void} say
 */
function found(url, from, told, version, say) {
  say("ok", `the edge function at ${url} answers (lessonloop ${told.version}), and asks ${told.project}`);
  for (const { message, remedy } of told.problems) say("fault", message, remedy);
  if (told.problems.length === 0) say("ok", `the project has version ${told.schema_version} of the schema`);
  if (told.version !== version)
    say("note", `it is of version ${told.version}, and this program of ${version}`, "deploy this release's dist/edge");
  if (from) say("ok", `pages of ${from} may ask it`);
}

/** @param {string} text */
function origin(text) {
  const whole = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  return url.username || url.password ? undefined : url.origin;
}
