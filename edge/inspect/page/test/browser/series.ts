// Takes the pictures of docs/inspect.md: `npm run series -- FOLDER [TRACE]`. The trace is one of `vkd3d-gears`, whose call 93 is a draw and whose
// object 22 is its buffer of indices; without one the golden trace of three frames is shown.

import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { open, settled, visit } from "./page.ts";
import { browser, folder as own, golden, late, program as programOf, run, serve, type Server } from "./server.ts";

/** A picture's name, and the place of the page that it shows. */
type Shot = readonly [name: string, place: string, act?: (page: Page) => Promise<void>];

const ONE: readonly Shot[] = [
  ["frames", "frames?frame=2"],
  ["targets", "calls?call=93&tab=targets"],
  ["bindings", "calls?call=93&tab=bindings"],
  ["mesh", "calls?call=93&tab=mesh"],
  ["mesh-after", "calls?call=93&tab=mesh&stage=vertex"],
  ["contents", "resources?object=22&call=93&tab=contents"],
  ["debug", "calls?call=155&tab=debug&debug=155.pixel.200.200.primitive.126&step=13"],
  ["edit", "calls?call=155&tab=edit&pixel=200,200", async (page) => {
    await page.getByLabel("Attach file").setInputFiles({ name: "red.bin", mimeType: "application/octet-stream", buffer: Buffer.from(new Float32Array([1, 0, 0]).buffer) });
    await page.getByRole("textbox", { name: "Edits, one a line" }).fill('buffer 20+28 = "red.bin"');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText(/stores changed/).waitFor();
    await settled(page);
  }],
];
/** With what `reprise time` measures here. */
const MEASURED: readonly Shot[] = [
  ["costs", "costs"],
  ["heat", "calls?call=131&tab=targets&heat=1"],
  ["pixel", "calls?call=131&tab=targets&pixel=150,150"],
];
const MARKERS: readonly Shot[] = [["flame", "costs?mode=flame"]];
const TWO: readonly Shot[] = [
  ["compare", "compare?tab=pictures&frame=1&pictures=sides"],
];

async function take(server: Server, folder: string, shots: readonly Shot[]): Promise<void> {
  const chromium = await browser();
  const { page, close } = await open(chromium, server.url);
  for (const [name, place, act] of shots) {
    await visit(page, place);
    await act?.(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    console.log(`${name}.png: ${place}`);
  }
  await close();
  await chromium.close();
  server.end();
}

const [folder, trace = golden("gears")] = process.argv.slice(2).map((path) => resolve(path));
if (!folder) throw new Error("usage: npm run series -- FOLDER [TRACE]");
// The server runs in a folder of its own, so that the commands below the views have short names.
copyFileSync(trace, join(own, "gears.reprise"));
late();
process.chdir(own);
await take(await serve("gears.reprise"), folder, ONE);
run("reprise", ["time", "--counters", "--save", "gears.reprise"]);
await take(await serve("gears.reprise"), folder, MEASURED);
run("reprise", ["capture", "-o", "costs.reprise", "--", programOf("reprise-programs"), "costs"]);
run("reprise", ["time", "--counters", "--save", "costs.reprise"]);
await take(await serve("costs.reprise"), folder, MARKERS);
copyFileSync(golden("gears"), join(own, "gears.reprise"));
await take(await serve("gears.reprise", "--compare", "late.reprise"), folder, TWO);
