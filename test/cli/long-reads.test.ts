import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { commandFolder, type CommandFolder, defaultConfig, quickestForm } from "../support/command-line.ts";
import { until } from "../support/until.ts";

const waitMs = 60_000;
const readBytesMin = 200e6;
/** Memory of a process that reads a short list is a third of this. */
const memoryBytesMax = 512 << 20;

let folder: CommandFolder;
beforeEach(() => {
  folder = commandFolder();
});
afterEach(() => folder.dispose());

/** Returns a counter of `/proc/PID/FILE`, in its unit. */
function counterOf(pid: number, file: "io" | "status", name: string): number {
  const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(text)?.[1]);
}

const bytesRead = (pid: number) => counterOf(pid, "io", "rchar");
const peakBytes = (pid: number) => counterOf(pid, "status", "VmHWM") * 1024;

/** Returns whether a process has a file open. */
function hasOpen(pid: number, path: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === path;
    } catch {
      // Closed since.
      return false;
    }
  });
}

/** 64 GB without a line feed. */
function endlessArchive(compression: "gzip" | "zstd"): Uint8Array {
  const zeros = new Uint8Array(16 << 20);
  const part = compression === "gzip" ? gzipSync(zeros) : Bun.zstdCompressSync(zeros);
  return Buffer.concat(Array<Uint8Array>(4_000).fill(part));
}

describe.each(quickestForm)("a read without end ($form)", ({ command }) => {
  test.each([
    ["SIGTERM", "auto"],
    ["SIGINT", "auto"],
    ["SIGTERM", "jsonl"],
    ["SIGTERM", "csv"],
    ["SIGTERM", "zone"],
  ] as const)(
    "%s ends `import` of a line without end in bounded memory: format %s",
    async (signal, format) => {
      const running = folder.start(["import", "--format", format, "/dev/zero"], { command });
      await until(() => bytesRead(running.pid) > readBytesMin, "much is read", waitMs);
      expect(peakBytes(running.pid)).toBeLessThan(memoryBytesMax);
      running.kill(signal);
      expect(await running.exited).toBe(1);
      expect(await new Response(running.stderr).text()).toContain("interrupted after line 0 of /dev/zero");
    },
    waitMs,
  );

  test(
    "SIGTERM ends `import` of standard input that always has more to read",
    async () => {
      const running = Bun.spawn([...command, "import", "-"], {
        cwd: folder.path,
        stdin: Bun.file("/dev/zero"),
        stderr: "pipe",
      });
      await until(() => bytesRead(running.pid) > readBytesMin, "much is read", waitMs);
      expect(peakBytes(running.pid)).toBeLessThan(memoryBytesMax);
      running.kill("SIGTERM");
      expect(await running.exited).toBe(1);
      expect(await new Response(running.stderr).text()).toContain("after line 0 of standard input");
    },
    waitMs,
  );

  test(
    "SIGTERM ends `import` of a named pipe that nobody writes to",
    async () => {
      expect(Bun.spawnSync(["mkfifo", join(folder.path, "names.fifo")]).exitCode).toBe(0);
      const running = folder.start(["import", "names.fifo"], { command });
      await until(() => existsSync(join(folder.path, "data/test.db")), "the import has started", waitMs);
      running.kill("SIGTERM");
      expect(await running.exited).toBe(1);
      expect(await new Response(running.stderr).text()).toContain("interrupted after line 0 of names.fifo");
    },
    waitMs,
  );

  test.each(["gzip", "zstd"] as const)(
    "SIGTERM ends `import` of an archive that decompresses to a line without end: %s",
    async (compression) => {
      const path = folder.file("bomb", endlessArchive(compression));
      const running = folder.start(["import", path], { command });
      await until(() => hasOpen(running.pid, path), "it is open", waitMs);
      expect(peakBytes(running.pid)).toBeLessThan(memoryBytesMax);
      running.kill("SIGTERM");
      expect(await running.exited).toBe(1);
      expect(await new Response(running.stderr).text()).toContain("interrupted after line 0");
    },
    waitMs,
  );

  test(
    "SIGTERM ends `match` of a line without end",
    async () => {
      const running = folder.start(["match", "/dev/zero"], { command });
      await until(() => bytesRead(running.pid) > readBytesMin, "much is read", waitMs);
      running.kill("SIGTERM");
      await running.exited;
      expect(running.signalCode ?? running.exitCode).toBe("SIGTERM");
    },
    waitMs,
  );

  test(
    "A feed whose file is one line of a terabyte delays neither requests nor the end of `serve`",
    async () => {
      const feed = join(folder.path, "feed");
      mkdirSync(feed);
      folder.file("feed/endless.txt", "");
      truncateSync(join(feed, "endless.txt"), 1e12);
      folder.file("phishwatch.toml", `${defaultConfig}\n[[feeds]]\nname = "endless"\npath = "feed"\n`);
      const server = await folder.serve({ command });
      await until(() => bytesRead(server.process.pid) > readBytesMin, "much is read", waitMs);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect(peakBytes(server.process.pid)).toBeLessThan(memoryBytesMax);
      const { code, err } = await server.stop();
      expect(code).toBe(0);
      expect(err).not.toContain("timed out");
      expect(err).not.toContain("check failed");
    },
    waitMs,
  );
});
