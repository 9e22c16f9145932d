import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundle } from "./compile.ts";
import { root } from "./source.ts";

/** A package of which code is in the executable. */
export interface BundledPackage {
  name: string;
  version: string;
  /** SPDX identifier or expression. */
  license: string;
  /** Checksum of the package's archive as in `bun.lock`: `sha512-` and base64. */
  integrity: string;
  /** Path of its folder, relative to the project's. */
  folder: string;
}

/** Returns the packages of which files are in the bundle, by name. @throws if one is not in `bun.lock` */
export function bundledPackages(bundle: Bundle): BundledPackage[] {
  const folders = Object.keys(bundle.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const locked = readLock();
  const packages = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    ) as {
      name: string;
      version: string;
      license?: unknown;
    };
    if (typeof license !== "string") throw new Error(`${folder}/package.json names no license`);
    const integrity = locked.get(`${name}@${version}`);
    if (integrity === undefined) {
      throw new Error(`${name} ${version} is not in bun.lock: run scripts/install`);
    }
    return { name, version, license, integrity, folder };
  });
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the checksums of `bun.lock` by name and version: `name@version`. */
function readLock(): Map<string, string> {
  const lines = readFileSync(join(root, "bun.lock"), "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const entry = /^ {4}"[^"]+": \["([^"]+)", .*"(sha512-[^"]+)"\],?$/.exec(line);
      return entry === null ? [] : [[entry[1]!, entry[2]!]];
    }),
  );
}

/** Returns the text of the license files of a package; empty if it has none. */
export function licenseFilesOf({ folder }: BundledPackage): string {
  const names = readdirSync(join(root, folder)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(root, folder, name), "utf8").trim())
    .join("\n\n");
}
