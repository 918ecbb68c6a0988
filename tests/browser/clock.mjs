// A clock in the engine that a test sets by days.

/** Puts a clock in the engine's worker that `BroadcastChannel("clock")` can set forward and back by days. */
export async function withClock(context) {
  await context.route("**/engine-worker.js", async (route) => {
    const answer = await route.fetch();
    const clock =
      "const real = Date.now.bind(Date); let off = 0; Date.now = () => real() + off;" +
      'new BroadcastChannel("clock").onmessage = ({ data }) => { off = data * 86400000; };\n';
    await route.fulfill({ response: answer, body: clock + (await answer.text()) });
  });
  return (page, days) => page.evaluate((days) => new BroadcastChannel("clock").postMessage(days), days);
}
