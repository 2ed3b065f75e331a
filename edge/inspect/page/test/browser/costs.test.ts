// What was measured, on the page: columns, tracks, the strip, boxes by markers, two runs, pipelines. Files of times with figures that stand here.

import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { ask, open, REPLAY_MS, settled, shown, violations, visit } from "./page.ts";
import { browser, folder, golden, serve, type Server } from "./server.ts";
import { writeTimes, type Timed } from "./times.ts";

/** A hundred thousand operations, as a frame of a large game has. */
const MANY = 100_000;
/** How long the page may be busy with them at a time, in milliseconds: here a machine of two cores, which others use, too. */
const BUSY_MS = 6000;

let chromium: Browser;
let server: Server;
const trace = join(folder, "timed.reprise");
const ids: { submission: number; list: number; queue: number; draws: number[] } = { submission: 0, list: 0, queue: 0, draws: [] };

/** The gears' first frame: each draw takes so many microseconds in three replays, and draws for so many pixels. */
function operations(scale: (index: number) => number = () => 1): Timed[] {
  return ids.draws.map((call, index) => {
    const ns = [4, 1, 8, 2, 16, 1][index % 6]! * 1000 * scale(index);
    return {
      call, ns: [ns * 0.999, ns, ns * 1.001], submission: ids.submission, list: ids.list, queue: ids.queue, pipeline: 13 + (index % 2), pixels: index === 0 ? 4000 : 100,
      markers: index < 2 ? ["world", "sky"] : index < 4 ? ["world"] : [],
    };
  });
}

before(async () => {
  chromium = await browser();
  copyFileSync(golden("gears"), trace);
  const bare = await serve(trace);
  const { page, close } = await open(chromium, bare.url);
  await settled(page);
  interface Nodes { items: { id: string; kind: string; call: number; object?: { id: number }; queue?: { id: number } }[] }
  const below = async (node: string) => (await ask<Nodes>(page, `api/0/tree?node=${node}&first=0&count=100`)).items;
  const submission = (await below("frame:1")).find((node) => node.kind === "submission")!;
  const list = (await below(submission.id))[0]!;
  ids.submission = submission.call;
  ids.queue = submission.queue!.id;
  ids.list = list.object!.id;
  ids.draws = (await below(list.id)).filter((node) => node.kind === "draw").map((node) => node.call);
  assert.equal(ids.draws.length, 6);
  // Without a file of times there is nothing of it on the page.
  assert.equal(await page.locator("nav a", { hasText: "Costs" }).count(), 0);
  await visit(page, `calls?call=${ids.draws[0]}`);
  assert.equal(await page.getByText("GPU time").count(), 0);
  assert.equal(await page.locator(".heat").count(), 0);
  await visit(page, "costs");
  assert.match(await page.locator("main").innerText(), /Nothing was measured of this trace yet/);
  await close();
  bare.end();
  writeTimes(`${trace}.times`, trace, operations());
  server = await serve(trace);
});
after(async () => {
  server.end();
  await chromium.close();
});

/** Texts of the cells of each row that is shown of a list. */
async function rows(page: Page, name: string): Promise<string[][]> {
  return page.getByRole("grid", { name }).or(page.getByRole("treegrid", { name })).locator(".window [role=row]").evaluateAll((list) => list.map((row) => [...row.querySelectorAll("[role=gridcell]")].map((cell) => (cell.textContent ?? "").trim())));
}

/** The rows once they have come; where they do not, those that there are, for the test to name. */
async function come(page: Page, name: string, have: (list: string[][]) => boolean): Promise<string[][]> {
  const until = Date.now() + REPLAY_MS;
  for (;;) {
    const list = await rows(page, name);
    if (have(list) || Date.now() > until) return list;
    await page.waitForTimeout(50);
  }
}

const status = (page: Page, within: string) => page.locator(`${within} [role=status]`).first().innerText();

