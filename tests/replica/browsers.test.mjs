// Two people's browsers and one space, in the built app: connect, work apart, come together, decide, sign out; keys for
// agents.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, eventually, loadSamples, ready, url, visit, withApp } from "../browser/app.mjs";
import { agent, env, key, sql, url as server } from "../stack/stack.mjs";
import { signIn } from "./sign_in.mjs";

after(close);

const RATED = "pattern-idempotency-keys-on-writes";
const EDITED = "pattern-form-drafts-survive-reload";
const ARCHIVED = "pattern-controlled-inputs-single-source";

// The app asks the stack, and nothing else; offline it can't, which it must not hide.
const expected = [new RegExp(`^request to another host: ${server}$`), /^failed: .*ERR_INTERNET_DISCONNECTED$/];

const walk = (work) => withApp(work, { expected });

/** A picture, when somebody wants to look. */
const shoot = async (page, name) => {
  const folder = process.env.LESSONLOOP_SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};

/**
 * @param {import("playwright-core").Page} page
 * @param {{ space?: string, create?: string }} into
 */
async function connect(page, { space, create }) {
  await visit(page, "Settings");
  await signIn(page);
  if (create) {
    const fresh = page.getByTestId("sync-space-new");
    if (await fresh.count()) await fresh.check();
    await page.getByLabel("Name of the new space").fill(create);
  } else {
    await page.getByLabel(space).check();
  }
  await page.getByTestId("sync-submit").click();
  await page.getByTestId("sync-now").waitFor();
}

/** Syncs, and waits until nothing is left to send. */
async function sync(page) {
  await visit(page, "Settings");
  await page.getByTestId("sync-now").click();
  await quiet(page);
}

const quiet = (page) =>
  page.locator("[data-testid=sync-state][data-phase=idle]").filter({ hasNotText: "to send" }).waitFor();

/** Reads the data that the browser keeps for the app, vectors apart, as one text. */
const stored = (page) =>
  page.evaluate(async () => {
    const open = (name) =>
      new Promise((done, fail) => {
        const asked = indexedDB.open(name);
        asked.onsuccess = () => done(asked.result);
        asked.onerror = () => fail(asked.error);
      });
    const database = await open("lessonloop");
    let text = JSON.stringify({ ...localStorage, ...sessionStorage });
    for (const name of database.objectStoreNames) {
      if (name === "vectors") continue;
      const all = database.transaction(name).objectStore(name).getAll();
      await new Promise((done) => (all.onsuccess = done));
      text += JSON.stringify(all.result);
    }
    database.close();
    return text;
  });

async function openLesson(page, slug) {
  // A tab behind another gets no frames, and what is clicked has to rest for some.
  await page.bringToFront();
  await visit(page, "Lessons");
  await page.getByTestId("search-input").fill(slug);
  await page.locator(`[data-testid=lesson-row][data-slug="${slug}"] a`).first().click();
  await page.getByTestId("lesson-slug").filter({ hasText: slug }).waitFor();
}

/** So many people find a lesson helpful; the page itself takes one rating of each. */
async function rate(page, slug, times) {
  await openLesson(page, slug);
  const before = await helpful(page);
  await page.evaluate(
    ([lesson, wanted]) =>
      new Promise((done) => {
        const worker = new Worker("/engine-worker.js", { type: "module" });
        let answered = 0;
        worker.onmessage = ({ data }) => {
          if (data.type === "response") answered += 1;
          if (answered < Number(wanted)) return;
          worker.terminate();
          done(null);
        };
        for (let id = 1; id <= Number(wanted); id += 1) {
          const request = { method: "POST", path: "/v1/rate", body: { lesson, helpful: true } };
          worker.postMessage({ type: "request", id, request });
        }
      }),
    [slug, times],
  );
  await eventually(async () => assert.equal(await helpful(page), before + times));
}

const helpful = async (page) => Number(/(\d+)/.exec(await page.getByTestId("rate-helpful").textContent())?.[1]);

async function edit(page, slug, text) {
  await openLesson(page, slug);
  await page.getByTestId("edit").click();
  await page.getByTestId("edit-form").getByLabel("What to do").fill(text);
  await page.getByTestId("save-edit").click();
  await page.getByTestId("lesson-text").filter({ hasText: text }).waitFor();
}

