// Two traces: differences call by call, and pictures with a slider and a difference, against what `reprise` says and writes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { decoded, lastDraw, open, settled, shown, visit } from "./page.ts";
import { browser, folder, golden, late, run, serve, type Server } from "./server.ts";

let chromium: Browser;
let server: Server;
before(async () => {
  chromium = await browser();
  run("reprise", ["replay", "--screenshots", "1-2", "--screenshot-dir", join(folder, "shots"), golden("gears")]);
  server = await serve(golden("gears"), "--compare", late());
});
after(async () => {
  server.end();
  await chromium.close();
});

const SIZE = 300;
const TEXELS = SIZE * SIZE;

/** Frame 1 of each: of the second trace it is the first trace's frame 2. */
function shots(): [Buffer, Buffer] {
  return [readFileSync(join(folder, "shots/frame_000001.png")), readFileSync(join(folder, "shots/frame_000002.png"))];
}

test("the first difference comes first, and is what diff says", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/compare");
  await settled(page);
  // It ends with 1: the traces differ.
  const said = JSON.parse(run("reprise", ["diff", "--json", golden("gears"), late()], 1).split("\n")[0] ?? "") as { difference: string; a: { call: number; method: string } | null; b: { call: number } | null };
  const selected = page.locator('[role=grid][aria-label="Differences"] [aria-selected="true"]');
  assert.equal(await selected.getAttribute("aria-rowindex"), "2");
  const cells = await selected.locator(".cell").allInnerTexts();
  assert.deepEqual([cells[0], cells[1], cells[2]], [said.difference, String(said.a?.call ?? ""), String(said.b?.call ?? "")]);
  assert.match((await page.locator(".sides").innerText()).replaceAll(/\s+/g, " "), new RegExp(`A .*${said.a?.method ?? "no such call"}`));
  assert.match(await page.locator("main").innerText(), /Frame 1 is the first that differs/);
  await close();
});

test("the difference of two pictures counts the texels that differ", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/compare?tab=pictures&frame=1&pictures=difference");
  await settled(page);
  const [a, b] = [await decoded(page, shots()[0]), await decoded(page, shots()[1])];
  let different = 0;
  for (let at = 0; at < TEXELS; at += 1) if ([0, 1, 2, 3].some((channel) => a.bytes[at * 4 + channel] !== b.bytes[at * 4 + channel])) different += 1;
  assert.ok(different > 1000, "the frames differ");
  const text = await page.locator(".toolbar [role=status]").last().innerText();
  assert.equal(Number(/^(.*) of/.exec(text)?.[1]?.replaceAll(/\D/g, "")), different, text);
  await close();
});

test("the slider shows A on its left and B on its right", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/compare?tab=pictures&frame=1&pictures=slider");
  await settled(page);
  const [a, b] = [await decoded(page, shots()[0]), await decoded(page, shots()[1])];
  const slider = page.getByRole("slider");
  await slider.focus();
  for (const [key, expected] of [["End", a], ["Home", b]] as const) {
    await page.keyboard.press(key);
    const pixels = await shown(page, ".surface canvas", SIZE, SIZE);
    // The slider's own line stands at an edge of the picture.
    const inner = (at: number) => (at >> 2) % SIZE >= 8 && (at >> 2) % SIZE < SIZE - 8;
    const wrong = pixels.filter((value, at) => at % 4 < 3 && inner(at) && value !== expected.bytes[at]).length;
    assert.equal(wrong, 0, `${key} shows ${key === "End" ? "A" : "B"} alone`);
  }
  await close();
});

test("the targets of the same draw of both traces are pictures side by side", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/compare?tab=targets&call=101");
  await settled(page);
  assert.match(await page.locator("main").innerText(), /Call 101 of A, \d+ of B/);
  assert.match(await page.locator(".toolbar [role=status]").last().innerText(), /texels differ/);
  // The last draws of frame 1 and of frame 2: what they leave is what the frames show.
  await visit(page, `compare?tab=targets&call=${await lastDraw(page, 0, 1)}&b=${await lastDraw(page, 1, 1)}&pictures=sides`);
  const expected = [await decoded(page, shots()[0]), await decoded(page, shots()[1])];
  for (const side of [0, 1]) {
    const box = page.locator(".picture").nth(side);
    await box.getByRole("application").focus();
    await page.keyboard.press("1");
    const pixels = await shown(page, `.picture >> nth=${side} >> .surface canvas`, SIZE, SIZE);
    const wrong = pixels.filter((value, at) => at % 4 < 3 && value !== expected[side]?.bytes[at]).length;
    assert.equal(wrong, 0, `side ${"AB"[side]}`);
  }
  await close();
});
