// Names and markers of the captured program are text, whatever they hold: script in them never runs, in any view.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { ask, open, visit } from "./page.ts";
import { browser, folder, run, serve, type Server } from "./server.ts";
import { writeTimes } from "./times.ts";

const HOSTILE = "</script><script>globalThis.owned=1</script><img src=x onerror=globalThis.owned=1>";

let chromium: Browser;
let server: Server;
before(async () => {
  chromium = await browser();
  // The file's name is hostile, too.
  const trace = join(folder, "<img src=x onerror=globalThis.owned=1>.reprise");
  run("hostile_trace", [trace]);
  // So are the names in what was measured.
  const of = { submission: 27, list: 4, queue: 2, frame: 1, method: HOSTILE, markers: [HOSTILE, "<b>deep</b>"] };
  writeTimes(`${trace}.times`, trace, [{ call: 23, ns: [1000, 1001], ...of }, { call: 24, ns: [500, 501], ...of }], { runtime: HOSTILE });
  server = await serve(trace, "--compare", trace);
});
after(async () => {
  server.end();
  await chromium.close();
});

test("names, markers and the file's name are shown as they are, and do nothing", async () => {
  const { page, close } = await open(chromium, server.url);
  const { items } = await ask<{ items: { id: number; name: string }[] }>(page, "api/0/objects?first=0&count=100");
  const hostile = items.find((one) => one.name)?.name ?? "";
  assert.match(hostile, /^<\/script><script>globalThis.owned=1/);
  const { total } = await ask<{ total: number }>(page, "api/0/rows?first=0&count=1");
  const places = ["frames", "frames?frame=1", "calls", "calls?mode=list", "calls?q=Marker", "resources", "heaps", "descriptors", "objects", "shaders", "findings", "costs", "costs?mode=flame", "costs?mode=flame&sort=cost", "compare", "trace"];
  for (let call = 9; call <= total; call += 1) places.push(`calls?call=${call}`);
  for (const tab of ["state", "pipeline", "bindings", "changes"]) places.push(`calls?call=20&tab=${tab}`);
  for (const { id } of items) places.push(`objects?object=${id}`);
  places.push("objects?object=5&tab=uses", "heaps?object=6&call=20&tab=map", "descriptors?object=8&call=20&tab=slots");
  const measured = new Set<string>();
  const seen = new Set<string>();
  for (const place of places) {
    await visit(page, place);
    assert.equal(await page.evaluate(() => (globalThis as { owned?: number }).owned), undefined, place);
    assert.equal(await page.locator('img[src="x"], main svg[onload], main script, a[href^="javascript"]').count(), 0, place);
    if (((await page.locator("main").textContent()) ?? "").includes(hostile.slice(0, 60))) seen.add(place.replace(/[?].*/, ""));
    if (((await page.locator("main").textContent()) ?? "").includes(HOSTILE.slice(0, 40))) measured.add(place.replace(/[?].*/, ""));
  }
  // It was there to run: as names, as markers, and as the name of a thread.
  assert.deepEqual([...seen].sort(), ["calls", "descriptors", "heaps", "objects", "resources", "trace"]);
  assert.ok(measured.has("costs"));
  assert.match(await page.title(), /<img src=x/);
  await close();
});
