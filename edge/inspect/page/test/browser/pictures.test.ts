// Pictures of the page against the files that `reprise replay --screenshots` writes, texel by texel.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { decoded, lastDraw, open, settled, shown, visit } from "./page.ts";
import { browser, folder, golden, run, serve, type Server } from "./server.ts";

let chromium: Browser;
let server: Server;
before(async () => {
  chromium = await browser();
  run("reprise", ["replay", "--screenshots", "1-3", "--screenshot-dir", join(folder, "shots"), golden("gears")]);
  server = await serve(golden("gears"));
});
after(async () => {
  server.end();
  await chromium.close();
});

const shot = (frame: number) => readFileSync(join(folder, `shots/frame_00000${frame}.png`));

test("the target after the last draw of each frame is the frame's screenshot", async () => {
  const { page, close } = await open(chromium, server.url);
  for (const frame of [1, 2, 3]) {
    await visit(page, `calls?call=${await lastDraw(page, 0, frame)}&tab=targets`);
    await page.getByRole("application").focus();
    // 1: a texel is a pixel.
    await page.keyboard.press("1");
    const expected = await decoded(page, shot(frame));
    const pixels = await shown(page, ".surface canvas", expected.width, expected.height);
    assert.ok(new Set(pixels).size > 20, "something is drawn");
    const wrong = pixels.filter((value, at) => at % 4 < 3 && value !== expected.bytes[at]).length;
    assert.equal(wrong, 0, `frame ${frame}`);
  }
  await close();
});

test("the picture of a frame is its screenshot, made smaller", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/frames?frame=2");
  await settled(page);
  await page.locator("img.large").waitFor();
  const file = await page.locator("img.large").getAttribute("src");
  const own = Buffer.from(await page.evaluate(async (from) => [...new Uint8Array(await (await fetch(from!)).arrayBuffer())], file));
  const [small, whole] = [await decoded(page, own), await decoded(page, shot(2))];
  assert.equal(small.width, 256);
  // The mean of each quarter is the same but for the filter's rounding.
  const mean = (picture: typeof whole, quarter: number) => {
    const [half, sum] = [picture.width / 2, [0, 0, 0]];
    for (let y = 0; y < half; y += 1) {
      for (let x = 0; x < half; x += 1) {
        const at = ((y + (quarter & 1) * half) * picture.width + x + (quarter >> 1) * half) * 4;
        for (let channel = 0; channel < 3; channel += 1) sum[channel]! += picture.bytes[at + channel]!;
      }
    }
    return sum.map((value) => value / half / half);
  };
  for (let quarter = 0; quarter < 4; quarter += 1) {
    mean(small, quarter).forEach((value, channel) => assert.ok(Math.abs(value - mean(whole, quarter)[channel]!) < 2, `quarter ${quarter}`));
  }
  await close();
});
