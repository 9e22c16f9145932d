import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectPackage, root } from "./source.ts";

const version = projectPackage.engines.bun;
const folder = join(root, ".tools", `runtimes-${version}`);

/**
 * Returns the path of the Bun runtime of each platform, by platform. Fetches missing ones from the npm registry with
 * Bun, which compares them with the checksums of `scripts/bun.sha512` before it unpacks them.
 * @throws if a platform has no checksum, or a package cannot be fetched or has another checksum
 */
export async function fetchRuntimes(platforms: string[]): Promise<Map<string, string>> {
  const missing = platforms.filter((platform) => !existsSync(pathOf(platform)));
  if (missing.length > 0) await fetchPackages(missing);
  return new Map(platforms.map((platform) => [platform, pathOf(platform)]));
}

function pathOf(platform: string): string {
  return join(folder, platform.startsWith("windows") ? `${platform}.exe` : platform);
}

async function fetchPackages(platforms: string[]): Promise<void> {
  const checksums = readChecksums();
  const packages = platforms.map((platform) => {
    const checksum = checksums.get(platform);
    if (checksum === undefined) {
      throw new Error(
        `scripts/bun.sha512 has no checksum of @oven/bun-${platform} ${version}. ` +
          `Add the one that npm view @oven/bun-${platform}@${version} dist.integrity prints.`,
      );
    }
    return { platform, name: `@oven/bun-${platform}`, checksum };
  });
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(folder, "staging-"));
  try {
    const dependencies = Object.fromEntries(packages.map(({ name }) => [name, version]));
    const project = { name: "fetched", private: true, dependencies };
    writeFileSync(join(staging, "package.json"), JSON.stringify(project));
    // Entries without a platform: Bun would leave out packages that are for another one than this machine's.
    const locked = packages.map(({ name, checksum }) => [name, [`${name}@${version}`, "", {}, checksum]]);
    const lock = {
      lockfileVersion: 1,
      workspaces: { "": { name: "fetched", dependencies } },
      packages: Object.fromEntries(locked) as object,
    };
    writeFileSync(join(staging, "bun.lock"), JSON.stringify(lock));
    const child = Bun.spawn(
      [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--no-summary"],
      {
        cwd: staging,
        // The cache of earlier installations is not compared with the checksums.
        env: { ...process.env, BUN_INSTALL_CACHE_DIR: join(staging, "cache") },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    if ((await child.exited) !== 0) throw new Error(`cannot fetch the Bun runtimes ${platforms.join(", ")}`);
    for (const { platform, name } of packages) {
      const file = platform.startsWith("windows") ? "bun.exe" : "bun";
      renameSync(join(staging, "node_modules", name, "bin", file), pathOf(platform));
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Returns the checksums of the pinned version by platform. */
function readChecksums(): Map<string, string> {
  const lines = readFileSync(join(root, "scripts/bun.sha512"), "utf8").trimEnd().split("\n");
  const [first, ...rest] = lines.map((line) => line.split(" "));
  if (first?.[0] !== "version" || first[1] !== version) {
    throw new Error(`scripts/bun.sha512 does not begin with "version ${version}"`);
  }
  return new Map(rest.map(([platform, checksum]) => [platform!, checksum!]));
}
