import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { sha256 } from "../../scripts/packaging/archives.ts";
import {
  fetchDebianPackage,
  type PackageOrigins,
  type PinnedPackage,
} from "../../scripts/packaging/image/debian-packages.ts";

const contents = new TextEncoder().encode("the package");
const wanted: PinnedPackage = {
  name: "libc6",
  version: "2.41-12+deb13u5",
  architecture: "amd64",
  pool: "g/glibc",
  sha256: sha256(contents),
  sha1: new Bun.CryptoHasher("sha1").update(contents).digest("hex"),
};
const fileName = "libc6_2.41-12+deb13u5_amd64.deb";
const mirrorPath = `/debian/pool/main/g/glibc/${fileName}`;
const archivePath = `/file/${wanted.sha1}`;

/** Plays both the mirror and the archive: its files by path. */
let files: Map<string, Uint8Array>;
let requests: string[];
let server: Bun.Server<undefined>;
let origins: PackageOrigins;
beforeEach(() => {
  files = new Map();
  requests = [];
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const path = decodeURIComponent(new URL(request.url).pathname);
      requests.push(path);
      const bytes = files.get(path);
      return bytes === undefined ? new Response(null, { status: 404 }) : new Response(bytes.slice());
    },
  });
  const folder = join(mkdtempSync(join(tmpdir(), "phishwatch-packages-")), "debian");
  origins = { folder, mirror: `${server.url}debian/`, archive: `${server.url}file/` };
});
afterEach(async () => {
  await server.stop(true);
  rmSync(join(origins.folder, ".."), { recursive: true });
});

const fetched = async () => readFileSync(await fetchDebianPackage(wanted, origins));

test.skipIf(!existsSync("/usr/lib/apt/apt-helper"))(
  "a pinned package comes from the mirror, and is fetched once",
  async () => {
    files.set(mirrorPath, contents).set(archivePath, contents);
    expect(new Uint8Array(await fetched())).toEqual(contents);
    expect(new Uint8Array(await fetched())).toEqual(contents);
    expect(requests).toEqual([mirrorPath]);
    expect(readdirSync(origins.folder)).toEqual([fileName]);
  },
);

test("a package that the mirror has replaced comes from the archive, by its checksum", async () => {
  files.set(archivePath, contents);
  expect(new Uint8Array(await fetched())).toEqual(contents);
  expect(requests.at(-1)).toBe(archivePath);
  expect(readdirSync(origins.folder)).toEqual([fileName]);
});

test("a machine without a mirror of Debian fetches from the archive", async () => {
  origins.mirror = undefined;
  files.set(archivePath, contents);
  expect(new Uint8Array(await fetched())).toEqual(contents);
  expect(requests).toEqual([archivePath]);
});

test("changed bytes are rejected wherever they come from, and the error says where to put which file", async () => {
  const changed = new TextEncoder().encode("another package");
  files.set(mirrorPath, changed).set(archivePath, changed);
  const error = await fetchDebianPackage(wanted, origins).then(String, String);
  expect(error).toContain(`${fileName} cannot be fetched`);
  expect(error).toContain(`${archivePath} has the SHA-256 ${sha256(changed)}`);
  expect(error).toContain(`Put the file with the SHA-256 ${wanted.sha256} into ${origins.folder}.`);
  expect(readdirSync(origins.folder)).toEqual([]);
});

test("a package that was put into the folder is used without any request", async () => {
  mkdirSync(origins.folder, { recursive: true });
  writeFileSync(join(origins.folder, fileName), contents);
  expect(new Uint8Array(await fetched())).toEqual(contents);
  expect(requests).toEqual([]);
});

test("a file in the folder with another checksum is rejected and not replaced", async () => {
  files.set(archivePath, contents);
  mkdirSync(origins.folder, { recursive: true });
  writeFileSync(join(origins.folder, fileName), "damaged");
  const error = await fetchDebianPackage(wanted, origins).then(String, String);
  expect(error).toContain(`instead of ${wanted.sha256}. Delete the file.`);
  expect(requests).toEqual([]);
});
