// The page without a pointer: every control of every view can be reached, and lists, calls, pictures and links work by keys.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { open, settled, visit } from "./page.ts";
import { browser, golden, late, serve, type Server } from "./server.ts";

let chromium: Browser;
let server: Server;
before(async () => {
  chromium = await browser();
  server = await serve(golden("gears"), "--compare", late());
});
after(async () => {
  server.end();
  await chromium.close();
});

/** Controls that Tab does not come to, as what they are called. */
async function unreached(page: Page): Promise<string[]> {
  const count = await page.evaluate(() => {
    const controls = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]')];
    const there = controls.filter((one) => one.tabIndex >= 0 && !(one as HTMLButtonElement).disabled && one.getClientRects().length > 0);
    there.forEach((one) => (one.dataset["unreached"] = one.getAttribute("aria-label") ?? one.textContent ?? one.tagName));
    return there.length;
  });
  for (let step = 0; step < 2 * count + 4; step += 1) {
    await page.keyboard.press("Tab");
    const left = await page.evaluate(() => {
      delete (document.activeElement as HTMLElement | null)?.dataset["unreached"];
      return document.querySelectorAll("[data-unreached]").length;
    });
    if (left === 0) break;
  }
  return page.evaluate(() => [...document.querySelectorAll<HTMLElement>("[data-unreached]")].map((one) => one.dataset["unreached"] ?? ""));
}

/** Presses Tab until an element of this role and name has the focus. */
async function tabTo(page: Page, role: string, name: string): Promise<void> {
  for (let step = 0; step < 80; step += 1) {
    const there = await page.evaluate(([wanted, called]) => {
      const active = document.activeElement;
      return active !== null && active.getAttribute("role") === wanted && active.getAttribute("aria-label") === called;
    }, [role, name]);
    if (there) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not come to the ${role} ${name}`);
}

test("every control of every view is reached", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  const views = await page.locator("nav a").allInnerTexts();
  assert.deepEqual(views, ["Frames", "Calls", "Resources", "Heaps", "Descriptors", "Objects", "Shaders", "Findings", "Compare", "Trace"]);
  for (const [index, view] of views.entries()) {
    await page.keyboard.press("Escape");
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press(String((index + 1) % 10));
    await page.locator(`nav a[aria-current="page"]:has-text("${view}")`).waitFor();
    await settled(page);
    assert.deepEqual(await unreached(page), [], view);
  }
  for (const place of ["calls?call=93&tab=targets", "calls?call=93&tab=mesh", "calls?call=93&tab=pipeline", "calls?call=93&tab=debug", "calls?call=93&tab=edit", "calls?call=93&tab=targets&custom=1", "resources?object=22&call=93&tab=contents", "compare?tab=pictures&frame=1"]) {
    await visit(page, place);
    assert.deepEqual(await unreached(page), [], place);
  }
  await close();
});

test("arrow keys choose in each list, and Enter opens", async () => {
  const { page, close } = await open(chromium, server.url);
  const lists = [["frames", "grid", "Frames"], ["calls", "treegrid", "Calls of frame 1"], ["calls?mode=list", "grid", "All calls"], ["resources", "grid", "Objects"], ["shaders", "grid", "Shaders"], ["compare", "grid", "Differences"]] as const;
  for (const [place, role] of lists) {
    await visit(page, place);
    const name = (await page.locator(`[role=${role}]`).first().getAttribute("aria-label")) ?? "";
    await tabTo(page, role, name);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const row = page.locator(`[role=${role}]`).first().locator('[aria-selected="true"]');
    await row.waitFor();
    assert.equal(await row.count(), 1, place);
    assert.equal(await page.locator(`[role=${role}]`).first().getAttribute("aria-activedescendant"), await row.getAttribute("id"), place);
    await settled(page);
  }
  await visit(page, "frames");
  await tabTo(page, "grid", "Frames");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#v1/calls"));
  await close();
});

test("a call is found by its number, and links survive a reload", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await page.keyboard.press("Control+g");
  await page.keyboard.type("93");
  await page.keyboard.press("Enter");
  const title = page.getByRole("heading", { level: 2 }).first();
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  assert.match(page.url(), /call=93/);
  assert.match((await title.textContent()) ?? "", /93 .*DrawIndexedInstanced/);
  await page.reload();
  await settled(page);
  assert.match((await title.textContent()) ?? "", /93 .*DrawIndexedInstanced/);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("Control+ArrowRight");
  await page.waitForFunction(() => /call=95(&|$)/.test(location.hash));
  await page.keyboard.press("/");
  await page.keyboard.type("kind:draw frame:1");
  await page.keyboard.press("Enter");
  await page.getByText(/calls found/).waitFor();
  await page.keyboard.press("F3");
  await page.waitForFunction(() => /call=91(&|$)/.test(location.hash));
  await page.keyboard.press("?");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.keyboard.press("t");
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
  await close();
});

test("arrow keys read the texels of a picture", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/calls?call=93&tab=targets");
  await settled(page);
  await tabTo(page, "application", "Picture. Arrow keys move among texels, plus and minus zoom, 0 fits.");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".readout").innerText(), /^x 1, y 1: R /);
  await page.keyboard.press("+");
  await close();
});