test("two browsers, one of them offline for a while: both end with the same, every count right", async () => {
  await walk(async (one) => {
    await loadSamples(one);
    await rate(one, RATED, 1);
    await connect(one, { create: "Two browsers" });
    await quiet(one);
    await eventually(async () => assert.equal(await one.getByTestId("sync-space-name").textContent(), "Two browsers"));
    await shoot(one, "connected");
    await walk(async (two, context) => {
      await two.goto(`${url}/data`);
      await ready(two);
      await connect(two, { space: "Two browsers" });
      await quiet(two);
      await openLesson(two, RATED);
      assert.equal(await helpful(two), 1, "what was there before came along");

      await context.setOffline(true);
      await rate(two, RATED, 2);
      await edit(two, EDITED, "What the second browser says.");
      await openLesson(two, ARCHIVED);
      await two.getByTestId("archive").click();
      await two.getByTestId("archived").waitFor();
      await two.locator("[data-testid=sync-state][data-phase=offline]").waitFor();
      await shoot(two, "offline");

      await rate(one, RATED, 3);
      await edit(one, EDITED, "What the first browser says.");
      await edit(one, ARCHIVED, "Edited while it is archived elsewhere.");
      await sync(one);

      await context.setOffline(false);
      await sync(two);
      await sync(one);
      for (const page of [one, two]) {
        await openLesson(page, RATED);
        await page.getByTestId("rate-helpful").filter({ hasText: "Helpful 6" }).waitFor();
        await openLesson(page, EDITED);
        await page.getByTestId("lesson-text").filter({ hasText: "What the first browser says." }).waitFor();
      }

      // The edit that came too late is not lost: a person decides.
      await two.getByTestId("sync-state").filter({ hasText: "1 conflict" }).click();
      const conflict = two.locator(`[data-testid=conflict][data-slug="${EDITED}"]`);
      await conflict.waitFor();
      const sides = await conflict.getByTestId("conflict-field").textContent();
      assert.match(sides, /What the first browser says\./);
      assert.match(sides, /What the second browser says\./);
      await shoot(two, "conflict");
      await conflict.getByTestId("keep-mine").click();
      await conflict.waitFor({ state: "detached" });
      await sync(two);
      await sync(one);
      await openLesson(one, EDITED);
      await one.getByTestId("lesson-text").filter({ hasText: "What the second browser says." }).waitFor();
      await visit(one, "Lessons");
      const space = sql("select id from spaces where name = 'Two browsers'");
      assert.equal(
        sql("select times_helpful from lessons where space = :'space' and slug = :'slug'", { space, slug: RATED }),
        "6",
      );
      assert.equal(
        sql("select archived from lessons where space = :'space' and slug = :'slug'", { space, slug: ARCHIVED }),
        "t",
      );
      assert.equal(sql("select count(*) from events where space = :'space' and kind = 'Rated'", { space }), "6");
    });
  });
});

test("two tabs sync as one: each sees the other's and the server's, and nothing is sent twice", async () => {
  await walk(async (one, context) => {
    await loadSamples(one);
    await connect(one, { create: "Two tabs" });
    await quiet(one);
    const two = await context.newPage();
    two.setDefaultTimeout(30_000);
    await two.goto(`${url}/lessons/${RATED}`);
    await two.getByTestId("sync-state").waitFor();
    await rate(two, RATED, 2);
    await rate(one, RATED, 1);
    await two.getByTestId("rate-helpful").filter({ hasText: "Helpful 3" }).waitFor();
    await quiet(one);
    await quiet(two);
    const space = sql("select id from spaces where name = 'Two tabs'");
    assert.equal(
      sql("select times_helpful from lessons where space = :'space' and slug = :'slug'", { space, slug: RATED }),
      "3",
    );
    // The tab that syncs is closed: the other one takes over.
    await one.close();
    await two.getByTestId("rate-helpful").click();
    await two.getByTestId("rate-helpful").filter({ hasText: "Helpful 4" }).waitFor();
    await quiet(two);
    assert.equal(
      sql("select times_helpful from lessons where space = :'space' and slug = :'slug'", { space, slug: RATED }),
      "4",
    );
    // Kept over a reload, without counting anything again.
    await two.reload();
    await two.getByTestId("rate-helpful").filter({ hasText: "Helpful 4" }).waitFor();
    await quiet(two);
  });
});

