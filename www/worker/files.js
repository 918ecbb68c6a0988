// Reads the files of an import, and makes those of an export. In the worker, so that the page is never held by a
// large one.

const UTF16 = "It is UTF-16. Save it as UTF-8 and import it again.";
const NO_TEXT = "It is not UTF-8 text. Save it as UTF-8 and import it again; leave it out if it is not text.";
const UNREADABLE = "The browser could not read it. Check that it still exists and may be read.";

/** A file's text, or why there is none. */
async function read(file) {
  let bytes;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    return { code: "unreadable", message: UNREADABLE };
  }
  try {
    return { content: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const mark = (bytes[0] << 8) | bytes[1];
    return { code: "encoding", message: mark === 0xfffe || mark === 0xfeff ? UTF16 : NO_TEXT };
  }
}

/**
 * Handles a request; the answer's body is a text of JSON. Where the body of an import holds files as a page has them
 * (`content` is a `File`), they are read first; those that hold no text are rejected beside what the engine rejects.
 */
export async function handle(engine, request) {
  const files = request.body?.files;
  if (!Array.isArray(files) || !files.some((file) => file?.content instanceof Blob))
    return engine().handle_text(request);
  const readable = [];
  const rejected = [];
  for (const file of files) {
    if (!(file?.content instanceof Blob)) {
      readable.push(file);
      continue;
    }
    const { content, code, message } = await read(file.content);
    if (code) rejected.push({ path: file.path, code, message });
    else readable.push({ ...file, content });
  }
  // An import of nothing is an error; of files that can't be read it is an import of nothing.
  if (readable.length === 0 && rejected.length > 0) {
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({
        added: 0,
        updated: 0,
        unchanged: 0,
        events: 0,
        formats: {},
        rejected,
        warnings: [],
        lessons: [],
      }),
    };
  }
  const response = await engine().handle_text({ ...request, body: { ...request.body, files: readable } });
  if (response.status >= 400 || rejected.length === 0) return response;
  const body = JSON.parse(response.body);
  body.rejected.unshift(...rejected);
  return { ...response, body: JSON.stringify(body) };
}

/** The classic zip format counts its entries in 16 bits. */
const MOST_FILES = 65_535;
/** The format's first day: an export carries no clock, so that the same lessons are the same bytes. */
const FIRST_DAY = "1980-01-01T00:00:00";

/** An export's answer with its body as the file that a person saves: a text as it is, files as a zip archive. */
export async function asFile(response) {
  if (response.status >= 400) return response;
  const type = (response.headers["content-type"] ?? "text/plain").split(";")[0];
  if (type !== "application/json") return { ...response, body: new Blob([response.body], { type }) };
  const { files } = JSON.parse(response.body);
  if (files.length > MOST_FILES) {
    const message = "Too many lessons for a zip archive. Export as JSONL instead.";
    return { status: 413, headers: {}, body: JSON.stringify({ error: { code: "too_large", message } }) };
  }
  // Only an export needs it.
  const { strToU8, zipSync } = await import("/vendor/fflate.js");
  const entries = Object.fromEntries(files.map(({ path, content }) => [path, strToU8(content)]));
  const archive = zipSync(entries, { level: 6, mtime: FIRST_DAY });
  return { ...response, body: new Blob([archive], { type: "application/zip" }) };
}
