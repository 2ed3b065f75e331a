// The history of a pixel, from a click in a picture, against what `reprise pixel` prints.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { ask, lastDraw, open, settled, violations, visit } from "./page.ts";
import { browser, folder, golden, program, run, serve, type Server } from "./server.ts";

interface Told {
  resource: number;
  events: { call: number; method: string; changed: boolean | null; after: { values: number[] } | null; tests?: { outcome?: string; fragments?: number; passed?: number } }[];
}

let chromium: Browser;
let server: Server;
before(async () => {
  chromium = await browser();
  server = await serve(golden("gears"));
});
after(async () => {
  server.end();
  await chromium.close();
});

/** A texel of the picture, which is in the middle of its surface, a pixel for each. */
const [X, Y] = [150, 150];

test("a click in a picture tells the pixel's history, as the command does", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  const draw = await lastDraw(page, 0, 2);
  await visit(page, `calls?call=${draw}&tab=targets`);
  await page.getByRole("application", { name: /^Picture/ }).focus();
  await page.keyboard.press("1");
  const box = (await page.locator(".surface canvas").boundingBox())!;
  const size = 300;
  await page.mouse.click(Math.round(box.x + Math.round((box.width - size) / 2) + X) + 0.5, Math.round(box.y + Math.round((box.height - size) / 2) + Y) + 0.5);
  await page.waitForFunction(() => location.hash.includes("pixel="));
  await settled(page);
  const at = /pixel=(\d+)%2C(\d+)/.exec(page.url())!;
  assert.ok(Math.abs(Number(at[1]) - X) <= 1 && Math.abs(Number(at[2]) - Y) <= 1, page.url());
  const history = page.getByRole("region", { name: "Calls that may write the pixel" });
  await history.waitFor({ timeout: 120_000 });
  const told = JSON.parse(run("reprise", ["pixel", golden("gears"), "--frame", "2", "--at", `${at[1]},${at[2]}`, "--json"])) as Told;
  const lines = async () => history.locator("tbody tr:not(.faint):not(.fragment)").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? "").trim())));
  // Draws that do not come to the pixel are one line until they are asked for.
  const near = told.events.filter((event) => event.changed === true || !["not_covered", "viewport"].includes(event.tests?.outcome ?? ""));
  assert.ok(near.length >= 2 && near.length < told.events.length);
  assert.deepEqual((await lines()).map((cells) => [Number(cells[0]), cells[1]]), near.map((event) => [event.call, event.method]));
  const written = (await lines()).filter((cells) => cells[3] === "written").map((cells) => Number(cells[0]));
  assert.deepEqual(written, near.filter((event) => event.tests?.outcome === "written" || (event.tests === undefined && event.changed === true)).map((event) => event.call));
  await page.getByLabel(/draws that do not come to it/).check();
  assert.equal((await lines()).length, told.events.length);
  // The last value has its colour beside it, and it is the picture's.
  const swatch = await page.locator(".squares .swatch").last().evaluate((element) => getComputedStyle(element).backgroundColor);
  const last = near.filter((event) => event.after).at(-1)!.after!.values.slice(0, 3).map((value) => Math.round(value * 255));
  assert.equal(swatch, `rgb(${last.join(", ")})`);
  assert.match(await page.locator(".export code").innerText(), new RegExp(`^reprise pixel .*gears\\.reprise --frame 2 --at ${at[1]},${at[2]} --target ${told.resource}$`));
  assert.deepEqual(await violations(page), []);
  // A link to each call; the picture stays where it is.
  await history.getByRole("link", { name: String(near[0]!.call), exact: true }).first().click();
  await page.waitForFunction((call) => location.hash.includes(`call=${call}`), near[0]!.call);
  await page.goBack();
  await settled(page);
  // By keys, too: another texel, and no history.
  await page.getByRole("application", { name: /^Picture/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction((before) => !location.hash.includes(before), `pixel=${at[1]}%2C${at[2]}`);
  await page.locator(".history").getByRole("button", { name: "Close" }).click();
  await page.waitForFunction(() => !location.hash.includes("pixel="));
  assert.equal(await page.locator(".history").count(), 0);
  await close();
});

test("a link that names a pixel outside of the picture says so", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  const draw = await lastDraw(page, 0, 2);
  await visit(page, `calls?call=${draw}&tab=targets&pixel=5000,5000`);
  await page.locator(".history [role=alert]").waitFor();
  await visit(page, `calls?call=${draw}&tab=targets&pixel=<img src=x>`);
  assert.equal(await page.locator(".history").count(), 0);
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  await close();
});

/** What becomes of the draws of the test program `pixels`, each in a cell of four by four pixels, as the page says it. */
const OUTCOMES: readonly (readonly [draw: number, column: number, outcome: string])[] = [
  [0, 1, "written"], [1, 1, "scissor"], [2, 1, "culled"], [5, 1, "sample mask"], [6, 2, "discarded by the shader"], [7, 1, "stencil test"], [8, 1, "depth test"], [9, 1, "write mask"],
  [10, 1, "same value"], [12, 1, "left out by the predicate"], [13, 1, "written"],
];

test("each reason of a lost fragment is said in words", async () => {
  const trace = join(folder, "pixels.reprise");
  run("reprise", ["capture", "-o", trace, "--", program("reprise-programs"), "pixels"]);
  const one = await serve(trace);
  const { page, close } = await open(chromium, one.url);
  await settled(page);
  const { items } = await ask<{ items: { id: string; kind: string }[] }>(page, "api/0/tree?node=frame:1&first=0&count=100");
  const lists = await ask<{ items: { id: string }[] }>(page, `api/0/tree?node=${items.find((node) => node.kind === "submission")!.id}&first=0&count=1`);
  const below = await ask<{ items: { kind: string; call: number }[] }>(page, `api/0/tree?node=${lists.items[0]!.id}&first=0&count=100`);
  const draws = below.items.filter((node) => node.kind === "draw").map((node) => node.call);
  assert.equal(draws.length, 15);
  const history = page.getByRole("region", { name: "Calls that may write the pixel" });
  for (const [draw, column, outcome] of OUTCOMES) {
    await visit(page, `calls?call=${draws[draw]}&tab=targets&pixel=${4 * draw + column},1`);
    await history.waitFor();
    const row = page.locator(".history tr.chosen");
    const cells = (await row.locator("td").allInnerTexts()).map((text) => text.trim());
    assert.deepEqual([cells[0], cells[3]], [String(draws[draw]), outcome], `draw ${draw}`);
    if (draw === 13) {
      const fragments = await page.locator(".history tr.fragment").allInnerTexts();
      assert.deepEqual(fragments.map((text) => /instance (\d)/.exec(text)?.[1]), ["0", "1", "2"]);
      assert.match(fragments[0]!, /depth 0\.25.*gives\s+\(14, 14, 14, 14\)/s);
    }
  }
  assert.deepEqual(await violations(page), []);
  await close();
  one.end();
});