test("signing out warns of what is not sent, and leaves nothing of it in the browser", async () => {
  await walk(async (page, context) => {
    await loadSamples(page);
    await connect(page, { create: "Signing out" });
    await quiet(page);
    await context.setOffline(true);
    await rate(page, RATED, 1);
    await visit(page, "Settings");
    await page.getByTestId("sign-out").click();
    await page.getByTestId("sign-out-unsent").waitFor();
    await eventually(async () => assert.ok(await page.getByTestId("sign-out-confirm").isDisabled()));
    await shoot(page, "sign-out");
    await page.getByTestId("sign-out-cancel").click();
    await context.setOffline(false);
    await sync(page);
    await page.getByTestId("sign-out").click();
    await page.getByTestId("sign-out-confirm").click();
    await page.getByTestId("sync-open").waitFor();
    await visit(page, "Lessons");
    await page.getByTestId("load-samples").waitFor();
    assert.doesNotMatch(await stored(page), /idempotency|access_token|lessonloop\.test/);
  });
});

test("a space is deleted once its name is typed and what goes is confirmed", async () => {
  await walk(async (page) => {
    await loadSamples(page);
    await connect(page, { create: "Short-lived" });
    await quiet(page);
    const space = sql("select id from spaces where name = 'Short-lived'");
    const next = page.getByTestId("delete-space-next");
    await page.getByTestId("delete-space").click();
    for (const name of ["", "short-lived"]) {
      await page.getByLabel("Name of the space").fill(name);
      await eventually(async () => assert.ok(await next.isDisabled(), name));
    }
    await page.getByLabel("Name of the space").fill("Short-lived");
    await next.click();
    const told = page.getByTestId("delete-space-told");
    await told.filter({ hasText: "1 membership" }).waitFor();
    await shoot(page, "delete-space");
    assert.equal(sql("select count(*) from spaces where id = :'space'", { space }), "1", "nothing is deleted yet");
    // Thought better of: the next time begins anew.
    await page.getByTestId("delete-space-cancel").click();
    await page.getByTestId("delete-space").click();
    await eventually(async () => assert.equal(await told.count(), 0));
    await page.getByLabel("Name of the space").fill("Short-lived");
    await next.click();
    await told.waitFor();
    await next.filter({ hasText: "Delete permanently" }).click();
    await page.getByTestId("sync-open").waitFor();
    assert.equal(await page.getByTestId("delete-space-card").count(), 0);
    for (const table of ["lessons", "events", "members"]) {
      assert.equal(sql(`select count(*) from ${table} where space = :'space'`, { space }), "0", table);
    }
    await visit(page, "Lessons");
    await page.getByTestId("load-samples").waitFor();
    assert.doesNotMatch(await stored(page), /idempotency|access_token|lessonloop\.test/);
  });
});

test("a wrong password and a server without the product say so at the field", async () => {
  await walk(async (page) => {
    await page.goto(`${url}/data`);
    await ready(page);
    await page.getByTestId("sync-open").click();
    await page.getByLabel("Project URL").fill(server);
    await page.getByLabel("Publishable key").fill(key);
    await page.getByLabel("E-mail").fill(env("LESSONLOOP_STACK_EMAIL"));
    await page.getByLabel("Password").fill("not the password");
    await page.getByTestId("sync-submit").click();
    await page.getByText("the e-mail address or the password is wrong").waitFor();
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), "sync-password"));
    await shoot(page, "wrong-password");
  });
});

/** Asks, as the edge function does, for the space that a key is for; null if there is none. */
const asEdge = async (agentKey) => (await agent(agentKey).call("agent_key", {})).agent;

