// The page in a browser, with a real server: every view, keys, links, hostile names, and who is not answered.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browser, capture, folder, serve, type Server } from "./server.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let chromium: Browser;
let server: Server;

before(async () => {
  chromium = await browser();
  server = await serve(capture("vertices"));
});
after(async () => {
  server.end();
  await chromium.close();
});

/** A page whose own errors and refusals of the content security policy fail the test. */
async function open(hash = "", url = server.url, scheme: "light" | "dark" = "light"): Promise<{ page: Page; problems: string[] }> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 760 }, colorScheme: scheme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url.split("#")[0] as string)) problems.push(`asks elsewhere: ${request.url()}`);
  });
  await page.goto(url + hash);
  await page.locator("main").waitFor();
  return { page, problems };
}

/** The first draw of the trace. */
async function draw(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const row = (await (await fetch("api/0/row?next=draw&from=0&step=1")).json()) as { row: number };
    const rows = (await (await fetch(`api/0/rows?first=${row.row}&count=1`)).json()) as { items: { call: number }[] };
    return rows.items[0]!.call;
  });
}

test("every view shows something, in light and dark, and axe finds nothing", async () => {
  for (const scheme of ["light", "dark"] as const) {
    const { page, problems } = await open("", server.url, scheme);
    const call = await draw(page);
    const places = ["frames", "calls", `calls?call=${call}&mode=list`, `calls?call=${call}&tab=pipeline`, `calls?call=${call}&tab=bindings`, `calls?call=${call}&tab=changes`, `calls?call=${call}&tab=state`,
      "calls?q=kind:draw", "resources", "resources?object=8", "heaps", "descriptors", "objects", "shaders", "findings", "trace"];
    for (const place of places) {
      await page.evaluate((hash) => (location.hash = hash), `#v1/${place}`);
      await page.waitForTimeout(250);
      await page.evaluate(AXE);
      const found = await page.evaluate(async () => {
        const axe = (globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe;
        return (await axe.run()).violations.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`).join(" | ")}`);
      });
      assert.deepEqual(found, [], `${place} in ${scheme}`);
    }
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

test("keys alone lead to a call and back, and links survive a reload", async () => {
  const { page, problems } = await open();
  await page.keyboard.press("2");
  await page.getByRole("treegrid").waitFor();
  await page.keyboard.press("Control+g");
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  assert.match(page.url(), /call=5/);
  const title = await page.getByRole("heading", { level: 2 }).first().textContent();
  await page.reload();
  assert.equal(await page.getByRole("heading", { level: 2 }).first().textContent(), title);
  await page.keyboard.press("Control+ArrowRight");
  await page.waitForFunction(() => !/call=5(&|$)/.test(location.hash));
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.keyboard.press("t");
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("hostile names are text", async () => {
  // Every answer is given a name that is markup, as a trace may have it.
  const context = await chromium.newContext();
  const page = await context.newPage();
  const hostile = `<img src=x onerror="globalThis.owned=1"><script>globalThis.owned=1</script>`;
  await page.route(/\/api\//, async (route) => {
    const answer = await route.fetch();
    if (!answer.headers()["content-type"]?.includes("json")) return route.fulfill({ response: answer });
    const json = JSON.parse(await answer.text(), (key, value: unknown) => (["name", "label", "text", "file", "program", "method", "class", "adapter"].includes(key) && (typeof value === "string" || value === null) ? hostile : value)) as unknown;
    return route.fulfill({ response: answer, json });
  });
  await page.goto(server.url);
  for (const place of ["frames", "calls", "calls?call=20&mode=list", "objects?object=2", "shaders", "findings", "trace"]) {
    await page.evaluate((hash) => (location.hash = hash), `#v1/${place}`);
    await page.waitForTimeout(250);
    assert.equal(await page.evaluate(() => (globalThis as { owned?: number }).owned), undefined);
    assert.equal(await page.locator('img[src="x"]').count(), 0);
  }
  assert.ok((await page.getByText(hostile).count()) > 0);
  await context.close();
});

test("a wrong token and a page of another site get nothing", async () => {
  const wrong = await fetch(server.url.replace(/\/[^/]+\/$/, "/00000000/api/traces"));
  assert.equal(wrong.status, 404);
  const api = `${server.url}api/traces`;
  const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><p>another site"));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as { port: number };
  const page = await chromium.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const got = await page.evaluate(async (url) => {
    const read = await fetch(url).then((answer) => answer.text(), () => "refused");
    const script = await new Promise<string>((resolve) => {
      const element = document.createElement("script");
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("refused");
      element.src = url.replace("api/traces", "assets/page.js");
      document.head.append(element);
    });
    return { read, script };
  }, api);
  site.close();
  assert.deepEqual(got, { read: "refused", script: "refused" });
  await page.close();
});

test("a damaged trace is shown, and says where", async () => {
  const bytes = readFileSync(capture("vertices"));
  const half = join(folder, "damaged.reprise");
  writeFileSync(half, bytes.subarray(0, Math.floor(bytes.length * 0.8)));
  const damaged = await serve(half);
  const { page, problems } = await open("#v1/trace", damaged.url);
  await page.getByRole("heading", { name: "Damage", exact: true }).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
  damaged.end();
});
