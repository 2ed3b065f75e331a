// Who writes what, how subresources stand, overlays, notes, dropped traces and panels by key: on the page, against what `reprise` itself says.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { open, settled, violations, visit } from "./page.ts";
import { browser, folder, golden, program, run, serve, type Server } from "./server.ts";

let chromium: Browser;
let server: Server;
const trace = join(folder, "own.reprise");
before(async () => {
  chromium = await browser();
  copyFileSync(golden("gears"), trace);
  server = await serve(trace);
});
after(async () => {
  server.end();
  await chromium.close();
});

interface Usage {
  previous_write: { call: number } | null;
  next_write: { call: number } | null;
  subresources: { state: string }[];
}

function usage(call: number, object: number): Usage {
  return (JSON.parse(run("reprise", ["state", trace, String(call), "--object", String(object), "--json"])) as { usage: Usage }).usage;
}

const callShown = async (page: Page) => Number(/call=(\d+)/.exec(await page.evaluate(() => location.hash))?.[1]);

test("buttons lead to the write before a call and to the next one", async () => {
  const { page, close } = await open(chromium, server.url);
  for (const place of ["calls?call=93&tab=targets&target=depth", "resources?object=18&call=93&tab=standing"]) {
    await visit(page, place);
    const expected = usage(93, 18);
    assert.ok(expected.previous_write && expected.next_write && expected.previous_write.call < 93);
    await page.getByRole("button", { name: "previous write" }).click();
    await settled(page);
    assert.equal(await callShown(page), expected.previous_write.call);
    await page.getByRole("button", { name: "next write" }).click();
    await settled(page);
    assert.equal(await callShown(page), 93);
    await page.getByRole("button", { name: "next write" }).click();
    await settled(page);
    assert.equal(await callShown(page), expected.next_write.call);
  }
  // The control: before the first write there is none to go to.
  await visit(page, "resources?object=18&call=87&tab=standing");
  assert.equal(usage(87, 18).previous_write, null);
  assert.ok(await page.getByRole("button", { name: "previous write" }).isDisabled());
  await close();
});

test("states and uses of a resource are those that reprise tells", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/resources?object=18&call=93&tab=standing");
  await settled(page);
  const state = usage(93, 18).subresources[0]?.state.replace("D3D12_RESOURCE_STATE_", "");
  assert.ok(state && (await page.locator("table.plain").first().innerText()).includes(state));
  assert.deepEqual(await violations(page), []);
  await visit(page, "resources?object=18&call=93&tab=all");
  const calls = (await page.getByRole("row").allInnerTexts()).map((text) => Number(/^\d+/.exec(text)?.[0])).filter((call) => call > 0 && call < 1000);
  // Each draw and clear of three frames uses it.
  for (const call of [87, 91, 93, 95, 161]) assert.ok(calls.includes(call), `call ${call} of ${calls.join(" ")}`);
  assert.ok(!calls.includes(86), "a clear of another resource is not in the list");
  await close();
});

test("resources are sorted by who wrote them last", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/resources?sort=written&down=1");
  await settled(page);
  await page.getByText("161").first().waitFor();
  const first = (await page.getByRole("row").allInnerTexts()).slice(1, 3).join(" ");
  // What the last draw wrote: its target and its depth buffer.
  assert.match(first, /161 render target/);
  assert.match(first, /161 depth write/);
  await close();
});

test("an overlay is the picture that reprise paints, with its classes and counts", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/calls?call=93&tab=targets");
  await settled(page);
  await page.getByRole("combobox", { name: "Overlay" }).selectOption("depth");
  await settled(page);
  const told = JSON.parse(run("reprise", ["show", trace, "--call", "93", "--target", "0", "--overlay", "depth", "--json"])) as { counts: Record<string, number> };
  const text = await page.locator(".classes").innerText();
  for (const [name, count] of Object.entries(told.counts)) assert.match(text, new RegExp(`${name}\\s+${count}`), text);
  assert.ok((told.counts["passed"] ?? 0) > 100 && (told.counts["failed"] ?? 0) > 0, "both classes are there");
  const painted = await page.locator(".surface canvas").evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let green = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] === 30 && data[at + 1] === 200 && data[at + 2] === 60) green += 1;
    return green;
  });
  assert.equal(painted, told.counts["passed"]);
  // The link has it, and without it the picture is there again.
  assert.match(await page.evaluate(() => location.hash), /overlay=depth/);
  await page.getByRole("combobox", { name: "Overlay" }).selectOption("");
  await settled(page);
  assert.equal(await page.locator(".classes").count(), 0);
  await close();
});

