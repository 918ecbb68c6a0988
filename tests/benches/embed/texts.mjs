// Texts of an exact number of tokens, both marks included, made of sentences as lessons have them.

const SENTENCES = [
  "Bind the values of a query instead of splicing them into its text.",
  "Turn on row policies for every table that a client can reach, and test them as another tenant.",
  "Run the migration on a copy of the production database before the release window opens.",
  "Keep the state of a form in one place, or two fields will disagree after the first undo.",
  "A retry without a limit turns a slow dependency into an outage of everything above it.",
  "Write the failing test first, then the smallest change that makes it pass.",
  "Measure the latency at the ninety ninth percentile; the mean hides the customers who leave.",
  "Never log a token, a password or a cookie, not even at the lowest level.",
  "Close the position when the funding rate turns against it for two intervals in a row.",
  "Pin the versions of the build tools so that an old commit can be built next year.",
  "Give every background job an identifier and make running it twice harmless.",
  "Check the size of an upload before reading it into memory.",
  "An index on a column with three distinct values helps nobody and slows down each insert.",
  "Roll back first and look for the cause afterwards when customers are affected.",
  "The cache must be keyed by the tenant too, or one customer sees the data of another.",
  "Prefer one request with a hundred rows to a hundred requests with one row each.",
  "Take the profit in steps; the whole position at one price is a bet on a single candle.",
  "A timeout belongs on every call that leaves the process.",
  "Describe in the commit message why the change was made, since the diff shows what it does.",
  "Use the keyboard to walk through each dialog before calling it finished.",
];
/** Each is one token. */
const FILLERS = ["data", "test", "code", "time", "user", "page", "work", "list"];

/** `count` different texts that `tokenizer` makes `tokens` tokens of. */
export function textsOf(tokenizer, tokens, count) {
  const length = (text) => tokenizer.encode(text).ids.length;
  return Array.from({ length: count }, (_, which) => {
    // Another sentence begins each text, and another word is left out of the first one, so that no two are the same.
    const words = Array.from(
      { length: 8 },
      (_, at) => SENTENCES[(which * 7 + at * 3 + ((which / SENTENCES.length) | 0)) % SENTENCES.length],
    )
      .join(" ")
      .split(" ");
    words.splice(which % 5, 1);
    let text = "";
    for (const word of words) {
      const longer = text ? `${text} ${word}` : word;
      if (length(longer) > tokens) break;
      text = longer;
    }
    for (let at = which; length(text) < tokens; at += 1) text = `${text} ${FILLERS[at % FILLERS.length]}`;
    if (length(text) !== tokens) throw new Error(`no text of ${tokens} tokens: "${text}" has ${length(text)}`);
    return text;
  });
}
