import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Packages and servers that the benchmarks compare phishwatch with; none of them is a dependency of the product. */
export const peersFolder = join(import.meta.dir, "peers");
const packages = join(peersFolder, "node_modules");
/** Debian packages of the programs that are compared. */
const debianPackages = ["dnstwist"];

/** Indicates whether the npm packages of the peers are installed. */
export function peersInstalled(): boolean {
  return existsSync(packages);
}

/** Returns the name and the installed version of an npm package of the peers. */
export function peerVersion(name: string): string {
  const file = join(packages, name, "package.json");
  return `${name} ${(JSON.parse(readFileSync(file, "utf8")) as { version: string }).version}`;
}

/**
 * Installs the npm packages that the lock file pins, and the Debian packages.
 * @throws if an installation fails; compiling better-sqlite3 needs Python and a C++ compiler.
 */
export function installPeers(): void {
  const install = (command: string[], cwd: string) => {
    console.error(`Installing: ${command.join(" ")} ...`);
    return Bun.spawnSync(command, { cwd, stdio: ["ignore", "inherit", "inherit"] }).success;
  };
  if (!install(["npm", "ci"], peersFolder)) {
    rmSync(packages, { recursive: true, force: true });
    throw new Error("npm ci failed");
  }
  const missing = debianPackages.filter((name) => Bun.which(name) === null);
  if (missing.length > 0 && !install(["apt-get", "install", "--yes", ...missing], peersFolder)) {
    throw new Error(`apt-get install failed for ${missing.join(" ")}`);
  }
}
