// A dispatch of rays on the page: from a pixel that it wrote to the thread, its rays, and the scene with them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { decoded, open, settled, violations, visit } from "./page.ts";
import { browser, folder, program, run, serve, type Server } from "./server.ts";

interface Record {
  rays: { origin: number[]; hit: { kind: string; primitive: number; distance: number } | null; shader: string }[];
  steps: { step: number; shader: string }[];
}

let chromium: Browser;
let server: Server;
let trace: string;
/** The dispatches: one with a thread for each texel, and one of another size. */
let calls: number[];
before(async () => {
  chromium = await browser();
  trace = join(folder, "rays.reprise");
  run("reprise", ["capture", "-q", "-o", trace, "--", program("reprise-programs"), "--shaders", "dxil", "rays-texture"]);
  const said = run("reprise", ["dump", "--json", "--methods", "DispatchRays", trace]).trim().split("\n");
  calls = said.map((line) => (JSON.parse(line) as { call: number }).call);
  server = await serve(trace);
});
after(async () => {
  server.end();
  await chromium.close();
});

const recordOf = (call: number, thread: string): Record => JSON.parse(run("reprise", ["debug", "--json", trace, String(call), "--thread", thread])) as Record;

/** Runs a thread by the form, and waits for its comparison. */
async function step(page: Page, thread: readonly number[]): Promise<void> {
  for (const [index, name] of ["Thread x", "Thread y", "Thread z"].entries()) await page.getByLabel(name).fill(String(thread[index]));
  await page.getByRole("button", { name: "Debug", exact: true }).click();
  await page.waitForFunction((end) => location.hash.includes(`thread.${end}`), thread.join("."));
  await page.getByRole("group", { name: "Comparison with the GPU" }).waitFor({ timeout: 120_000 });
}

test("a thread of a dispatch of rays is stepped through, with its rays and the scene", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, `calls?call=${calls[0]}&tab=debug`);
  await step(page, [3, 1, 0]);
  assert.match(await page.getByRole("group", { name: "Comparison with the GPU" }).innerText(), /^equal: [^]*raygeneration shader\s+shoot\s*, thread 3, 1, 0/);
  const rays = page.getByRole("region", { name: "Rays and what they hit" });
  const said = recordOf(calls[0]!, "3,1,0");
  assert.equal(await rays.locator("tbody tr").count(), said.rays.length);
  const row = await rays.locator("tbody tr").first().innerText();
  assert.match(row, /\(3\.5, 1\.5, -1\).*\(0, 0, 1\).*0 to 10.*triangle 0 of geometry 0 of instance 0 at 1\thit 0\tsquare/);
  // Steps say whose they are: those of the closest hit lie within the ray generation's.
  const list = page.getByRole("grid", { name: "Steps of the shader" });
  assert.match(await list.innerText(), /shoot[^]*ground/);
  assert.deepEqual(new Set(said.steps.map((one) => one.shader)), new Set(["shoot", "ground"]));
  // The scene is what the command draws.
  await page.getByRole("button", { name: "Scene with it" }).click();
  const picture = page.locator(".scene img");
  await picture.waitFor({ timeout: 120_000 });
  assert.match(await page.locator(".scene figcaption").innerText(), /^1 instance, 2 triangles, 0 boxes, 1 ray\./);
  const draw = (thread: string) => {
    run("reprise", ["scene", "--json", trace, String(calls[0]), "--thread", thread, "-o", `${trace}.png`]);
    return `${trace}.png`;
  };
  const seen = await decoded(page, Buffer.from(await page.evaluate(async (from) => [...new Uint8Array(await (await fetch(from)).arrayBuffer())], (await picture.getAttribute("src"))!)));
  const same = await decoded(page, readFileSync(draw("3,1,0")));
  assert.deepEqual([seen.width, seen.height], [800, 600]);
  assert.deepEqual(seen.bytes, same.bytes);
  // The control: another thread's ray is another picture, and hits nothing.
  assert.notDeepEqual(seen.bytes, (await decoded(page, readFileSync(draw("5,1,0")))).bytes);
  assert.deepEqual(await violations(page), []);
  await step(page, [5, 1, 0]);
  assert.match(await rays.locator("tbody tr").first().innerText(), /nothing.*miss 0.*sky/s);
  await close();
});

test("a pixel that rays wrote leads to the thread of its place, and where there is none to the form", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  // The texture's contents at the last dispatch, and the pixel that both dispatches write.
  const history = JSON.parse(run("reprise", ["pixel", "--json", "--frame", "2", "--at", "5,1", trace])) as { resource: number };
  await visit(page, `resources?object=${history.resource}&call=${calls[1]}&tab=contents&pixel=5%2C1`);
  const table = page.getByRole("region", { name: "Calls that may write the pixel" });
  await table.waitFor({ timeout: 120_000 });
  const lines = table.locator("tr.fragment");
  assert.match(await lines.nth(0).innerText(), /the texel of its index: thread 5, 1, 0/);
  assert.match(await lines.nth(1).innerText(), /its 2 × 2 × 1 threads are not the texels one by one/);
  assert.equal(await lines.nth(1).getByRole("link", { name: "Debug" }).count(), 0);
  assert.deepEqual(await violations(page), []);
  await lines.nth(0).getByRole("link", { name: "Debug" }).click();
  await page.getByRole("group", { name: "Comparison with the GPU" }).waitFor({ timeout: 120_000 });
  assert.match(await page.locator(".export code").innerText(), new RegExp(`^reprise debug .*rays\\.reprise ${calls[0]} --thread 5,1,0 --submission \\d+$`));
  // Its last steps write the pixel.
  await page.getByRole("button", { name: "Last", exact: true }).click();
  assert.match(await page.getByRole("region", { name: "Values" }).innerText(), /\[5, 1\]/);
  await close();
});

test("a dispatch of rays has the shaders of its state object, each with its code", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, `calls?call=${calls[0]}&tab=pipeline`);
  const stages = page.getByRole("tablist", { name: "Stages" });
  await stages.getByRole("tab", { name: "HIT" }).waitFor();
  assert.deepEqual(await stages.getByRole("tab").allInnerTexts(), ["RAYGEN", "MISS", "HIT", "DXILLibrary", "Root"]);
  const table = page.getByRole("region", { name: "Exports and their shaders" });
  const code = page.getByRole("region", { name: "Code" }).first();
  for (const [tab, row, entry] of [["RAYGEN", /^shoot\tray generation\tshoot\t/, "@?shoot@@"], ["MISS", /^sky\tmiss\tsky\t/, "@?sky@@"], ["HIT", /^square\tclosest-hit\tground\t/, "@?ground@@"]] as const) {
    await stages.getByRole("tab", { name: tab }).click();
    assert.match(await table.locator("tbody tr").first().innerText(), row);
    await page.waitForFunction((text) => document.querySelector("pre.code")?.textContent?.includes(text), entry);
    // The function alone, and none of the others.
    assert.equal((await code.innerText()).match(/^define /gm)?.length, 1, tab);
  }
  assert.deepEqual(await violations(page), []);
  // The library has all of them.
  await stages.getByRole("tab", { name: "DXILLibrary" }).click();
  await page.waitForFunction(() => (document.querySelector("pre.code")?.textContent?.match(/^define /gm)?.length ?? 0) === 3);
  await close();
});
