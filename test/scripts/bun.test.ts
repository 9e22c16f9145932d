/** Runs scripts/bun with a registry on loopback that serves another package than the pinned one. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/appliance.ts";

const top = join(import.meta.dir, "../..");
const version = (JSON.parse(readFileSync(join(top, "package.json"), "utf8")) as { engines: { bun: string } })
  .engines.bun;
const platforms = readFileSync(join(top, "scripts/bun.sha512"), "utf8")
  .split("\n")
  .slice(1, -1)
  .map((line) => line.split(" ")[0]!);

let folder: ReturnType<typeof temporaryFolder>;
let registry: ReturnType<typeof serveRegistry>;
let marker: string;
beforeEach(() => {
  folder = temporaryFolder();
  marker = join(folder.path, "executed");
  for (const name of ["scripts", "path"]) mkdirSync(join(folder.path, name));
  for (const name of ["package.json", "scripts/bun", "scripts/bun.sha512"])
    copyFileSync(join(top, name), join(folder.path, name));
  registry = serveRegistry(`#!/bin/sh\necho ran >>'${marker}'\necho ${version}\n`);
});
afterEach(async () => {
  await registry.stop();
  folder.dispose();
});

/** Serves one package under the names of all platforms, with the checksum of that package. */
function serveRegistry(program: string) {
  const archives = new Map<string, Uint8Array<ArrayBuffer>>();
  const archiveOf = (name: string) => {
    const archive = archives.get(name) ?? pack(name, program);
    archives.set(name, archive);
    return archive;
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request): Response {
      const path = decodeURIComponent(new URL(request.url).pathname);
      const name = /^\/(@oven\/bun-[a-z0-9-]+?)(?:\/-\/.*)?$/.exec(path)?.[1];
      if (name === undefined) return new Response(null, { status: 404 });
      const archive = archiveOf(name);
      if (path.endsWith(".tgz")) return new Response(archive);
      const tarball = `${new URL(request.url).origin}/${name}/-/${name.slice(6)}-${version}.tgz`;
      const dist = { tarball, integrity: checksumOf(archive) };
      return Response.json({
        name,
        "dist-tags": { latest: version },
        versions: { [version]: { name, version, dist } },
      });
    },
  });
  return {
    url: server.url.origin,
    checksum: (name: string) => checksumOf(archiveOf(name)),
    stop: () => server.stop(true),
  };
}

function pack(name: string, program: string): Uint8Array<ArrayBuffer> {
  const home = temporaryFolder();
  mkdirSync(join(home.path, "package/bin"), { recursive: true });
  writeFileSync(join(home.path, "package/package.json"), JSON.stringify({ name, version }));
  writeFileSync(join(home.path, "package/bin/bun"), program, { mode: 0o755 });
  const { stdout, success } = Bun.spawnSync(["tar", "-czf", "-", "package"], { cwd: home.path });
  expect(success).toBe(true);
  home.dispose();
  return new Uint8Array(stdout);
}

function checksumOf(archive: Uint8Array): string {
  return `sha512-${new Bun.CryptoHasher("sha512").update(archive).digest("base64")}`;
}

/** Puts programs into the only folder of the PATH, beside those of the shell. */
function provide(manager: "npm" | "bun"): void {
  const path = join(folder.path, "path");
  for (const name of ["mkdir", "mv", "rm", "uname", "sh", "env"])
    symlinkSync(Bun.which(name)!, join(path, name));
  if (manager === "npm") for (const name of ["node", "npm"]) symlinkSync(Bun.which(name)!, join(path, name));
  else {
    const program = `#!/bin/sh\n[ "$1" != --version ] || { echo 1.3.0; exit; }\nexec '${process.execPath}' "$@"\n`;
    writeFileSync(join(path, "bun"), program);
    chmodSync(join(path, "bun"), 0o755);
  }
}

async function run() {
  const running = Bun.spawn(["/bin/sh", join(folder.path, "scripts/bun"), "--version"], {
    env: {
      PATH: join(folder.path, "path"),
      HOME: folder.path,
      npm_config_registry: registry.url,
      BUN_CONFIG_REGISTRY: registry.url,
      npm_config_fetch_retries: "0",
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
    running.exited,
  ]);
  return { out, err, code };
}

test.each(["npm", "bun"] as const)(
  "A package of Bun that is not the pinned one is neither installed nor run, although the registry states its checksum: fetched with %s",
  async (manager) => {
    provide(manager);
    const { code, out, err } = await run();
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/EINTEGRITY|Integrity check failed/);
    expect(err).toContain("it was not installed");
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(folder.path, `.tools/bun-${version}/bun`))).toBe(false);
  },
  60_000,
);

test.each(["npm", "bun"] as const)(
  "The pinned package of Bun is installed and run: fetched with %s",
  async (manager) => {
    provide(manager);
    const lines = platforms.map((platform) => `${platform} ${registry.checksum(`@oven/bun-${platform}`)}\n`);
    writeFileSync(join(folder.path, "scripts/bun.sha512"), `version ${version}\n${lines.join("")}`);
    expect(await run()).toMatchObject({ code: 0, out: `${version}\n` });
    expect(existsSync(join(folder.path, `.tools/bun-${version}/bun`))).toBe(true);
    await registry.stop();
    expect(await run()).toMatchObject({ code: 0, out: `${version}\n`, err: "" });
  },
  60_000,
);

test("A version of Bun without checksums is not fetched", async () => {
  provide("npm");
  const path = join(folder.path, "scripts/bun.sha512");
  writeFileSync(path, readFileSync(path, "utf8").replace(/^version .*/, "version 1.0.0"));
  const { code, err } = await run();
  expect(code).toBe(1);
  expect(err).toContain("scripts/bun.sha512 has no checksum of @oven/bun-");
});

test("The checksums are those of the pinned version, for each platform", () => {
  const lines = readFileSync(join(top, "scripts/bun.sha512"), "utf8").trimEnd().split("\n");
  expect(lines.shift()).toBe(`version ${version}`);
  for (const line of lines)
    expect(line).toMatch(/^(linux|darwin|windows)-[a-z0-9-]+ sha512-[A-Za-z0-9+/]{86}==$/);
  for (const platform of [
    "linux-x64",
    "linux-x64-baseline",
    "linux-x64-musl",
    "linux-aarch64",
    "darwin-aarch64",
  ])
    expect(platforms).toContain(platform);
});