/** The middle of a canvas's part that begins and ends at these shares of it. */
async function point(page: Page, selector: string, share: number, y?: number): Promise<[number, number]> {
  const box = (await page.locator(selector).boundingBox())!;
  // The strip and the boxes have margins of 8 pixels.
  return [box.x + 8 + (box.width - 16) * share, box.y + (y ?? box.height / 2)];
}

/** The sum of the draws' times, and where a draw begins and ends on an axis of it. */
function axis(): { total: number; begin: number[] } {
  const all = operations().map((one) => one.ns[1]!);
  const begin = all.map((_, index) => all.slice(0, index).reduce((sum, ns) => sum + ns, 0));
  return { total: all.reduce((sum, ns) => sum + ns, 0), begin };
}

function micros(ns: number): string {
  return ns < 1e6 ? `${(ns / 1e3).toFixed(2)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
}

test("frames, the tree and the timeline have times of the GPU", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/frames");
  await settled(page);
  const { total } = axis();
  const frames = await rows(page, "Frames");
  assert.deepEqual(frames.map((cells) => cells[3]), [micros(total), "", ""]);
  // The track of the GPU is the lane behind the queue's.
  const lanes = page.getByRole("application", { name: /^Timeline/ });
  await lanes.focus();
  const said: string[] = [];
  for (let lane = 0; lane < 8; lane += 1) {
    await page.keyboard.press("ArrowDown");
    said.push(await status(page, ".timeline"));
  }
  assert.ok(said.some((text) => /^GPU CommandQueue #\d+: DrawIndexedInstanced, call \d+, at .*, 4\.00 µs long$/.test(text)), said.join("\n"));
  await visit(page, `calls?call=${ids.draws[2]}`);
  const rowOf = (list: string[][], call: number) => list.find((row) => row[0] === String(call) && row[1]?.includes("Draw"));
  // A row may come before its time does.
  const cells = await come(page, "Tree of calls", (list) => ids.draws.every((call) => rowOf(list, call)?.[2]));
  const of = (call: number) => rowOf(cells, call);
  assert.deepEqual(ids.draws.map((call) => of(call)?.[2]), ["4.00 µs", "1.00 µs", "8.00 µs", "2.00 µs", "16.00 µs", "1.00 µs"]);
  assert.deepEqual(await violations(page), []);
  await close();
});

test("the strip's cells are as wide as their times, and a click goes to the draw", async () => {
  const { page, close } = await open(chromium, server.url, `#v1/calls?call=${ids.draws[0]}`);
  await settled(page);
  const { total, begin } = axis();
  assert.match(await status(page, ".heat"), new RegExp(`^${ids.draws[0]} DrawIndexedInstanced: 4\\.00 µs, .* %, 4,000 pixels, 1\\.00 ns each$`));
  // The hottest cell has the hottest colour, the coldest the coldest.
  const colours = (shares: number[]) => page.locator(".heat canvas").evaluate((element, list) => {
    const canvas = element as HTMLCanvasElement;
    const pen = canvas.getContext("2d")!;
    return list.map((share) => [...pen.getImageData(Math.round(8 + (canvas.width - 16) * share), Math.round(canvas.height / 2), 1, 1).data].slice(0, 3).join());
  }, shares);
  const middle = (index: number) => (begin[index]! + operations()[index]!.ns[1]! / 2) / total;
  assert.deepEqual(await colours([middle(4), middle(1), middle(5)]), ["192,24,29", "188,211,238", "188,211,238"]);
  await page.mouse.click(...(await point(page, ".heat canvas", middle(4))));
  await page.waitForFunction((call) => location.hash.includes(`call=${call}`), ids.draws[4]);
  await settled(page);
  assert.match(await page.getByRole("heading", { level: 2 }).first().innerText(), new RegExp(`${ids.draws[4]} .*DrawIndexedInstanced`));
  // By keys, in order of their cost: the next one behind the longest is the second longest.
  await page.getByLabel("Order of the cells").selectOption("cost");
  await page.getByRole("application", { name: /^Operations by their cost/ }).focus();
  await page.keyboard.press("Home");
  assert.match(await status(page, ".heat"), / 16\.00 µs, /);
  await page.keyboard.press("End");
  assert.match(await status(page, ".heat"), / 1\.00 µs, /);
  // By time for each pixel the draw of many pixels is the coldest, though it is no short one.
  await page.getByLabel("Order of the cells").selectOption("call");
  await page.getByLabel("Width of the cells").selectOption("equal");
  await page.getByLabel("Colour of the cells").selectOption("pixel");
  const count = ids.draws.length;
  const [first, hot] = await colours([0.5 / count, 4.5 / count]);
  assert.deepEqual([first, hot], ["188,211,238", "192,24,29"]);
  await close();
});

