// The commands that are one request each: `recommend`, `search`, `add`, `show`, `rate`, `track`, `outcome`, `feedback`,
// `suggest-tools`, `stats`, `digest`, `review`.
import { randomUUID } from "node:crypto";
import { hostOf } from "../host.mjs";
import { typed } from "../invocation.mjs";
import { given, list, number, stdin, text } from "../input.mjs";
import { colour, counted, Failure, json, note, out, percent, plain, table, UsageError } from "../print.mjs";
import { onlyOf } from "./mcp.mjs";

/** Runs with an outcome from which on their success is a percentage, as on the dashboard. */
const FEW_RUNS = 10;

/** @typedef {{ values: Record<string, any>, positionals: string[] }} Given */

/**
 * Sends a request to the stores of this folder; an answer that is an error ends the command.
 * @param {Given} asked
 * @param {EngineRequest} request
 * @param {{ create?: boolean, model?: boolean }} [options]
 * @returns {Promise<any>}
 */
export async function send(asked, request, { create = false, model = false } = {}) {
  const host = hostOf({ only: onlyOf(asked.values), create });
  if (!host.places.project && !host.places.personal) {
    throw new Failure("there is no store here yet: run `lessonloop init`, or `lessonloop add` for your own store");
  }
  if (model && !asked.values["no-model"]) await host.loadModel();
  const answer = await host.handle({ headers: {}, ...request });
  await host.close();
  if (answer.status >= 400) throw failed(answer.body?.error, answer.status);
  return answer.body;
}

/**
 * @param {any} error
 * @param {number} status
 */
export function failed(error, status) {
  const field = error?.field ? ` (${error.field})` : "";
  const others = error?.candidates?.length ? `\n  ${error.candidates.join("\n  ")}` : "";
  const message = `${error?.message ?? `status ${status}`}${field}${others}`;
  return status === 400 ? new UsageError(message) : new Failure(message);
}

/**
 * Returns the measured effect of a lesson, else how its uses went: "helps", "67% success, 5 uses", "new".
 * @param {{ badge?: { kind: string, text: string }, lesson?: { measured?: { badge: string } } }} it
 */
const standingOf = ({ badge, lesson }) =>
  lesson?.measured?.badge ?? /\((.*)\)$/.exec(badge?.text ?? "")?.[1] ?? badge?.kind ?? "";

/**
 * Puts into words how much more often runs go well with a lesson: "+8 points (+2 to +14), from 12 runs: helps".
 * @param {{ mean: number, low: number, high: number, runs: number, verdict: string }} lift
 */
function liftWords({ mean, low, high, runs, verdict }) {
  const points = (/** @type {number} */ value) => `${value < 0 ? "−" : "+"}${Math.abs(Math.round(value * 100))}`;
  const word = verdict === "unsure" ? "not told apart from none" : verdict;
  return `${points(mean)} points (${points(low)} to ${points(high)}), from ${counted(runs, "run")}: ${word}`;
}

/** @param {Given} asked */
export async function recommend(asked) {
  const { values } = asked;
  const query = asked.positionals.length ? await text(asked.positionals, "what you are about to do") : undefined;
  const body = given({
    query,
    project_type: values["project-type"],
    tech_stack: list(values.tech),
    phase: values.phase,
    domain: values.domain,
    limit: number(values.limit, "--limit"),
    max_tokens: number(values["max-tokens"], "--max-tokens"),
    decision_id: values["dry-run"] ? values.decision : (values.decision ?? `cli-${randomUUID()}`),
    dry_run: values["dry-run"] ? true : undefined,
    explain: values.explain ? true : undefined,
  });
  const answer = await send(asked, { method: "POST", path: "/v1/recommend", body }, { model: true });
  if (values.json) return json({ decision_id: body.decision_id, ...answer });
  if (values.prompt) return out(answer.prompt);
  if (answer.recommended.length === 0) {
    out("No lesson fits.");
    return answer.hint && out(colour("dim", plain(answer.hint)));
  }
  table(
    ["relevance", "standing", "slug", "title"],
    answer.recommended.map((/** @type {any} */ it) => [it.relevance, standingOf(it), it.slug, it.title]),
  );
  if (!answer.semantic) out(colour("dim", plain(answer.semantic_reason ?? "ranked by words")));
  if (body.decision_id && !values["dry-run"]) {
    out(`\nAfterwards: ${typed(`track --decision ${body.decision_id} - < what-was-said`)}`);
    out(`            ${typed(`outcome ${body.decision_id} success`)}   (or failure)`);
  }
}

