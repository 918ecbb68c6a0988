// The demo, looked at at random: what holds on every walk. `LESSONLOOP_SEED` draws another one, and
// `LESSONLOOP_RANDOM_MINUTES=10` walks for so long.
import { after, test } from "node:test";
import { close, ready, url, withApp } from "./app.mjs";
import { drive, length, seed } from "./random.mjs";

after(close);

test("whatever is looked at in the demo, its pages agree, going back works, and nothing is written", () =>
  withApp(async (page) => {
    await page.goto(`${url}/lessons`);
    await ready(page);
    await page.getByTestId("open-demo").click();
    await page.getByTestId("demo-banner").waitFor();
    await ready(page);
    await drive(page, { origin: url, seed, goesOn: length() });
  }));