test("a key for an agent is made, copied once, used, and revoked", async () => {
  await walk(async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.goto(`${url}/data/agents`);
    await page.getByRole("group", { name: "Where the agent runs" }).getByText("Over HTTP").click();
    await page.getByTestId("empty").filter({ hasText: "agents need a server" }).waitFor();
    await shoot(page, "agents-off");
    await page.getByRole("link", { name: "Connect a server" }).click();
    await connect(page, { create: "Agents" });
    await quiet(page);
    await visit(page, "Agents");
    await page.getByTestId("empty").filter({ hasText: "No agent has a key" }).waitFor();

    // By keyboard alone, with a name that is no markup.
    const name = "Robot <b>1</b>";
    await page.getByLabel("Name of the agent").focus();
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.getByTestId("fresh-key").waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "fresh-key");
    const agentKey = await page.getByTestId("fresh-key-text").textContent();
    assert.match(agentKey, /^llk_[0-9a-f]{72}$/);
    await page.getByTestId("copy-key").click();
    await page.getByTestId("toast").filter({ hasText: "Key copied" }).first().waitFor();
    assert.equal(await copied(), agentKey);

    // The key and the address are filled in wherever they belong.
    await page.getByLabel("Address of your edge function").fill("http://edge.example.dev");
    await page.getByText("Use https").waitFor();
    await page.getByLabel("Address of your edge function").fill("https://edge.example.dev/mcp");
    const snippet = page.getByTestId("agent-snippet");
    for (const [agent, address, holdsKey] of [
      ["claude-code", "https://edge.example.dev/mcp", true],
      ["cursor", "https://edge.example.dev/mcp", true],
      ["vs-code", "https://edge.example.dev/mcp", false],
      ["http", "https://edge.example.dev/v1/recommend", true],
    ]) {
      await page.getByTestId(`agent-${agent}`).check();
      const text = await snippet.textContent();
      assert.ok(text.includes(address), text);
      assert.equal(text.includes(agentKey), holdsKey, text);
      assert.doesNotMatch(text, /YOUR_/);
    }
    await page.getByTestId("copy-snippet").click();
    await page.getByTestId("toast").filter({ hasText: "Snippet copied" }).waitFor();
    assert.equal(await copied(), await snippet.textContent());
    await shoot(page, "agents-fresh");

    // It is the server's from here on, and nowhere in this browser.
    const space = sql("select id from spaces where name = 'Agents'");
    const known = await asEdge(agentKey);
    assert.deepEqual([known.space, known.name], [space, name]);
    assert.doesNotMatch(await stored(page), /llk_/);
    await page.getByTestId("fresh-key-done").click();
    assert.doesNotMatch(await page.content(), /llk_/);
    const row = page.getByTestId("agent-key").filter({ hasText: name });
    await page.getByTestId("refresh-keys").click();
    await row.filter({ hasText: "last used" }).waitFor();

    // Offline the list stays, and says what is the matter.
    await context.setOffline(true);
    await page.getByTestId("refresh-keys").click();
    await page.getByTestId("agent-keys").getByTestId("error").filter({ hasText: "can't be reached" }).waitFor();
    await eventually(async () => assert.equal(await row.count(), 1));
    await shoot(page, "agents-offline");
    await page.getByTestId("retry-keys").waitFor();
    await context.setOffline(false);
    await page.getByTestId("agent-keys").getByTestId("error").waitFor({ state: "detached" });

    // The address is remembered, the key is not.
    await page.reload();
    await row.waitFor();
    await eventually(async () =>
      assert.equal(await page.getByLabel("Address of your edge function").inputValue(), "https://edge.example.dev"),
    );
    await eventually(async () => assert.match(await snippet.textContent(), /YOUR_KEY/));

    // Revoking asks first; Escape goes back to where one was.
    await row.getByTestId("revoke-key").focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("revoke-dialog").getByText(name).waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("revoke-confirm").waitFor({ state: "detached" });
    await eventually(async () =>
      assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "revoke-key"),
    );
    assert.notEqual(await asEdge(agentKey), null);
    await page.keyboard.press("Enter");
    await shoot(page, "agents-revoke");
    await page.getByTestId("revoke-confirm").click();
    await page.getByTestId("empty").filter({ hasText: "No agent has a key" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "agent-keys");
    await page.getByTestId("revoked-keys").locator("summary").click();
    await row.filter({ hasText: "revoked" }).waitFor();
    await eventually(async () => assert.equal(await row.getByTestId("revoke-key").count(), 0));
    assert.equal(await asEdge(agentKey), null);
    await shoot(page, "agents-revoked");
  });
});
