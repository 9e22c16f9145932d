import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import {
  checksumLines,
  file,
  folder,
  gzip,
  tar,
  withFolders,
  zip,
} from "../../scripts/packaging/archives.ts";

const timeS = Date.UTC(2026, 10, 22, 12, 30, 2) / 1000;
const contents = new Uint8Array(70_000).map((_, index) => index % 251);

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "phishwatch-archives-"));
});
afterEach(() => rmSync(path, { recursive: true }));

function entries() {
  return withFolders([
    file("top/docs/a.md", "# A\n"),
    file("top/program", contents, 0o755),
    { ...file("top/secret", "x", 0o640), group: { id: 65532, name: "phishwatch" } },
    { kind: "link", path: "top/linked", to: "docs/a.md" },
    folder("top/empty", 0o700),
  ]);
}

test("the tar program reads every entry of an archive with its mode, owner and time", () => {
  writeFileSync(join(path, "a.tar"), tar(entries(), timeS));
  const { stdout } = Bun.spawnSync(["tar", "--utc", "--full-time", "-tvf", "a.tar"], {
    cwd: path,
    env: { ...process.env, LC_ALL: "C" },
  });
  const lines = stdout.toString().trimEnd().split("\n");
  expect(lines.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "drwxr-xr-x root/root 0 2026-11-22 12:30:02 top/",
    "drwxr-xr-x root/root 0 2026-11-22 12:30:02 top/docs/",
    "-rw-r--r-- root/root 4 2026-11-22 12:30:02 top/docs/a.md",
    "drwx------ root/root 0 2026-11-22 12:30:02 top/empty/",
    "lrwxrwxrwx root/root 0 2026-11-22 12:30:02 top/linked -> docs/a.md",
    "-rwxr-xr-x root/root 70000 2026-11-22 12:30:02 top/program",
    "-rw-r----- root/phishwatch 1 2026-11-22 12:30:02 top/secret",
  ]);
});

test("the tar program unpacks a compressed archive to the same files", () => {
  writeFileSync(join(path, "a.tar.gz"), gzip(tar(entries(), timeS)));
  const { success } = Bun.spawnSync(["tar", "--no-same-owner", "-xzf", "a.tar.gz"], { cwd: path });
  expect(success).toBe(true);
  expect(new Uint8Array(readFileSync(join(path, "top/program")))).toEqual(contents);
  expect(statSync(join(path, "top/program")).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(path, "top/linked"))).toBe("docs/a.md");
});

test("a compressed archive contains neither a name nor the time of the build", () => {
  const header = gzip(tar(entries(), timeS)).subarray(0, 8);
  // RFC 1952: the flags are 0 without a name, and the time is 0 if there is none.
  expect([...header]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
});

test("a ZIP archive has the files with the UTC time of the commit in every time zone", () => {
  const inZone = (zone: string) => {
    const script = `
      import { file, zip } from "./scripts/packaging/archives.ts";
      process.stdout.write(zip([file("a", "x")], ${timeS}));`;
    const { stdout } = Bun.spawnSync([process.execPath, "-e", script], {
      cwd: join(import.meta.dir, "../.."),
      env: { ...process.env, TZ: zone },
    });
    return stdout.toString("hex");
  };
  expect(inZone("Asia/Kathmandu")).toBe(inZone("America/St_Johns"));
  const unpacked = unzipSync(zip(entries(), timeS));
  expect(Object.keys(unpacked).sort()).toEqual(["top/docs/a.md", "top/program", "top/secret"]);
  expect(unpacked["top/program"]).toEqual(contents);
});

test("a path that the format cannot store is rejected", () => {
  expect(() => tar([file(`${"long/".repeat(20)}a`, "")], timeS)).toThrow("path of more than 100 bytes");
});

test("the sha256sum program accepts the checksums", () => {
  writeFileSync(join(path, "a"), contents);
  writeFileSync(join(path, "SHA256SUMS"), checksumLines([{ name: "a", bytes: contents }]));
  const check = () => Bun.spawnSync(["sha256sum", "--check", "SHA256SUMS"], { cwd: path }).success;
  expect(check()).toBe(true);
  writeFileSync(join(path, "a"), contents.subarray(1));
  expect(check()).toBe(false);
});
