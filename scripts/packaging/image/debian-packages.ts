import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../archives.ts";
import { root } from "../source.ts";

/** A package of Debian at a fixed version. */
export interface PinnedPackage {
  name: string;
  version: string;
  architecture: string;
  /** Folder of its source package below `pool/main` of a mirror, such as `g/glibc`. */
  pool: string;
  /** SHA-256 of the file, in hexadecimal. Only a file with this checksum is used, wherever it comes from. */
  sha256: string;
  /** SHA-1 of the file, under which the snapshot archive keeps it. */
  sha1: string;
}

/** Where packages come from. */
export interface PackageOrigins {
  /** Folder with the files that were fetched earlier or put there by hand. */
  folder: string;
  /** URL of a Debian mirror, which keeps a version until some time after a newer one replaces it. Undefined: none. */
  mirror: string | undefined;
  /** URL of an archive that keeps every version, in front of the SHA-1 of a file. */
  archive: string;
}

const aptHelper = "/usr/lib/apt/apt-helper";
const archiveTimeoutMs = 120_000;

function defaultOrigins(): PackageOrigins {
  return {
    folder: join(root, ".tools/debian"),
    mirror: debianMirror(),
    archive: "https://snapshot.debian.org/file/",
  };
}

/**
 * Returns the path of a package's file: from the folder, otherwise from the mirror, otherwise from the archive.
 * @throws if none of them has the file with this checksum
 */
export async function fetchDebianPackage(
  wanted: PinnedPackage,
  origins: PackageOrigins = defaultOrigins(),
): Promise<string> {
  const fileName = fileNameOf(wanted);
  const path = join(origins.folder, fileName);
  if (existsSync(path)) {
    const checksum = sha256(readFileSync(path));
    if (checksum === wanted.sha256) return path;
    throw new Error(`${path} has the SHA-256 ${checksum} instead of ${wanted.sha256}. Delete the file.`);
  }
  mkdirSync(origins.folder, { recursive: true });
  const staging = mkdtempSync(join(origins.folder, "staging-"));
  try {
    const target = join(staging, fileName);
    const mirrorProblem = await fromMirror(wanted, origins.mirror, target);
    if (mirrorProblem !== undefined) {
      const archiveProblem = await fromArchive(wanted, origins.archive, target);
      if (archiveProblem !== undefined) {
        throw new Error(
          `${fileName} cannot be fetched.\n  Debian mirror: ${mirrorProblem}\n  snapshot archive: ${archiveProblem}\n` +
            `Put the file with the SHA-256 ${wanted.sha256} into ${origins.folder}.`,
        );
      }
      console.error(
        `${fileName} was fetched from the snapshot archive. Debian mirror: ${mirrorProblem}\n` +
          "If Debian has replaced this version, change version and checksums in scripts/packaging before the next release.",
      );
    }
    renameSync(target, path);
    return path;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function fileNameOf({ name, version, architecture }: PinnedPackage): string {
  return `${name}_${version}_${architecture}.deb`;
}

/** Fetches with apt, which knows the machine's proxies and compares the checksum. Returns why it failed, if it did. */
async function fromMirror(
  wanted: PinnedPackage,
  mirror: string | undefined,
  target: string,
): Promise<string | undefined> {
  if (mirror === undefined) return "apt has no source of Debian packages that ends with /debian";
  if (!existsSync(aptHelper)) return "apt is missing";
  const url = `${mirror.replace(/\/$/, "")}/pool/main/${wanted.pool}/${fileNameOf(wanted)}`;
  const child = Bun.spawn(
    [aptHelper, "-oAPT::Sandbox::User=", "download-file", url, target, `SHA256:${wanted.sha256}`],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) === 0 && existsSync(target)) return undefined;
  return /^E: (.+)$/m.exec(errors)?.[1] ?? `apt-helper failed for ${url}`;
}

/** Returns why it failed, if it did. */
async function fromArchive(
  wanted: PinnedPackage,
  archive: string,
  target: string,
): Promise<string | undefined> {
  const url = `${archive}${wanted.sha1}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(archiveTimeoutMs) });
    if (!response.ok) return `${url} returned ${response.status}`;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const checksum = sha256(bytes);
    if (checksum !== wanted.sha256) return `${url} has the SHA-256 ${checksum}`;
    writeFileSync(target, bytes);
    return undefined;
  } catch (error) {
    return `${url}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Returns the address of the Debian mirror that the machine uses, or undefined if it uses none. */
function debianMirror(): string | undefined {
  if (Bun.which("apt-get") === null) return undefined;
  const configured = Bun.spawnSync([
    "apt-get",
    "indextargets",
    "--format",
    "$(SITE) $(REPO_URI)",
    "Created-By: Packages",
  ]);
  const line = configured.stdout
    .toString()
    .split("\n")
    .find((text) => /\/debian\/?$/.test(text));
  return line?.split(" ")[1];
}
