// A server of `reprise inspect` and a browser, for tests.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../../../../../", import.meta.url));

/** A program of the build: where the environment says, or where `cargo xtask edge test` puts it. */
export function program(name: string): string {
  const named = process.env[name.toUpperCase().replaceAll("-", "_")];
  if (named) return named;
  const folders = ["debug", "release", "edge/debug/examples"];
  const found = folders.map((folder) => join(ROOT, "target", folder, name)).find((path) => existsSync(path));
  if (!found) throw new Error(`there is no ${name} in target: cargo xtask edge build, cargo build --workspace`);
  return found;
}

export const folder = mkdtempSync(join(tmpdir(), "reprise-page-"));
const servers = new Set<ChildProcess>();
// A test that fails does not come to its end.
process.on("exit", () => {
  for (const server of servers) server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** A golden trace. */
export function golden(name: string): string {
  return join(ROOT, "crates/cli/tests/golden/v3", `${name}.reprise`);
}

/** Runs a program of the build; gives what it printed. `expected`: what it ends with. */
export function run(name: string, parameters: readonly string[], expected = 0): string {
  const done = spawnSync(program(name), parameters, { encoding: "utf8", cwd: folder });
  if (done.status !== expected) throw new Error(`${name} ${parameters.join(" ")} ended with ${done.status}: ${done.stderr}`);
  return done.stdout;
}

/** Frames 2 and 3 of the golden trace of gears as a trace of their own: its frame 1 is the other's frame 2. */
export function late(): string {
  const trace = join(folder, "late.reprise");
  if (!existsSync(trace)) run("reprise", ["trim", golden("gears"), "--frames", "2-3", "-o", trace]);
  return trace;
}

/** Our runtime with a seeded fault: it rounds colours of clears down, by one step of 8 bits. */
export function rounding(): string {
  const [library, source] = [join(folder, "rounding.so"), join(ROOT, "crates/cli/tests/suite/bisect/runtime.c")];
  const real = join(dirname(program("reprise")), "libreprise_d3d12.so");
  const done = spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-DFAULT=1", `-DREAL="${real}"`, "-o", library, source], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`gcc: ${done.error ?? done.stderr}`);
  return library;
}

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  end(): void;
}

/** Starts the server; its link is the first that it prints. */
export function serve(...parameters: string[]): Promise<Server> {
  return start(program("reprise-inspect"), folder, parameters);
}

/** The same with environment variables of its own. */
export function serveWith(environment: Readonly<Record<string, string>>, ...parameters: string[]): Promise<Server> {
  return start(program("reprise-inspect"), folder, parameters, environment);
}

/** A file that test programs compile their shaders from, or to. */
export function shader(name: string): string {
  return join(ROOT, "crates/programs/shaders", name);
}

/** A server whose `reprise` waits until it is let go, and tells its number. What it makes is kept nowhere else. */
export interface Held extends Server {
  /** The process that replays. */
  replay(): Promise<number>;
  letGo(): void;
}

export async function serveHeld(...parameters: string[]): Promise<Held> {
  const own = mkdtempSync(join(folder, "held-"));
  // The server takes the `reprise` beside it.
  const server = join(own, "reprise-inspect");
  copyFileSync(program("reprise-inspect"), server);
  const [number, gate] = [join(own, "number"), join(own, "gate")];
  const script = `#!/bin/sh\necho $$ > ${number}.new && mv ${number}.new ${number}\nwhile [ ! -e ${gate} ]; do sleep 0.05; done\nexec ${program("reprise")} "$@"\n`;
  writeFileSync(join(own, "reprise"), script);
  chmodSync(join(own, "reprise"), 0o755);
  mkdirSync(join(own, "cache"));
  const started = await start(server, join(own, "cache"), parameters);
  return {
    ...started,
    replay: async () => {
      while (!existsSync(number)) await new Promise((resolve) => setTimeout(resolve, 20));
      return Number(readFileSync(number, "utf8"));
    },
    letGo: () => writeFileSync(gate, ""),
  };
}

/** Whether a process runs. */
export function runs(process: number): boolean {
  return existsSync(`/proc/${process}`);
}

async function start(file: string, cache: string, parameters: string[], environment: Readonly<Record<string, string>> = {}): Promise<Server> {
  const child = spawn(file, parameters, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, XDG_CACHE_HOME: cache, ...environment } });
  servers.add(child);
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
  return { url, child, end: () => void child.kill() };
}

export function browser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}
