// The page in a browser, for tests: opened so that its own errors fail them, and watched until it has what it asked for.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How long a replay on the processor may take here, in milliseconds. */
export const REPLAY_MS = 120_000;

export interface Opened {
  readonly page: Page;
  /** Errors of the page, refusals of its content security policy, requests to anybody else. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** Opens the page at a place. `close` fails where there were problems. */
export async function open(chromium: Browser, url: string, hash = "", scheme: "light" | "dark" = "light"): Promise<Opened> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 760 }, colorScheme: scheme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:")) problems.push(`asks elsewhere: ${request.url()}`);
  });
  await page.goto(url + hash);
  await page.locator("main").waitFor();
  return {
    page, problems,
    close: async () => {
      assert.deepEqual(problems, []);
      await context.close();
    },
  };
}

/** Waits until nothing is on its way: no answer, and no job. */
export async function settled(page: Page): Promise<void> {
  const rests = () => document.querySelector('main .progress, main [aria-busy="true"]') === null && !/Reading(…| the trace)/.test(document.querySelector("main")?.textContent ?? "");
  // Twice: what arrives may ask for more.
  for (let time = 0; time < 2; time += 1) {
    await page.waitForTimeout(120);
    await page.waitForFunction(rests, undefined, { timeout: REPLAY_MS, polling: 50 });
  }
}

/** Goes to a place of the page as a link does. */
export async function visit(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), `#v1/${place}`);
  await settled(page);
}

/** What axe finds wrong in what the page shows now. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe;
    return (await axe.run()).violations.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`).join(" | ")}`);
  });
}

/** An answer of the server, asked for by the page. */
export async function ask<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(async (to) => (await fetch(to)).json() as Promise<unknown>, path) as Promise<T>;
}

/** The last draw that runs in a frame, by the tree: lists may have been recorded in another one. */
export async function lastDraw(page: Page, t: number, frame: number): Promise<number> {
  const last = async (node: string): Promise<number | undefined> => {
    const { items } = await ask<{ items: { id: string; kind: string; call: number }[] }>(page, `api/${t}/tree?node=${node}&first=0&count=1000`);
    for (const item of items.reverse()) {
      const call = item.kind === "draw" ? item.call : ["submission", "list", "marker"].includes(item.kind) ? await last(item.id) : undefined;
      if (call !== undefined) return call;
    }
    return undefined;
  };
  return (await last(`frame:${frame}`)) ?? 0;
}

/** The pixels of a picture file, as red, green, blue and opacity, decoded by the browser from what Node read. */
export async function decoded(page: Page, png: Buffer): Promise<{ width: number; height: number; bytes: number[] }> {
  return page.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const pen = canvas.getContext("2d")!;
    pen.drawImage(image, 0, 0);
    return { width: canvas.width, height: canvas.height, bytes: [...pen.getImageData(0, 0, canvas.width, canvas.height).data] };
  }, png.toString("base64"));
}

/** The pixels that a canvas of the page shows of a picture of this size in its middle. */
export async function shown(page: Page, selector: string, width: number, height: number): Promise<number[]> {
  return page.locator(selector).evaluate((element, [wide, high]) => {
    const canvas = element as HTMLCanvasElement;
    const pen = canvas.getContext("2d")!;
    return [...pen.getImageData(Math.round((canvas.width - wide!) / 2), Math.round((canvas.height - high!) / 2), wide!, high!).data];
  }, [width, height]);
}