test("a target's texels are as hot as what changed them", async () => {
  const { page, close } = await open(chromium, server.url, `#v1/calls?call=${ids.draws[5]}&tab=targets`);
  await settled(page);
  await page.getByRole("button", { name: "Heat", exact: true }).click();
  await settled(page);
  await page.getByText(`${ids.draws.length} operations; `).waitFor();
  interface Heat { result: { width: number; height: number; changed: { call: number; texels: number; gpu_ns: number }[]; values: { file: string } } }
  const state = await page.evaluate(() => (document.querySelector(".export code")?.textContent ?? ""));
  assert.match(state, /^reprise time --frames 1 /);
  // The server's figures, and what the canvas shows of them.
  const job = await page.evaluate(async (question) => {
    const response = await fetch("api/0/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    return response.json() as Promise<unknown>;
  }, { kind: "heat", frame: 1, resource: 3, mip: 0, slice: 0, plane: 0, sample: 0 }) as Heat;
  const { width, height, changed, values } = job.result;
  assert.ok(changed.length >= 3);
  const heat = await page.evaluate(async (file) => [...new Float32Array(await (await fetch(file)).arrayBuffer())], values.file);
  const expected = changed.map((one) => one.gpu_ns / one.texels);
  const hottest = Math.max(...heat);
  assert.ok(hottest >= Math.max(...expected) * 0.999);
  await page.getByRole("application", { name: /^Picture/ }).focus();
  await page.keyboard.press("1");
  const pixels = await shown(page, ".surface canvas", width, height);
  const colour = (index: number) => pixels.slice(index * 4, index * 4 + 3).join();
  assert.equal(colour(heat.indexOf(hottest)), "192,24,29");
  const least = Math.min(...heat.filter((ns) => ns > 0));
  assert.equal(colour(heat.indexOf(least)), "188,211,238");
  // What nothing changed is not there: the ground is seen.
  assert.ok(["233,235,238", "220,223,228"].includes(colour(heat.indexOf(0))), colour(heat.indexOf(0)));
  const at = heat.indexOf(hottest);
  const box = (await page.locator(".surface canvas").boundingBox())!;
  await page.mouse.move(Math.round(box.x) + Math.round((box.width - width) / 2) + (at % width) + 0.5, Math.round(box.y) + Math.round((box.height - height) / 2) + Math.floor(at / width) + 0.5);
  assert.match(await page.locator(".readout").innerText(), new RegExp(`^x ${at % width}, y ${Math.floor(at / width)}: ${hottest < 1000 ? hottest.toFixed(2).replace(".", "\\.") : ""}`));
  assert.deepEqual(await violations(page), []);
  await close();
});

test("costs are listed, of a pipeline, too", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/costs");
  await settled(page);
  const listed = await rows(page, "Operations by cost");
  const times = listed.map((cells) => parseFloat(cells[1]!));
  assert.deepEqual(times, [...times].sort((a, b) => b - a));
  assert.equal(times[0], 16);
  assert.deepEqual(await violations(page), []);
  await visit(page, "costs?pipeline=14");
  assert.ok((await rows(page, "Operations by cost")).every((cells) => /^[12]\.00 µs$/.test(cells[1]!)));
  await page.getByRole("button", { name: /only pipeline #14/ }).click();
  await settled(page);
  assert.equal((await rows(page, "Operations by cost")).length, ids.draws.length);
  await close();
});

test("boxes by markers are zoomed into by clicks and keys, and lead to the call", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/costs?mode=flame");
  await settled(page);
  const { total } = axis();
  const row = (depth: number) => 2 + depth * 21 + 10;
  const flame = ".flame canvas";
  const hover = async (share: number, depth: number) => {
    await page.mouse.move(...(await point(page, flame, share, row(depth))));
    return status(page, ".stack .stack");
  };
  const share = (ns: number) => ns / total;
  assert.match(await hover(0.5, 0), new RegExp(`^frame 1: 32\\.00 µs, 100\\.0 %, ${ids.draws.length} operations$`));
  assert.match(await hover(share(6000), 1), new RegExp(`^world: 15\\.00 µs, ${((15000 / total) * 100).toFixed(1)} %, 4 operations$`));
  assert.match(await hover(share(3000), 2), /^sky: 5\.00 µs, .*, 2 operations$/);
  assert.match(await hover(share(1000), 3), /^DrawIndexedInstanced, #13: 4\.00 µs/);
  assert.deepEqual(await violations(page), []);
  // A click on a marker shows it alone.
  await page.mouse.click(...(await point(page, flame, share(3000), row(1))));
  await settled(page);
  assert.match(page.url(), /zoom=0-15000/);
  assert.deepEqual(await page.locator(".crumb").allInnerTexts(), ["frame 1", "world"]);
  assert.match(await hover(0.5, 2), /^DrawIndexedInstanced, #13: 8\.00 µs/);
  // Back by a key, by the browser, and to the call by a double click.
  await page.getByRole("application", { name: /^Frames, markers/ }).focus();
  await page.keyboard.press("Backspace");
  await settled(page);
  assert.doesNotMatch(page.url(), /zoom=/);
  await page.goBack();
  await settled(page);
  assert.match(page.url(), /zoom=0-15000/);
  await page.keyboard.press("f");
  await settled(page);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  await page.mouse.move(2, 2);
  assert.match(await status(page, ".stack .stack"), /^DrawIndexedInstanced, #14: 1\.00 µs/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(page.url(), /zoom=0-5000/);
  await page.mouse.dblclick(...(await point(page, flame, 0.2, row(3))));
  await page.waitForFunction((call) => location.hash.startsWith("#v1/calls") && location.hash.includes(`call=${call}`), ids.draws[0]);
  // By cost, what is equal is one box.
  await visit(page, "costs?mode=flame&sort=cost");
  assert.match(await hover(share(1000), 1), /^DrawIndexedInstanced, #13: 16\.00 µs/);
  assert.match(await hover(share(17000), 1), /^world: 15\.00 µs/);
  await close();
});

test("a pipeline's times and counts stand beside its shaders", async () => {
  const { page, close } = await open(chromium, server.url, `#v1/calls?call=${ids.draws[1]}&tab=pipeline`);
  await settled(page);
  const odd = operations().filter((_, index) => index % 2 === 1);
  const sum = odd.reduce((all, one) => all + one.ns[1]!, 0);
  const expected = new RegExp(`${micros(sum).replace(".", "\\.")} on the GPU, .* %\\s+${odd.length} operations\\s+pixel invocations ${odd.length * 100}`);
  const said = await page.getByRole("group", { name: "What pipeline 14 cost" }).innerText();
  assert.match(said.replaceAll(/\s+/g, " "), expected);
  await visit(page, "objects?object=14");
  assert.match((await page.getByRole("group", { name: "What pipeline 14 cost" }).innerText()).replaceAll(/\s+/g, " "), expected);
  await page.getByRole("group", { name: "What pipeline 14 cost" }).getByRole("link").click();
  await settled(page);
  assert.equal((await rows(page, "Operations by cost")).length, odd.length);
  const { items } = await ask<{ items: { hash: string }[] }>(page, "api/0/shaders?first=0&count=1");
  await visit(page, `shaders?hash=${items[0]!.hash}`);
  assert.ok((await page.getByRole("group", { name: /^What pipeline \d+ cost/ }).count()) >= 1);
  await close();
});

test("counters of the driver stand beside the others, and work that was left out is named in every view", async () => {
  const file = join(folder, "driver.times");
  const counters = [
    { name: "Waves", category: "Work", about: "Waves that began", unit: "count", adds: true },
    { name: "Busy <b>half", category: "Work", about: "<img src=x onerror=globalThis.owned=1>", unit: "%", adds: false },
  ];
  const all = operations().map((one, index) => ({ ...one, driver: { Waves: 1000 + index, "Busy <b>half": 12.5 } }));
  writeTimes(file, trace, all, { counters, left_out: "3 draws are left out, because <b>of a test" });
  const one = await serve("--times", file, trace);
  const { page, close } = await open(chromium, one.url, "#v1/costs?sort=call");
  await settled(page);
  assert.deepEqual((await rows(page, "Operations by cost")).map((cells) => cells.slice(-2)), all.map((_, index) => [`1,00${index}`, "12.5"]));
  assert.match(await page.getByRole("alert").innerText(), /^driver\.times has times of less work, which are not faster: 3 draws are left out, because <b>of a test$/);
  await page.getByRole("grid", { name: "Operations by cost" }).focus();
  await page.keyboard.press("Home");
  assert.match((await page.getByRole("group", { name: "Operation" }).innerText()).replaceAll(/\s+/g, " "), /Work\/Waves 1,000 count Work\/Busy <b>half 12\.5 %/);
  assert.deepEqual(await violations(page), []);
  // Of a pipeline there is the sum of what has sums.
  await visit(page, `calls?call=${ids.draws[1]}&tab=pipeline`);
  const said = (await page.getByRole("group", { name: "What pipeline 14 cost" }).innerText()).replaceAll(/\s+/g, " ");
  assert.match(said, /Work\/Waves 3,009 Work\/Busy <b>half –$/);
  const badge = page.getByRole("link", { name: "times of less work" });
  assert.match((await badge.getAttribute("title")) ?? "", /3 draws are left out/);
  assert.equal(await page.evaluate(() => (globalThis as { owned?: number }).owned), undefined);
  await close();
  one.end();
  // The control: times of all the work have neither.
  const whole = await open(chromium, server.url, "#v1/costs");
  await settled(whole.page);
  assert.equal(await whole.page.getByRole("link", { name: "times of less work" }).count(), 0);
  assert.equal(await whole.page.getByRole("alert").count(), 0);
  await whole.close();
});

test("what was not counted is named above the costs, at the operation and at its pipeline", async () => {
  const file = join(folder, "uncounted.times");
  writeTimes(file, trace, operations(), { uncounted: { "because <b>of a test": [ids.draws[1]!, ids.draws[4]!] } });
  const one = await serve("--times", file, trace);
  const { page, close } = await open(chromium, one.url, "#v1/costs?sort=call");
  await settled(page);
  const above = page.locator("p.problem");
  assert.equal((await above.innerText()).replaceAll(/\s+/g, " ").trim(), `2 not counted: because <b>of a test (${ids.draws[1]}, ${ids.draws[4]})`);
  assert.match((await above.getByRole("link").first().getAttribute("href")) ?? "", new RegExp(`call=${ids.draws[1]}`));
  await page.getByRole("grid", { name: "Operations by cost" }).focus();
  await page.keyboard.press("Home");
  const operation = page.getByRole("group", { name: "Operation" });
  assert.doesNotMatch(await operation.innerText(), /Not counted/);
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((call) => document.querySelector("[aria-label=Operation]")?.textContent?.includes(String(call)), ids.draws[1]);
  assert.match((await operation.innerText()).replaceAll(/\s+/g, " "), /Not counted because <b>of a test/);
  assert.deepEqual(await violations(page), []);
  // Of the three draws of each pipeline one was not counted.
  await visit(page, `calls?call=${ids.draws[1]}&tab=pipeline`);
  assert.match((await page.getByRole("group", { name: "What pipeline 14 cost" }).innerText()).replaceAll(/\s+/g, " "), /3 operations 1 of them not counted/);
  await close();
  one.end();
});

test("two runs stand beside each other, the greatest difference first", async () => {
  const [a, b] = [join(folder, "a.times"), join(folder, "b <b>bold.times")];
  writeTimes(a, trace, operations());
  writeTimes(b, trace, operations((index) => (index === 3 ? 3 : index === 4 ? 0.5 : 1)), { runtime: "<img src=x onerror=globalThis.owned=1>" });
  const two = await serve("--times", a, "--times", b, trace);
  const { page, close } = await open(chromium, two.url, "#v1/costs?mode=against");
  await settled(page);
  const listed = await rows(page, "Two runs");
  assert.deepEqual(listed[0]!.slice(0, 6), [String(ids.draws[4]), "16.00 µs", "8.00 µs", "−8.00 µs", "−50.0 %", "shorter"]);
  assert.deepEqual(listed[1]!.slice(0, 6), [String(ids.draws[3]), "2.00 µs", "6.00 µs", "+4.00 µs", "+200.0 %", "longer"]);
  assert.deepEqual(listed.slice(2).map((cells) => cells[5]), listed.slice(2).map(() => ""));
  const said = (await page.locator("main").innerText()).replaceAll(/\s+/g, " ");
  assert.match(said, /b <b>bold\.times, <img src=x onerror=globalThis\.owned=1>/);
  assert.match(said, /of 6 rows 1 are surely longer in B and 1 shorter/);
  assert.equal(await page.evaluate(() => (globalThis as { owned?: number }).owned), undefined);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("grid", { name: "Two runs" }).focus();
  await page.keyboard.press("Home");
  assert.match((await page.getByRole("group", { name: "Row" }).innerText()).replaceAll(/\s+/g, " "), /A 16\.00 µs, of 15\.98 µs to 16\.02 µs B 8\.00 µs.*B takes surely shorter/);
  await page.getByLabel("Rows").selectOption("pipeline");
  await settled(page);
  assert.equal((await rows(page, "Two runs")).length, 2);
  await close();
  two.end();
  // A run beside itself differs in nothing.
  const same = await serve("--times", a, "--times", a, trace);
  const itself = await open(chromium, same.url, "#v1/costs?mode=against");
  await settled(itself.page);
  assert.ok((await rows(itself.page, "Two runs")).every((cells) => cells[3] === "+0 ns" && cells[5] === ""));
  assert.match((await itself.page.locator("main").innerText()).replaceAll(/\s+/g, " "), /\+0\.0 % in all, which may be chance/);
  await itself.close();
  same.end();
});

test("a file that is cut, and one of another trace, are named with what is wrong", async () => {
  for (const [name, spoil, expected] of [
    ["cut", (path: string) => writeFileSync(path, readFileSync(path, "utf8").slice(0, -15)), /line \d+/],
    ["other", (path: string) => void writeTimes(path, trace, operations(), { bytes: 1 }), /reprise time --save/],
  ] as const) {
    const own = join(folder, `${name}.reprise`);
    copyFileSync(golden("gears"), own);
    writeTimes(`${own}.times`, own, operations());
    spoil(`${own}.times`);
    const one = await serve(own);
    const { page, close } = await open(chromium, one.url, "#v1/costs");
    await settled(page);
    assert.match(await page.getByRole("alert").first().innerText(), expected, name);
    assert.equal(await page.locator("main [role=alert]").count(), 1, name);
    // The rest of the page goes on.
    await visit(page, `calls?call=${ids.draws[0]}`);
    assert.ok((await come(page, "Tree of calls", (list) => list.length > 3)).length > 3);
    await close();
    one.end();
  }
});

test("a hundred thousand operations of a frame do not stop the page", async () => {
  const own = join(folder, "many.reprise");
  copyFileSync(golden("gears"), own);
  const all: Timed[] = Array.from({ length: MANY }, (_, index) => ({
    call: 1000 + index, ns: [100 + (index % 977), 101 + (index % 977)], submission: ids.submission, list: ids.list, queue: ids.queue, pipeline: 13, pixels: 1 + (index % 50),
    markers: ["world", `part ${Math.floor(index / 100)}`],
  }));
  writeTimes(`${own}.times`, own, all);
  const one = await serve("--times", `${own}.times`, "--times", `${own}.times`, own);
  const { page, close } = await open(chromium, one.url);
  await settled(page);
  // How long the page was busy at a time: how late a timer comes.
  await page.evaluate(() => {
    const own = globalThis as unknown as { busy: number };
    own.busy = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      own.busy = Math.max(own.busy, now - last);
      last = now;
    }, 10);
  });
  const [took, busy]: [Record<string, number>, Record<string, number>] = [{}, {}];
  const measure = async (name: string, act: () => Promise<void>) => {
    const begun = Date.now();
    await act();
    await settled(page);
    // `settled` itself waits twice.
    took[name] = Date.now() - begun - 240;
    busy[name] = await page.evaluate(() => {
      const own = globalThis as unknown as { busy: number };
      const longest = own.busy;
      own.busy = 0;
      return Math.round(longest);
    });
  };
  await measure("list", () => visit(page, "costs"));
  await page.getByText(`${MANY.toLocaleString("en-US")} operations`).first().waitFor();
  await measure("strip by cost", async () => void (await page.getByLabel("Order of the cells").selectOption("cost")));
  const strip = page.getByRole("application", { name: /^Operations by their cost/ });
  await strip.focus();
  await measure("keys", async () => {
    for (let step = 0; step < 20; step += 1) await page.keyboard.press("ArrowRight");
  });
  await measure("end of the list", async () => {
    await page.getByRole("grid", { name: "Operations by cost" }).focus();
    await page.keyboard.press("End");
  });
  await measure("boxes", () => visit(page, "costs?mode=flame"));
  await measure("boxes by cost", () => visit(page, "costs?mode=flame&sort=cost"));
  // The server compares all of them first, which takes what the machine gives it: what is short is the page's own part.
  await measure("two runs", async () => {
    await visit(page, "costs?mode=against");
    await page.getByText(`of ${MANY.toLocaleString("en-US")} rows 0 are surely longer in B and 0 shorter`).waitFor({ timeout: REPLAY_MS });
    assert.ok((await come(page, "Two runs", (list) => list.length > 3)).every((cells) => cells[3] === "+0 ns" && cells[5] === ""));
  });
  console.log(`${MANY} operations: ${Object.entries(took).map(([name, ms]) => `${name} ${ms} ms (busy ${busy[name]} ms)`).join(", ")}`);
  assert.ok((await page.locator("main [role=row]").count()) < 200);
  for (const [name, ms] of Object.entries(took)) assert.ok(ms < (name === "two runs" ? REPLAY_MS : BUSY_MS), `${name}: ${ms} ms`);
  for (const [name, ms] of Object.entries(busy)) assert.ok(ms < BUSY_MS, `${name}: busy for ${ms} ms`);
  // The control: a page that is busy is seen as such.
  await measure("control", () => page.evaluate(() => {
    const until = performance.now() + 300;
    while (performance.now() < until);
  }));
  assert.ok(busy["control"]! >= 300, `${busy["control"]} ms`);
  await close();
  one.end();
});
