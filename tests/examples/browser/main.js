// The engine in a page: lessons stay in this browser's IndexedDB. Serve this folder from the origin that serves dist/. A
// page with much to do runs the engine in a worker, as www/engine-worker.js does.
import init, { Engine } from "/engine/lessonloop.js";

await init();
const engine = await Engine.open({ store: { kind: "indexed_db" } });

const lesson = { title: "Bind values, never splice them", recommendation: "Use placeholders." };
const listed = await engine.handle({ method: "GET", path: "/v1/lessons" });
if (listed.body.total === 0) await engine.handle({ method: "POST", path: "/v1/lessons", body: lesson });

const form = document.querySelector("form");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const query = new FormData(form).get("query");
  const answer = await engine.handle({ method: "POST", path: "/v1/recommend", body: { query, dry_run: true } });
  const rows = answer.body.recommended.map(({ title }) => {
    const row = document.createElement("li");
    // A lesson is text, never HTML.
    row.textContent = title;
    return row;
  });
  document.querySelector("ol").replaceChildren(...rows);
});
document.body.dataset.ready = "yes";
