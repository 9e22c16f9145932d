import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { file, type Entry } from "../archives.ts";
import type { DebianArchitecture } from "../targets.ts";
import { fetchDebianPackage, type PinnedPackage } from "./debian-packages.ts";

/** User and group of the container. */
export const containerUserId = 65_532;

const libcVersion = "2.41-12+deb13u5";
const checksums: Record<DebianArchitecture, Pick<PinnedPackage, "sha256" | "sha1">> = {
  amd64: {
    sha256: "b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf",
    sha1: "2814165ecd61dee3d64ca4dedfbe47fc9da5e3d1",
  },
  arm64: {
    sha256: "0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5",
    sha1: "0211eeeed5b5ca90c8c47ed06e22e557a82795d2",
  },
};

/** Where the executable looks for its loader, and the folder of the C library in Debian. */
const places: Record<DebianArchitecture, { loader: string; libraries: string }> = {
  amd64: { loader: "lib64/ld-linux-x86-64.so.2", libraries: "usr/lib/x86_64-linux-gnu" },
  arm64: { loader: "lib/ld-linux-aarch64.so.1", libraries: "usr/lib/aarch64-linux-gnu" },
};

export function libcPackage(architecture: DebianArchitecture): PinnedPackage {
  return { name: "libc6", version: libcVersion, architecture, pool: "g/glibc", ...checksums[architecture] };
}

/**
 * Returns the files below phishwatch in the image: the C library of Debian and the names of two users. The executable
 * itself contains the certificates of public authorities and the time zones.
 */
export async function baseFiles(architecture: DebianArchitecture): Promise<Entry[]> {
  const { loader, libraries } = places[architecture];
  const unpacked = mkdtempSync(join(tmpdir(), "phishwatch-libc-"));
  try {
    unpackDeb(await fetchDebianPackage(libcPackage(architecture)), unpacked);
    const loaderName = loader.split("/").at(-1)!;
    const names = [loaderName, "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"];
    return [
      ...names.map((name) =>
        file(`${libraries}/${name}`, readFileSync(join(unpacked, libraries, name)), 0o755),
      ),
      { kind: "link", path: loader, to: `/${libraries}/${loaderName}` },
      file("usr/share/doc/libc6/copyright", readFileSync(join(unpacked, "usr/share/doc/libc6/copyright"))),
      file(
        "etc/passwd",
        `root:x:0:0::/root:\nphishwatch:x:${containerUserId}:${containerUserId}::/var/lib/phishwatch:\n`,
      ),
      file("etc/group", `root:x:0:\nphishwatch:x:${containerUserId}:\n`),
      file("etc/nsswitch.conf", "hosts: files dns\n"),
      { kind: "folder", path: "tmp", mode: 0o1777 },
    ];
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** Unpacks the data of a Debian package, which deb(5) defines as an `ar` archive. Needs tar with xz. */
export function unpackDeb(path: string, folder: string): void {
  const bytes = readFileSync(path);
  const { success, stderr } = Bun.spawnSync(["tar", "-xJf", "-", "-C", folder], {
    stdin: arMember(bytes, "data.tar.xz"),
  });
  if (!success) throw new Error(`cannot unpack ${path}: ${stderr.toString().trim()}`);
}

function arMember(archive: Buffer, name: string): Buffer {
  let offset = "!<arch>\n".length;
  while (offset + 60 <= archive.length) {
    const header = archive.toString("latin1", offset, offset + 60);
    const size = Number(header.slice(48, 58));
    const start = offset + 60;
    if (header.slice(0, 16).trim() === name) return archive.subarray(start, start + size);
    offset = start + size + (size % 2);
  }
  throw new Error(`the Debian package has no ${name}`);
}
