// Measures the page on a long trace: `npm run long -- TRACE`. Prints figures; it is no test, because its figures depend on the machine.
//
// - *First paint*: from the navigation's begin to the browser's own `first-contentful-paint`, right after the server has started.
// - *Rows*: until a row of the list of all calls has its call.
// - *Scrolling*: times between frames (`requestAnimationFrame`) while the wheel turns without a pause.
// - *Memory*: of the process that renders the page, as the system counts it, and of JavaScript, as the browser does.

import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { Page } from "playwright-core";
import { browser, serve } from "./server.ts";

const SCROLLED_MS = 10_000;
/** Pixels of a turn of the wheel. */
const TURN = 240;

/** MiB of a line of a process's status. */
function status(process: number, line: string): number {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${process}/status`, "utf8"));
  return Number(found?.[1] ?? NaN) / 1024;
}

const at = (sorted: number[], share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

/** Milliseconds until the list of all calls has text in its first row. */
async function rows(page: Page): Promise<number> {
  const began = Date.now();
  await page.waitForFunction(() => /\d/.test(document.querySelector('[role=grid] [role=gridcell]')?.textContent ?? ""), undefined, { polling: "raf", timeout: 300_000 });
  return Date.now() - began;
}

/** Times between frames while the wheel turns. */
async function scroll(page: Page): Promise<number[]> {
  const box = (await page.locator("[role=grid]").first().boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(() => {
    const times: number[] = ((globalThis as unknown as { times: number[] }).times = []);
    const step = (time: number) => {
      times.push(time);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  const end = Date.now() + SCROLLED_MS;
  while (Date.now() < end) await page.mouse.wheel(0, TURN);
  const times = await page.evaluate(() => (globalThis as unknown as { times: number[] }).times);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0)).sort((a, b) => a - b);
}

async function main(): Promise<void> {
  const trace = process.argv[2];
  if (trace === undefined) throw new Error("usage: npm run long -- TRACE");
  console.log(`${cpus().length} processors, ${cpus()[0]?.model}; load ${loadavg()[0]?.toFixed(1)}`);
  const chromium = await browser();
  const page = await chromium.newPage({ viewport: { width: 1280, height: 760 } });
  await page.goto("about:blank");
  const begun = Date.now();
  const server = await serve(trace);
  console.log(`the server's link: after ${Date.now() - begun} ms`);
  const opened = Date.now();
  await page.goto(`${server.url}#v1/calls?mode=list`);
  const paint = await page.evaluate(() => new Promise<number>((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().find((one) => one.name === "first-contentful-paint")?.startTime ?? NaN)).observe({ type: "paint", buffered: true });
  }));
  console.log(`first paint: after ${paint.toFixed(0)} ms`);
  await rows(page);
  console.log(`rows: after ${Date.now() - opened} ms`);
  const total = await page.evaluate(async () => ((await (await fetch("api/0/rows?first=0&count=1")).json()) as { total: number }).total);
  await page.reload();
  const again = Date.now();
  await rows(page);
  console.log(`rows, the page loaded again: after ${Date.now() - again} ms`);
  const frames = await scroll(page);
  const late = frames.filter((time) => time > 1000 / 60 * 1.5).length;
  console.log(`scrolling: ${frames.length} frames in ${SCROLLED_MS / 1000} s; between frames ${at(frames, 0.5).toFixed(1)} ms at the median, ${at(frames, 0.99).toFixed(1)} at the 99th percentile, ${at(frames, 1).toFixed(1)} at most; ${late} of them left one out`);
  await page.locator("[role=grid]").first().focus();
  const jumped = Date.now();
  await page.keyboard.press("End");
  await page.waitForFunction((last) => document.querySelector(`[role=grid] [aria-rowindex="${last}"]`)?.querySelector("[role=gridcell]")?.textContent !== "", total + 1, { polling: "raf", timeout: 60_000 });
  console.log(`the End key: row ${total} after ${Date.now() - jumped} ms, ${await page.locator(`[role=grid] [aria-rowindex="${total + 1}"]`).innerText().then((text) => text.replaceAll(/\s+/g, " ").slice(0, 60))}`);
  // The other views of the trace: what they hold counts, too.
  for (const view of ["frames", "calls?mode=tree", "objects", "shaders", "trace"]) {
    await page.evaluate((hash) => (location.hash = hash), `#v1/${view}`);
    await page.waitForTimeout(2000);
  }
  const session = await chromium.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter((one) => one.type === "renderer").map((one) => status(one.id, "VmHWM"));
  const heap = await page.evaluate(() => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1048576);
  console.log(`memory: the page's process ${Math.max(...renderers).toFixed(0)} MiB at most, JavaScript ${heap.toFixed(0)} MiB; the server ${status(server.child.pid ?? 0, "VmHWM").toFixed(0)} MiB at most`);
  console.log(`load at the end ${loadavg()[0]?.toFixed(1)}`);
  server.end();
  await chromium.close();
}

main().then(() => process.exit(0), (error: unknown) => {
  console.error(error);
  process.exit(1);
});