/** @param {Given} asked */
export async function search(asked) {
  const body = given({
    query: await text(asked.positionals, "what to look for"),
    limit: number(asked.values.limit, "--limit"),
  });
  const answer = await send(asked, { method: "POST", path: "/v1/search", body }, { model: true });
  if (asked.values.json) return json(answer);
  if (answer.results.length === 0) return out("Nothing found.");
  table(
    ["relevance", "standing", "slug", "title"],
    answer.results.map((/** @type {any} */ it) => [it.relevance, standingOf(it), it.slug, it.title]),
  );
}

/** @param {Given} asked */
export async function add(asked) {
  const { values } = asked;
  let body;
  if (asked.positionals[0] === "-" && asked.positionals.length === 1) {
    const read = await stdin();
    try {
      body = JSON.parse(read);
    } catch {
      const [title, ...rest] = read.trim().split("\n");
      body = { title, recommendation: rest.join("\n").trim() };
    }
  } else {
    body = { title: await text(asked.positionals, "the lesson's title") };
  }
  body = given({
    ...body,
    recommendation: values.recommendation ?? body.recommendation,
    description: values.description ?? body.description,
    context: values.context ?? body.context,
    slug: values.slug ?? body.slug,
    category: values.category ?? body.category,
    domain: values.domain ?? body.domain,
    tech_stacks: list(values.tech) ?? body.tech_stacks,
    tags: list(values.tag) ?? body.tags,
    source: values.source ?? body.source,
  });
  const lesson = await send(asked, { method: "POST", path: "/v1/lessons", body }, { create: true });
  if (values.json) return json(lesson);
  out(
    `${colour("green", "added")} ${lesson.slug}${lesson.trust === "quarantined" ? ` (in quarantine: see \`${typed("review")}\`)` : ""}`,
  );
}

/** @param {Given} asked */
export async function show(asked) {
  const slug = await text(asked.positionals, "the lesson's slug");
  const lesson = await send(asked, { method: "GET", path: `/v1/lessons/${encodeURIComponent(slug)}` });
  if (asked.values.json) return json(lesson);
  out(colour("bold", plain(lesson.title)));
  out(
    colour(
      "dim",
      `${lesson.slug} · ${lesson.kind} · ${lesson.category} · ${lesson.trust}${lesson.archived ? " · archived" : ""}`,
    ),
  );
  for (const [name, value] of [
    ["", lesson.description],
    ["When", lesson.context],
    ["Do", lesson.recommendation],
    ["Domain", lesson.domain],
    ["For", [...lesson.project_types, ...lesson.tech_stacks].join(", ")],
    ["Tags", lesson.tags.join(", ")],
    ["Source", lesson.source],
    ["Other fields", lesson.extra],
  ]) {
    if (value) out(`${name ? `${colour("cyan", name)}: ` : ""}${plain(value)}`);
  }
  const { lift, standing } = lesson;
  out(`\n${colour("cyan", "Lift")}: ${liftWords(lift)}`);
  if (lesson.measured) out(`\n${colour("cyan", "Measured effect")}: ${lesson.measured.badge}`);
  out(
    `\nshown ${standing.times_surfaced} · applied ${standing.times_applied} · successes ${standing.success_count} · ` +
      `helpful ${standing.times_helpful} · not helpful ${standing.times_not_helpful} · effectiveness ${percent(standing.effectiveness)}`,
  );
}

/** @param {Given} asked */
export async function rate(asked) {
  const [lesson, word] = asked.positionals;
  const helpful = { helpful: true, yes: true, up: true, "not-helpful": false, no: false, down: false }[word ?? ""];
  if (!lesson || helpful === undefined) throw new UsageError("say the lesson, and `helpful` or `not-helpful`");
  const body = given({ lesson, helpful, decision_id: asked.values.decision });
  const rated = await send(asked, { method: "POST", path: "/v1/rate", body });
  if (asked.values.json) return json(rated);
  out(
    `${rated.slug}: helpful ${rated.times_helpful}, not helpful ${rated.times_not_helpful}${rated.repeated ? " (said before)" : ""}`,
  );
}

/** @param {Given} asked */
export async function track(asked) {
  if (!asked.values.decision)
    throw new UsageError("--decision is missing: the id that `recommend` was given or printed");
  const body = { decision_id: asked.values.decision, reasoning: await text(asked.positionals, "what the agent said") };
  const tracked = await send(asked, { method: "POST", path: "/v1/track", body });
  if (asked.values.json) return json(tracked);
  if (tracked.detections.length === 0) return out("No lesson was recommended for that decision.");
  table(
    ["applied", "how", "slug", "quote"],
    tracked.detections.map((/** @type {any} */ it) => [
      it.applied ? "yes" : "no",
      it.match_type,
      it.slug,
      it.quote ?? "",
    ]),
  );
}

/** @param {Given} asked */
export async function outcome(asked) {
  const [decision_id, word] = asked.positionals;
  if (decision_id && ["confirm", "dismiss"].includes(word ?? ""))
    return suggestion(asked, decision_id, word === "confirm");
  if (!decision_id || !["success", "failure", "pending"].includes(word ?? "")) {
    throw new UsageError(
      "say the decision's id, and `success`, `failure` or `pending`; or `confirm` or `dismiss` what `lessonloop review` shows of it",
    );
  }
  const body = given({ decision_id, outcome: word, pnl_percent: number(asked.values.pnl, "--pnl") });
  const recorded = await send(asked, { method: "POST", path: "/v1/outcome", body });
  if (asked.values.json) return json(recorded);
  out(`recorded; ${counted(recorded.lessons_updated, "lesson")} moved${recorded.repeated ? " (said before)" : ""}`);
}

/**
 * A person's word on an outcome that a session suggested.
 * @param {Given} asked
 * @param {string} id
 * @param {boolean} accept
 */
async function suggestion(asked, id, accept) {
  const path = `/v1/decisions/${encodeURIComponent(id)}/suggestion`;
  const settled = await send(asked, { method: "POST", path, body: { accept } });
  if (asked.values.json) return json(settled);
  out(accept ? `recorded: ${settled.outcome}; ${counted(settled.lessons_updated, "lesson")} moved` : "dismissed");
}

/** @param {Given} asked */
export async function feedback(asked) {
  const [word, ...lessons] = asked.positionals;
  const said = (word ?? "").replace("-", "_");
  if (!["delivered", "plan_complete", "blocked"].includes(said) || lessons.length === 0) {
    throw new UsageError("say `delivered`, `plan-complete` or `blocked`, then the lessons' slugs");
  }
  const body = given({
    lessons,
    outcome: said,
    causal: list(asked.values.causal),
    outcome_text: asked.values.text,
    decision_id: asked.values.decision,
  });
  // The lessons' part in the outcome is found by the meaning of its text.
  const model = Boolean(body.outcome_text) && !body.causal;
  const done = await send(asked, { method: "POST", path: "/v1/feedback", body }, { model });
  if (asked.values.json) return json(done);
  table(
    ["effectiveness", "uses", "causes", "slug"],
    done.updated.map((/** @type {any} */ it) => [percent(it.effectiveness), it.use_count, it.causal_hits, it.slug]),
  );
}

/** @param {Given} asked */
export async function suggestTools(asked) {
  const body = given({
    query: await text(asked.positionals, "what is to be done"),
    limit: number(asked.values.limit, "--limit"),
  });
  const found = await send(asked, { method: "POST", path: "/v1/tools/suggest", body });
  if (asked.values.json) return json(found);
  if (found.servers.length === 0) return out(`No server is known for that (${counted(found.records, "record")}).`);
  table(
    ["score", "server"],
    found.servers.map((/** @type {any} */ it) => [it.score.toFixed(2), it.server]),
  );
}

/** @param {Given} asked */
export async function stats(asked) {
  const said = await send(asked, { method: "GET", path: "/v1/stats" });
  const { runs } = await send(asked, { method: "GET", path: "/v1/health" });
  if (asked.values.json) return json({ ...said, runs });
  out(
    `${counted(said.lessons, "lesson")} · ${said.unreviewed} unreviewed · ` +
      `${said.quarantined} in quarantine · ${said.archived} archived`,
  );
  if (runs.runs > 0) {
    out(
      `${counted(runs.runs, "run")} · ${runs.successes} of ${runs.with_outcome} with an outcome went well` +
        `${runs.with_outcome < FEW_RUNS ? ": too few to tell" : ` (${percent(runs.successes / runs.with_outcome)})`} · ` +
        `${runs.pending} without an outcome yet${runs.control > 0 ? ` · ${runs.control} without lessons, to compare with` : ""}`,
    );
  }
  const { measured } = said;
  if (measured) {
    out(
      `measured: ${measured.helps} helping · ${measured.hurts} hurting · ` +
        `${measured.no_difference} with no difference seen · ${measured.unknown} not known yet`,
    );
  }
  for (const [name, ranks] of [
    ["Best", said.top],
    ["Worst", said.bottom],
    ["Never rated", said.never_rated],
  ]) {
    if (ranks.length === 0) continue;
    out(`\n${colour("bold", name)}`);
    table(
      ["effectiveness", "shown", "slug", "title"],
      ranks.map((/** @type {any} */ it) => [percent(it.effectiveness), it.times_surfaced, it.slug, it.title]),
    );
  }
}

/** @param {Given} asked */
export async function digest(asked) {
  const { days, until } = asked.values;
  const query = new URLSearchParams(given({ days: number(days, "--days")?.toString(), until }));
  const said = await send(asked, { method: "GET", path: `/v1/digest${query.size > 0 ? `?${query}` : ""}` });
  if (asked.values.json) return json(said);
  out(said.markdown.trimEnd());
}

/** @param {Given} asked */
export async function review(asked) {
  const [slug, word] = asked.positionals;
  if (slug) {
    if (word === "accept" || word === "reject") return proposal(asked, slug, word === "accept");
    if (!["approve", "quarantine"].includes(word ?? ""))
      throw new UsageError(
        "say `approve` or `quarantine` after the slug; `accept` or `reject` where a change is proposed",
      );
    const path = `/v1/lessons/${encodeURIComponent(slug)}/review`;
    const lesson = await send(asked, { method: "POST", path, body: { verdict: word } });
    if (asked.values.json) return json(lesson);
    return out(`${lesson.slug}: ${lesson.trust}`);
  }
  const { proposals } = await send(asked, { method: "GET", path: "/v1/proposals" });
  const limit = number(asked.values.limit, "--limit");
  const queue = await send(asked, { method: "GET", path: `/v1/review${limit === undefined ? "" : `?limit=${limit}`}` });
  if (asked.values.json) return json({ ...queue, proposals });
  const outcomes = queue.outcomes ?? [];
  if (queue.items.length === 0 && outcomes.length === 0 && proposals.length === 0)
    return out("Nothing waits for a review.");
  tellProposals(proposals);
  if (outcomes.length > 0) {
    table(
      ["suggested", "why", "decision"],
      outcomes.map((/** @type {any} */ it) => [it.outcome, it.because, it.decision_id]),
    );
    note(`\nNothing of it counts yet: ${typed("outcome DECISION confirm")}   (or dismiss)\n`);
  }
  if (queue.items.length === 0) return;
  table(
    ["why", "slug", "title"],
    queue.items.map((/** @type {any} */ it) => [it.reasons.join(", "), it.slug, it.title]),
  );
  note(
    `\n${queue.total} in all.\n  ${typed("show SLUG")}\n  ${typed("review SLUG approve")}   (or quarantine)\n  ${typed("serve --open")}`,
  );
}

/**
 * Prints the proposals of agents, each with what it would change.
 * @param {any[]} proposals
 */
function tellProposals(proposals) {
  for (const { slug, title, proposal: held } of proposals) {
    out(`${colour("bold", plain(title))} (${slug}), proposed by ${held.by} [${held.id}]`);
    if (held.moved_on) out(colour("yellow", "  the lesson has changed since; this is against its text now"));
    for (const finding of held.findings) out(colour("red", `  found: ${plain(finding)}`));
    if (held.archive) out("  archive the lesson");
    for (const field of held.fields) {
      out(`  ${field.name}`);
      out(colour("red", `    - ${plain(field.before ?? "")}`));
      out(colour("green", `    + ${plain(field.after)}`));
    }
  }
  if (proposals.length > 0) {
    note(
      `\nThe text in force stays until you say: ${typed("review SLUG accept")}   (or reject; --proposal ID where there are several)\n`,
    );
  }
}

/**
 * A person's word on a proposal.
 * @param {Given} asked
 * @param {string} slug
 * @param {boolean} accept
 */
async function proposal(asked, slug, accept) {
  const lesson = await send(asked, { method: "GET", path: `/v1/lessons/${encodeURIComponent(slug)}` });
  const open = lesson.proposals ?? [];
  const named = asked.values.proposal;
  if (open.length === 0) throw new Failure(`no change is proposed for \`${slug}\``);
  if (!named && open.length > 1) {
    throw new UsageError(
      `${open.length} changes are proposed for \`${slug}\`; name one by --proposal: ${open.map((/** @type {any} */ one) => one.id).join(", ")}`,
    );
  }
  const id = named ?? open[0].id;
  const path = `/v1/lessons/${encodeURIComponent(slug)}/proposals/${encodeURIComponent(id)}`;
  const body = given({
    accept,
    content_hash: accept ? lesson.content_hash : undefined,
    reason: asked.values.reason,
  });
  const settled = await send(asked, { method: "POST", path, body });
  if (asked.values.json) return json(settled);
  out(`${settled.slug}: ${accept ? "accepted" : "rejected"}, ${settled.trust}`);
}

