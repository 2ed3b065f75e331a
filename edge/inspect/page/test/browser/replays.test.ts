// Two replays of one trace: one by our runtime, one by the same with a seeded fault, which rounds the colours of clears down by a step of 8 bits.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { ask, open, settled, shown, violations, visit } from "./page.ts";
import { browser, golden, rounding, serve, type Server } from "./server.ts";

let chromium: Browser;
let server: Server;
before(async () => {
  chromium = await browser();
  server = await serve("--replay", "--against-runtime", rounding(), golden("gears"));
});
after(async () => {
  server.end();
  await chromium.close();
});

const SIZE = 300;

test("the operation that left the first difference comes first, with both pictures", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/compare");
  await settled(page);
  const clears = (await ask<{ items: { call: number; kind: string }[] }>(page, "api/0/rows?first=0&count=200")).items.filter((row) => row.kind === "clear");
  const rows = page.locator('[role=grid][aria-label="Differences"] [role=row]');
  const selected = page.locator('[role=grid][aria-label="Differences"] [aria-selected="true"]');
  assert.equal(await selected.getAttribute("aria-rowindex"), "2");
  const cells = await selected.locator(".cell").allInnerTexts();
  assert.deepEqual(cells.slice(0, 2), ["1", String(clears[0]?.call)]);
  assert.match(cells.slice(2).join(" "), /ClearRenderTargetView, cleared #3 90,000 of 90,000 texels .*by up to 1$/);
  // The heads, the clear, and the three frames.
  assert.equal(await rows.count(), 5);
  const text = (await page.locator("main").innerText()).replaceAll(/\s+/g, " ");
  assert.match(text, /Frame 1 is the first that differs/);
  assert.match(text, /what it reads is equal on both/);
  assert.match(text, /0 0 0 255 in A, 0 0 0 254 in B/);
  assert.match(await page.locator(".toolbar [role=status]").last().innerText(), /^90,000 of 90,000 texels differ, by at most 0\.0039/);
  assert.match(await page.locator("footer code").innerText(), /^reprise diff --replay --against-runtime .*rounding\.so --targets --all .*gears\.reprise$/);
  assert.deepEqual(await violations(page), []);
  await close();
});

test("frames and targets of both sides", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/compare?tab=pictures&frame=2&pictures=slider");
  await settled(page);
  assert.equal(await page.locator(".strip .different").count(), 3);
  // Black stays black, and only its opacity is less, which the picture of a frame has not.
  assert.match(await page.locator(".toolbar [role=status]").last().innerText(), /the frames differ in their opacity/);
  const pixels = await shown(page, ".surface canvas", SIZE, SIZE);
  assert.ok(pixels.some((value, at) => at % 4 < 3 && value > 100), "the gears are there");
  for (const pictures of ["slider", "difference", "sides"]) {
    await visit(page, `compare?tab=targets&pictures=${pictures}`);
    assert.match(await page.locator("main").innerText(), /Call 86\s+90,000 of 90,000 texels differ, by at most 0\.0039/);
  }
  assert.deepEqual(await violations(page), []);
  await close();
});

test("the page of a call shows what the chosen replay has", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/calls?call=86&tab=targets&t=1");
  await settled(page);
  assert.match(await page.locator("footer code").innerText(), /^reprise show --runtime .*rounding\.so .*gears\.reprise --call 86/);
  await page.getByRole("link", { name: "Compare with the other replay" }).click();
  await settled(page);
  assert.match(await page.locator("main").innerText(), /Call 86\s/);
  await close();
});