test("notes are kept beside the trace, and the command tells the same", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/calls?call=93");
  await settled(page);
  await page.keyboard.press("n");
  await page.getByRole("textbox", { name: "Text of the note" }).fill("<b>the hole</b>");
  await page.keyboard.press("Enter");
  await page.getByText("<b>the hole</b>").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(JSON.parse(run("reprise", ["notes", trace, "--json"])), [{ call: 93, text: "<b>the hole</b>" }]);
  run("reprise", ["notes", trace, "--add", "from the command", "--frame", "2"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.getByText("from the command").waitFor();
  await page.getByRole("button", { name: "Remove" }).first().click();
  await page.getByText("from the command").waitFor({ state: "detached" });
  assert.equal((JSON.parse(run("reprise", ["notes", trace, "--json"])) as unknown[]).length, 1);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByText("There are no notes").waitFor();
  assert.ok(!existsSync(`${trace}.notes`));
  await close();
});

/** Drops a file onto the page as a browser does. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const data = await page.evaluateHandle(([text, called]) => {
    const raw = atob(text ?? "");
    const list = new DataTransfer();
    list.items.add(new File([Uint8Array.from(raw, (one) => one.charCodeAt(0))], called ?? ""));
    return list;
  }, [bytes.toString("base64"), name]);
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await page.getByText("Drop a trace to open it").waitFor();
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
}

test("a trace that is dropped onto the page opens on a page of its own", async () => {
  const own = await chromium.newContext();
  const page = await own.newPage();
  await page.goto(server.url);
  await page.locator("main").waitFor();
  // The control: what is no trace is refused with a reason, and the page stays.
  await drop(page, "notes.txt", Buffer.from("no trace"));
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /notes\.txt/);
  assert.ok(page.url().startsWith(server.url));
  await drop(page, "dropped.reprise", readFileSync(golden("gears")));
  await page.waitForURL((url) => !url.href.startsWith(server.url));
  await page.getByText("dropped.reprise").first().waitFor();
  await settled(page);
  assert.match(await page.title(), /dropped\.reprise/);
  await own.close();
});

test("F6 goes from panel to panel, and the help says so", async () => {
  const { page, close } = await open(chromium, server.url, "#v1/calls?call=93&tab=targets");
  await settled(page);
  const panels = new Set<string>();
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press("F6");
    panels.add(await page.evaluate(() => `${document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName}: ${document.activeElement?.getAttribute("aria-label") ?? ""}`));
  }
  const all = [...panels].join("; ");
  for (const role of ["tree", "application", "tabpanel", "separator"]) assert.ok(all.includes(role), `${role} in ${all}`);
  await page.keyboard.press("?");
  assert.match(await page.getByRole("dialog").innerText(), /F6\s+next panel/);
  await close();
});

test("submissions have pictures where nothing ended a frame", async () => {
  const plain = join(folder, "textures.reprise");
  run("reprise", ["capture", "-o", plain, "--", program("reprise-programs"), "textures"]);
  const other = await serve(plain);
  const { page, close } = await open(chromium, other.url, "#v1/frames?frame=1");
  await settled(page);
  await page.locator("img.large").waitFor();
  assert.match(await page.locator(".preview").innerText(), /Submission 1[\s\S]*resource \d+ after it/);
  await page.getByText("each row is a submission").waitFor();
  await close();
  other.end();
});

test("what ends a frame is chosen on the page, for a program with markers and without presents", async () => {
  const marked = join(folder, "steps.reprise");
  run("reprise", ["capture", "-o", marked, "--", program("reprise-programs"), "steps"]);
  const other = await serve(marked);
  // The page leads to another server, which `open` would call a request to somebody else.
  const own = await chromium.newContext();
  const page = await own.newPage();
  await page.goto(`${other.url}#v1/frames?frame=1`);
  await settled(page);
  await page.getByText("each row is a submission").waitFor();
  await page.getByLabel("Frames end with").selectOption("markers");
  const text = page.getByRole("textbox", { name: "Regular expression for the text of markers" });
  // The control: what ends no frame is refused, with markers that there are, and the page stays.
  await text.fill("^Stop");
  await page.getByRole("button", { name: "Apply" }).click();
  assert.match(await page.getByRole("alert").innerText(), /marker=\^Stop ends no frame: .*"Step 0"/);
  assert.ok(page.url().startsWith(other.url));
  await text.fill("^Step");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL((url) => !url.href.startsWith(other.url));
  await settled(page);
  const ends = JSON.parse(run("reprise", ["info", "--json", "--frame-boundary", "marker=^Step", marked])) as { frames: number };
  const rows = page.getByRole("grid", { name: "Frames" });
  await rows.waitFor();
  assert.equal(ends.frames, 5);
  // Its head, the frames, and what follows the last of them.
  assert.equal(await rows.getAttribute("aria-rowcount"), String(1 + ends.frames + 1));
  assert.equal(await page.getByText("each row is a submission").count(), 0);
  // What the line below shows is the same frames, and each has a picture of its own.
  await page.getByRole("row").nth(3).click();
  await page.locator("img.large").waitFor();
  assert.match(await page.locator(".preview").innerText(), /Frame 3[\s\S]*resource \d+ after it/);
  assert.match(await page.locator(".export code").innerText(), /thumbnails --frame-boundary '?marker=\^Step'?/);
  // Back leads to the page with the frames that were recorded.
  await page.goBack();
  await page.getByText("each row is a submission").waitFor();
  await own.close();
  other.end();
});
