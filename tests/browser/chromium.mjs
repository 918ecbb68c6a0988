// Starts Chromium for the suites and the benches: no sandbox, for CIs run as root; nothing that reaches out by itself.
import { chromium } from "playwright-core";

export const launch = (executablePath) =>
  chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
