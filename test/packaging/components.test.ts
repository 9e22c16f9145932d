import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "bun:test";
import { sbomErrors } from "../../scripts/packaging/check/sbom.ts";
import { bundledPackages, type BundledPackage } from "../../scripts/packaging/bundled-packages.ts";
import type { Bundle } from "../../scripts/packaging/compile.ts";
import { renderLicenses } from "../../scripts/packaging/licenses.ts";
import { renderSbom } from "../../scripts/packaging/sbom.ts";
import { projectPackage, root } from "../../scripts/packaging/source.ts";

let bundle: Bundle;
let packages: BundledPackage[];
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-bundle-"));
  const metafile = join(folder, "meta.json");
  const { success } = Bun.spawnSync(
    [
      process.execPath,
      "build",
      "--target=bun",
      `--metafile=${metafile}`,
      `--outdir=${folder}`,
      "src/main.ts",
    ],
    { cwd: root, stdio: ["ignore", "ignore", "ignore"] },
  );
  expect(success).toBe(true);
  bundle = JSON.parse(readFileSync(metafile, "utf8")) as Bundle;
  packages = bundledPackages(bundle);
  rmSync(folder, { recursive: true });
});

/** Reads `bun.lock` as JSON, which it is apart from commas after the last entry. */
function readLock(): Map<string, string> {
  const text = readFileSync(join(root, "bun.lock"), "utf8").replaceAll(/,(\s*[\]}])/g, "$1");
  const lock = JSON.parse(text) as { packages: Record<string, [string, string, object, string]> };
  return new Map(Object.values(lock.packages).map(([id, , , checksum]) => [id, checksum]));
}

type Sbom = {
  serialNumber: string;
  components: {
    name: string;
    purl?: string;
    version?: string;
    hashes?: { content: string }[];
    licenses: object[];
  }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const sbom = (target: string) =>
  JSON.parse(renderSbom({ packages, commit: "abc", timeS: 1_700_000_000, target })) as Sbom;

test("every package that the program needs at runtime is bundled, and no package for development", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: object;
    devDependencies: object;
  };
  const names = packages.map(({ name }) => name);
  expect(Object.keys(manifest.dependencies).filter((name) => !names.includes(name))).toEqual([]);
  expect(Object.keys(manifest.devDependencies).filter((name) => names.includes(name))).toEqual([]);
});

test("the list of components has every bundled package with the version and checksum of bun.lock", () => {
  const locked = readLock();
  const listed = sbom("linux-x64").components.filter(({ purl }) => purl?.startsWith("pkg:npm/") === true);
  expect(listed.length).toBe(packages.length);
  for (const { name, version, purl, hashes, licenses } of listed) {
    expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
    const checksum = `sha512-${Buffer.from(hashes![0]!.content, "hex").toString("base64")}`;
    expect(checksum).toBe(locked.get(`${name}@${version}`)!);
    expect(licenses.length).toBeGreaterThan(0);
  }
  expect(sbom("linux-x64").components[0]).toMatchObject({ name: "bun", version: projectPackage.engines.bun });
});

test("the list of components is valid by the schema of CycloneDX, whose validation finds a wrong license", () => {
  const valid = renderSbom({ packages, commit: "abc", timeS: 1_700_000_000, target: "linux-x64" });
  expect(packages.filter(({ license }) => license.includes(" ")).map(({ name }) => name)).toContain("qr");
  expect(sbomErrors(valid)).toEqual([]);
  const wrong = valid.replace('"expression": "', '"license": { "id": "').replace(/("id": "\(.+")/, "$1 }");
  expect(sbomErrors(wrong).join("\n")).toContain("license/id: must be equal to one of the allowed values");
});

test("every component of the runtime that is on GitHub has a package URL, apart from parts of Bun", () => {
  const linked = sbom("linux-x64").components.filter(({ name }) =>
    packages.every((each) => each.name !== name),
  );
  const without = linked.filter(({ purl }) => purl === undefined).map(({ name }) => name);
  expect(without).toEqual(["acorn, Node.js polyfills", "BoringSSL"]);
  expect(linked.map(({ purl }) => purl)).toContain("pkg:github/oven-sh/webkit");
});

test("the serial number of the list of components follows from its content", () => {
  expect(sbom("linux-x64").serialNumber).toBe(sbom("linux-x64").serialNumber);
  expect(sbom("linux-x64").serialNumber).not.toBe(sbom("linux-arm64").serialNumber);
  expect(sbom("linux-x64").serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
});

test("the license texts cover phishwatch, every bundled package, the data and the runtime", () => {
  const text = renderLicenses({ packages, bundle });
  const sections = text.split(/^={100}\n(.+)\n={100}\n$/m);
  const byTitle = new Map(
    sections.flatMap((title, index) => (index % 2 ? [[title, sections[index + 1]!]] : [])),
  );
  expect(byTitle.get("phishwatch")).toContain("MIT License");
  for (const { name, version, license } of packages) {
    const section = byTitle.get(`${name} ${version} (${license})`) ?? "";
    expect(`${name}: ${section}`).toMatch(/permission|licen[sc]e|redistribution/i);
    expect(section.length).toBeGreaterThan(500);
  }
  expect(byTitle.get("data: src/engines/detection/data/words.txt")).toContain("Kevin Atkinson");
  expect(byTitle.get("License text: LGPL-2.0-or-later")).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
});

test("the manual and the README name the files of this version", () => {
  for (const path of ["README.md", "src/manual/install.md"]) {
    const text = readFileSync(join(root, path), "utf8");
    const versions = [...text.matchAll(/phishwatch(?:-|_|:)(\d+\.\d+\.\d+)/g)].map(([, version]) => version);
    expect(versions.length).toBeGreaterThan(2);
    expect(versions.filter((version) => version !== projectPackage.version)).toEqual([]);
  }
});
