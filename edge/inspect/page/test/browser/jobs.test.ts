// Replays in the background: one for all windows, and ended when nobody waits for it any more.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { open, settled } from "./page.ts";
import { browser, golden, runs, serveHeld } from "./server.ts";

let chromium: Browser;
before(async () => {
  chromium = await browser();
});
after(() => chromium.close());

const TARGETS = "#v1/calls?call=93&tab=targets";

async function ends(process: number): Promise<void> {
  // A job that nobody asks for is cancelled after 10 s: this is for machines that do other work.
  for (let step = 0; step < 600 && runs(process); step += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(!runs(process), "the replay goes on");
}

const waits = (page: Page) => page.getByText("Replaying for the picture").waitFor();

test("a replay ends when its view is left", async () => {
  const server = await serveHeld(golden("gears"));
  const { page, close } = await open(chromium, server.url, TARGETS);
  await waits(page);
  const process = await server.replay();
  assert.ok(runs(process));
  await page.keyboard.press("9");
  await ends(process);
  await close();
  server.end();
});

test("a replay ends when its window is closed", async () => {
  const server = await serveHeld(golden("gears"));
  const { page, close } = await open(chromium, server.url, TARGETS);
  await waits(page);
  const process = await server.replay();
  await close();
  await ends(process);
  server.end();
});

test("a second window shares a replay, and keeps it when the first one is left", async () => {
  const server = await serveHeld(golden("gears"));
  const [one, other] = [await open(chromium, server.url, TARGETS), await open(chromium, server.url, TARGETS)];
  await waits(one.page);
  await waits(other.page);
  const jobs = await Promise.all([one, other].map(({ page }) => page.evaluate(async () => {
    const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ kind: "picture", call: 93, target: 0, mip: 0, slice: 0, plane: 0, sample: 0 }) };
    return ((await (await fetch("api/0/jobs", options)).json()) as { job: string }).job;
  })));
  assert.equal(jobs[0], jobs[1], "the same question is one job");
  // The second window goes somewhere else, with a theme and a place of its own; the first one stays as it was.
  await other.page.keyboard.press("2");
  await other.page.keyboard.press("t");
  assert.match(one.page.url(), /tab=targets/);
  assert.notEqual(await one.page.evaluate(() => getComputedStyle(document.body).backgroundColor), await other.page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  server.letGo();
  await settled(one.page);
  assert.match(await one.page.locator("main").innerText(), /300 × 300/);
  await one.close();
  await other.close();
  server.end();
});
