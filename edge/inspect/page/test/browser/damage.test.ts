// Damaged traces: the page says where, and every view shows what there is.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { open, visit } from "./page.ts";
import { browser, folder, golden, serve } from "./server.ts";

let chromium: Browser;
before(async () => {
  chromium = await browser();
});
after(() => chromium.close());

const VIEWS = ["frames", "calls", "calls?mode=list", "calls?mode=list&call=40", "calls?q=kind:draw", "resources", "heaps", "descriptors", "objects", "shaders", "findings", "trace"];

async function look(name: string, bytes: Buffer): Promise<string> {
  const file = join(folder, `${name}.reprise`);
  writeFileSync(file, bytes);
  const server = await serve(file);
  const { page, close } = await open(chromium, server.url);
  for (const view of VIEWS) {
    await visit(page, view);
    assert.ok(((await page.locator("main").textContent()) ?? "").length > 0, `${name}: ${view}`);
    await page.locator("a.badge", { hasText: "damaged" }).waitFor();
  }
  const text = await page.locator("main").innerText();
  await close();
  server.end();
  return text;
}

test("a trace without its end", async () => {
  const bytes = readFileSync(golden("bundles"));
  const text = await look("short", bytes.subarray(0, Math.floor(bytes.length * 0.8)));
  assert.match(text, /Damage/);
});

test("a trace with a wrong byte in its calls", async () => {
  const bytes = Buffer.from(readFileSync(golden("gears")));
  const at = Math.floor(bytes.length * 0.4);
  bytes[at] = bytes[at]! ^ 0x5a;
  const text = await look("flipped", bytes);
  assert.match(text, /Damage[^]*checksum/);
});
