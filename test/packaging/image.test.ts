import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { file, sha256 } from "../../scripts/packaging/archives.ts";
import { buildImage, composeFile } from "../../scripts/packaging/image/image.ts";
import { projectPackage } from "../../scripts/packaging/source.ts";

type Descriptor = { digest: string; size: number; mediaType: string };
type Index = { manifests: (Descriptor & { platform?: object; annotations?: Record<string, string> })[] };
type Manifest = { config: Descriptor; layers: Descriptor[] };
type ImageConfig = {
  architecture: string;
  config: {
    User: string;
    Volumes: object;
    ExposedPorts: object;
    Cmd: string[];
    Entrypoint: string[];
    Env: string[];
  };
  rootfs: { diff_ids: string[] };
};

const images = (["amd64", "arm64"] as const).map((architecture) => ({
  architecture,
  executable: new TextEncoder().encode(`program for ${architecture}`),
  licenses: "license texts\n",
  sbom: "{}\n",
  shared: [
    file("clients/phishwatch.ts", "client"),
    file("openapi.json", "{}"),
    file("sandbox.Dockerfile", "FROM x"),
    file("manual.html", "manual"),
  ],
}));

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-image-test-"));
  const base = () => Promise.resolve([file("usr/lib/libc.so.6", "library", 0o755)]);
  const bytes = await buildImage(images, { commit: "abc", timeS: 1_700_000_000, base });
  writeFileSync(join(folder, "image.tar"), bytes);
  expect(Bun.spawnSync(["tar", "-xf", "image.tar"], { cwd: folder }).success).toBe(true);
});
afterAll(() => rmSync(folder, { recursive: true }));

const readJson = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8")) as object;

/** Returns the path of a part of the image, whose checksum and size are compared. */
function partOf({ digest, size }: Descriptor): string {
  const path = `blobs/${digest.replace(":", "/")}`;
  const bytes = readFileSync(join(folder, path));
  expect(`sha256:${sha256(bytes)}`).toBe(digest);
  expect(bytes.length).toBe(size);
  return path;
}

function readImages(): { manifest: Manifest; config: ImageConfig }[] {
  const top = readJson("index.json") as Index;
  const all = readJson(partOf(top.manifests[0]!)) as Index;
  return all.manifests.map((descriptor) => {
    const manifest = readJson(partOf(descriptor)) as Manifest;
    return { manifest, config: readJson(partOf(manifest.config)) as ImageConfig };
  });
}

test("the image is a valid layout whose parts all have the stated checksums and sizes", () => {
  expect(readJson("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
  const parts = new Set(readdirSync(join(folder, "blobs/sha256")));
  // Two processors: manifest, configuration, layer of phishwatch; the index; one layer of the C library for both.
  expect(parts.size).toBe(8);
  for (const { manifest, config } of readImages()) {
    const uncompressed = manifest.layers.map((layer) => {
      const bytes = Bun.gunzipSync(readFileSync(join(folder, partOf(layer))));
      return `sha256:${sha256(bytes)}`;
    });
    expect(config.rootfs.diff_ids).toEqual(uncompressed);
  }
});

test("the image runs without root, on a volume, and needs no arguments", () => {
  expect(readImages().map(({ config }) => config.architecture)).toEqual(["amd64", "arm64"]);
  for (const { config } of readImages()) {
    expect(config.config.User).toBe("65532:65532");
    expect(config.config.Volumes).toEqual({ "/var/lib/phishwatch": {} });
    expect(config.config.ExposedPorts).toEqual({ "8080/tcp": {} });
    expect([...config.config.Entrypoint, ...config.config.Cmd].join(" ")).toBe(
      "phishwatch serve --listen 0.0.0.0:8080",
    );
    expect(config.config.Env).toContain("PHISHWATCH_CONFIG=/etc/phishwatch/phishwatch.toml");
  }
});

test("the volume belongs to the user of the image, and the rest to root", () => {
  const layer = partOf(readImages()[0]!.manifest.layers[1]!);
  const { stdout } = Bun.spawnSync(["tar", "--numeric-owner", "-tvzf", layer], { cwd: folder });
  const owners = stdout
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ +/))
    .map((fields) => `${fields[0]} ${fields[1]} ${fields.at(-1)}`);
  expect(owners.filter((line) => !line.includes(" 0/0 "))).toEqual([
    "drwx------ 65532/65532 var/lib/phishwatch/",
  ]);
  expect(owners).toContain("-rwxr-xr-x 0/0 usr/bin/phishwatch");
});

test("the image has the client, the OpenAPI document and the definition of the sandbox, and no manual", () => {
  const layer = partOf(readImages()[0]!.manifest.layers[1]!);
  const { stdout } = Bun.spawnSync(["tar", "-tzf", layer], { cwd: folder });
  const documentation = stdout
    .toString()
    .split("\n")
    .flatMap((path) => /^usr\/share\/doc\/phishwatch\/(.*[^/])$/.exec(path)?.[1] ?? []);
  expect(documentation).toEqual([
    "clients/phishwatch.ts",
    "licenses.txt",
    "openapi.json",
    "sandbox.Dockerfile",
    "sbom.cdx.json",
  ]);
});

test("the Compose file names the image of this version and checks its health", () => {
  const compose = Bun.YAML.parse(composeFile()) as {
    services: { phishwatch: { image: string; healthcheck: { test: string[] }; ports: string[] } };
  };
  const { image, healthcheck, ports } = compose.services.phishwatch;
  const annotations = (readJson("index.json") as Index).manifests[0]!.annotations!;
  expect(annotations["org.opencontainers.image.ref.name"]).toBe(image);
  expect(image).toBe(`localhost/phishwatch:${projectPackage.version}`);
  expect(healthcheck.test).toEqual([
    "CMD",
    "phishwatch",
    "check",
    "--running",
    "--url",
    "http://127.0.0.1:8080",
  ]);
  expect(ports).toEqual(["127.0.0.1:8080:8080"]);
});
