// The lessons of the walk, the prompts, and what the model answers to each.

export const SLUG = "bind-values-never-splice-them";
/** Words that stand nowhere but in the lesson's text. */
export const TEXT = "the driver sends values apart from the SQL statement";
export const LESSONS = [
  {
    slug: SLUG,
    title: "Bind values, never splice them",
    recommendation: `Use placeholders; ${TEXT}.`,
    context: "User input goes into a SQL statement.",
    tags: ["database", "security"],
  },
  {
    slug: "start-the-ledger-daemon-first",
    title: "ledgerd: connection refused on socket 7077",
    recommendation: "Start ledgerd with `ledgerd --foreground` before the migration; nothing else listens on 7077.",
    context: "A migration says: ledgerd: connection refused on socket 7077.",
    tags: ["ledgerd", "migration"],
  },
];
/** Words that stand nowhere but in the lesson for a failed command. */
export const MOMENT = "nothing else listens on 7077";
const ASK = "Keep user input out of the SQL statement: bind the values.";
const APPLIED = `Applying '${SLUG}': the query takes its values as parameters.`;

/** @param {string} walk */
export const prompt = (walk) => `${ASK} [walk:${walk}]`;

/** The calls of every tool of the server; all of one decision. */
export const CALLS = [
  { tool: "playbook_recommend_lessons", args: { query: ASK, decision_id: "walk-tools" } },
  { tool: "playbook_search_lessons", args: { query: "SQL statement" } },
  { tool: "playbook_patterns_for_feature", args: { feature: "SQL statements" } },
  { tool: "playbook_track_usage", args: { decision_id: "walk-tools", reasoning: APPLIED } },
  { tool: "playbook_record_outcome", args: { decision_id: "walk-tools", outcome: "success" } },
  { tool: "playbook_feedback", args: { lessons: [SLUG], outcome: "delivered", decision_id: "walk-tools" } },
  { tool: "playbook_rate_lesson", args: { lesson: SLUG, helpful: true } },
  { tool: "playbook_vote_lesson", args: { lesson: SLUG, up: true } },
  {
    tool: "playbook_add_lesson",
    args: {
      title: "Name each column that is read",
      recommendation: "A statement that reads all columns breaks when one is added.",
    },
  },
  {
    tool: "playbook_record_session",
    args: { transcript: "The statement was slow.\n\nINSIGHT: An index on the customer's number halves the time." },
  },
  { tool: "playbook_record_tool_success", args: { query: "query the database", server: "postgres" } },
  { tool: "playbook_suggest_tools", args: { query: "query the database" } },
  { tool: "playbook_get_decision", args: { decision_id: "walk-tools" } },
  { tool: "playbook_lesson_stats", args: {} },
  { tool: "playbook_health", args: {} },
];

/**
 * @param {(prompt: string) => string} nested a headless run, as a command of the agent's shell
 * @returns {Record<string, import("./script.mjs").Script>}
 */
export const scripts = (nested) => ({
  record: [
    { say: "I look.", shell: "echo fine" },
    { say: "I fail.", shell: "echo oops >&2; exit 3" },
    { text: "All is recorded." },
  ],
  "record-nested": [{ say: "I start another.", shell: nested("Look at it. [walk:plain]") }, { text: "It ran." }],
  plain: [{ text: "Understood plainly." }],
  delivered: [
    { say: "I look at the folder.", shell: "ls" },
    {
      text: `${APPLIED}\n\nINSIGHT: Log the statement without its values, they are personal data.\n\nDELIVERED: the statement binds its values.`,
    },
  ],
  blocked: [{ text: `${APPLIED}\n\nBLOCKED: the driver knows no placeholders.` }],
  passing: [{ say: "I run the tests.", shell: "node --test shop.test.mjs" }, { text: "The tests ran." }],
  failing: [{ say: "I run the tests.", shell: "node --test bad.test.mjs" }, { text: "The tests ran." }],
  tools: [...CALLS.map((call) => ({ say: `I call ${call.tool}.`, ...call })), { text: "Every tool was called." }],
  odd: [
    { tool: "playbook_recommend_lessons", args: { query: ASK, limit: "3", tech_stack: null } },
    { tool: "playbook_recommend_lessons", args: { query: ASK, limit: "three" } },
    { tool: "playbook_lesson_stats", args: { surprise: true } },
    { text: "Odd arguments were sent." },
  ],
  agent: [
    { say: "I ask another.", agent: "Look for the statement. [walk:subagent]" },
    { text: `${APPLIED}\n\nDELIVERED: the statement was found.` },
  ],
  subagent: [{ text: "BLOCKED: a subagent has no rights." }],
  first: [{ text: `${APPLIED} More tomorrow.` }],
  second: [{ text: "DELIVERED: the rest of it." }],
  "one-at-once": [{ say: "I wait.", shell: "sleep 1" }, { text: `${APPLIED}\n\nDELIVERED: the first of two.` }],
  "two-at-once": [{ say: "I wait.", shell: "sleep 1" }, { text: `${APPLIED}\n\nBLOCKED: the second of two.` }],
  nested: [
    { say: "I start another.", shell: nested("Bind the values of the SQL statement. [walk:inner]") },
    { text: `${APPLIED}\n\nDELIVERED: the other one said it.` },
  ],
  inner: [{ text: "INSIGHT: A run within a run teaches nothing.\n\nBLOCKED: it is nobody's." }],
  window: [{ text: `${APPLIED} I begin.` }],
  again: [
    { say: "I migrate.", shell: "echo 'error: ledgerd: connection refused on socket 7077' >&2; exit 3" },
    { text: "It failed; I go on." },
  ],
  after: [{ text: "After the compaction." }],
  last: [{ text: "DELIVERED: the statement binds its values." }],
  closed: [{ text: `${APPLIED}\n\nDELIVERED: before the window is closed.` }],
  gone: [{ text: "Answered without the package." }],
});
