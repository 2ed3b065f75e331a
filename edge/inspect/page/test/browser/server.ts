// A server of `reprise inspect` and a browser, for tests.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../../../../../", import.meta.url));

/** A program of the build: where the environment says, or where `cargo xtask edge build` puts it. */
function program(name: string): string {
  const named = process.env[name.toUpperCase().replaceAll("-", "_")];
  if (named) return named;
  const found = ["debug", "release"].map((profile) => join(ROOT, "target", profile, name)).find((path) => existsSync(path));
  if (!found) throw new Error(`there is no ${name} in target: cargo xtask edge build, cargo build --workspace`);
  return found;
}

export const folder = mkdtempSync(join(tmpdir(), "reprise-page-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Captures one of our test programs. */
export function capture(name: string, ...rest: string[]): string {
  const trace = join(folder, `${name}.reprise`);
  if (existsSync(trace)) return trace;
  const done = spawnSync(program("reprise"), ["capture", "-f", "-o", trace, ...rest, "--", program("reprise-programs"), name], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`capture of ${name} failed: ${done.stderr}`);
  return trace;
}

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  end(): void;
}

/** Starts the server; its link is the first that it prints. */
export async function serve(...parameters: string[]): Promise<Server> {
  const child = spawn(program("reprise-inspect"), parameters, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, XDG_CACHE_HOME: folder } });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    const see = (part: Buffer) => {
      said += part.toString();
      const link = /http:\/\/\S+/.exec(said);
      if (link) resolve(link[0]);
    };
    child.stdout.on("data", see);
    child.stderr.on("data", see);
    child.on("exit", (status) => reject(new Error(`reprise-inspect ended with ${status}: ${said}`)));
  });
  return { url: url.replace(/#.*/, ""), child, end: () => void child.kill() };
}

export function browser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}
