// `lessonloop serve` in a container: it listens beyond 127.0.0.1, keeps a token that a person set, and still answers to this
// machine's names alone.
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { machine, until } from "./installed.mjs";

const TOKEN = "a-token-that-a-person-made-0123456789";

/** @param {string} url @param {string} host @param {string} token @returns {Promise<number | undefined>} */
const status = (url, host, token) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const headers = { host: `${host}:${port}`, authorization: `Bearer ${token}` };
    request({ hostname, port, path: "/v1/stats", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });

test("the token is the one that was set, and only this machine's names are answered", async () => {
  const on = machine();
  assert.equal(on.run(["init", "--personal", "--yes"]).code, 0);
  const child = on.start(["serve", "--personal", "--listen", "0.0.0.0", "--port", "0", "--json"], {
    env: { LESSONLOOP_TOKEN: TOKEN },
  });
  let said = "";
  child.stdout.on("data", (piece) => (said += piece));
  await until(() => said.trimEnd().endsWith("}"), "it serves");
  const { url, token } = JSON.parse(said);
  assert.equal(token, TOKEN);
  assert.equal(await status(url, "127.0.0.1", TOKEN), 200);
  assert.equal(await status(url, "127.0.0.1", "another"), 401);
  assert.equal(await status(url, "lessons.example.org", TOKEN), 403);
});

test("what is no address, and a token that can be guessed, are refused by their names", () => {
  const on = machine();
  const named = on.run(["serve", "--listen", "everywhere"]);
  assert.deepEqual([named.code, /--listen: everywhere is no address/.test(named.err)], [2, true], named.err);
  const short = on.run(["serve"], { env: { LESSONLOOP_TOKEN: "short" } });
  assert.deepEqual([short.code, /LESSONLOOP_TOKEN: takes 32 to 200/.test(short.err)], [1, true], short.err);
});
