// Who is not answered: a wrong token, and pages of other sites.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browser, golden, serve, type Server } from "./server.ts";

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

test("a wrong token gets nothing", async () => {
  const wrong = await fetch(server.url.replace(/\/[^/]+\/$/, "/00000000/api/traces"));
  assert.equal(wrong.status, 404);
  assert.equal(await wrong.text(), "");
});

test("a page of another site reads nothing, runs nothing of ours, and frames nothing", async () => {
  const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><p>another site"));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as { port: number };
  const page = await chromium.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const got = await page.evaluate(async (url) => {
    const read = await fetch(`${url}api/traces`).then((answer) => answer.text(), () => "refused");
    const post = await fetch(`${url}api/0/jobs`, { method: "POST", mode: "no-cors", body: '{"kind":"lint"}' }).then((answer) => answer.text(), () => "refused");
    const script = await new Promise<string>((resolve) => {
      const element = document.createElement("script");
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("refused");
      element.src = `${url}assets/page.js`;
      document.head.append(element);
    });
    return { read, post, script };
  }, server.url);
  assert.deepEqual(got, { read: "refused", post: "refused", script: "refused" });
  await page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
  }, server.url);
  // A page of the browser's own stands where ours would.
  await page.waitForFunction(() => document.querySelector("iframe") !== null);
  for (let step = 0; step < 100 && !page.frames()[1]?.url().startsWith("chrome-error:"); step += 1) await page.waitForTimeout(50);
  assert.match(page.frames()[1]?.url() ?? "", /^chrome-error:/);
  await page.close();
  site.closeAllConnections();
  site.close();
});