/**
 * Counts nothing of a voice any more, or takes that back: what it would change first, and done with --yes.
 * @param {Given} asked
 */
export async function withdraw(asked) {
  const voice = await text(asked.positionals, "the voice, such as the id of an agent's key");
  const path = `/v1/voices/${encodeURIComponent(voice)}/withdraw`;
  const confirm = asked.values.yes === true;
  const body = given({ since: asked.values.since, undo: asked.values.undo === true, confirm });
  const found = await send(asked, { method: "POST", path, body });
  if (asked.values.json) return json(found);
  const gone = found.withdrawn;
  out(`${counted(found.lessons_total, "lesson")} ${gone ? "archived" : "back in use"}`);
  for (const slug of found.lessons) out(`  ${slug}`);
  out(`${counted(found.proposals, "proposal")} ${gone ? "taken off" : "open again"}`);
  const counts = gone ? "no longer counted" : "counted again";
  out(`ratings and votes ${counts}: ${found.opinions}; outcomes: ${found.outcomes}; feedback: ${found.feedback}`);
  out(`${counted(found.moved_total, "other lesson")} with another standing`);
  for (const slug of found.moved) out(`  ${slug}`);
  if (found.done) out(colour("green", gone ? `withdrawn: ${found.voice}` : `reinstated: ${found.voice}`));
  else note(`\nNothing has changed yet; say it again with --yes.`);
}
