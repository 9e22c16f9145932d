import { readFileSync } from "node:fs";
import { join } from "node:path";
import { file, gzip, tar, withFolders, type Entry } from "../archives.ts";
import { projectPackage } from "../source.ts";
import type { DebianArchitecture } from "../targets.ts";
import { configurationPath, debianFiles, maintainer, type DebianContents } from "./files.ts";

/** Version of the C library that the executable needs: the highest symbol version in it. */
const libcVersion = "2.17";

export function debName(architecture: DebianArchitecture): string {
  return `phishwatch_${projectPackage.version}_${architecture}.deb`;
}

/**
 * Returns a Debian package. It is built without dpkg: an `ar` archive of two compressed tar archives, as deb(5)
 * defines it.
 */
export function buildDeb({
  architecture,
  contents,
  timeS,
}: {
  architecture: DebianArchitecture;
  contents: DebianContents;
  timeS: number;
}): Uint8Array<ArrayBuffer> {
  const entries = withFolders(debianFiles(contents, timeS));
  const control = [
    file("control", controlFile(architecture, entries)),
    file("conffiles", `/${configurationPath}\n`),
    file("md5sums", md5sums(entries)),
    ...["postinst", "postrm", "prerm"].map((name) =>
      file(name, readFileSync(join(import.meta.dir, name), "utf8"), 0o755),
    ),
  ];
  return ar(
    [
      { name: "debian-binary", bytes: new TextEncoder().encode("2.0\n") },
      { name: "control.tar.gz", bytes: gzip(tar(inCurrentFolder(control), timeS)) },
      { name: "data.tar.gz", bytes: gzip(tar(inCurrentFolder(entries), timeS)) },
    ],
    timeS,
  );
}

/** Paths begin with `./`, as dpkg expects. */
function inCurrentFolder(entries: readonly Entry[]): Entry[] {
  const inside = entries.map((entry) => ({ ...entry, path: `./${entry.path}` }));
  return [{ kind: "folder", path: "." }, ...inside];
}

function controlFile(architecture: DebianArchitecture, entries: readonly Entry[]): string {
  // In KiB, with 1 KiB for each entry without content, as dpkg-gencontrol counts.
  const sizeKiB = entries.reduce(
    (sum, entry) => sum + (entry.kind === "file" ? Math.ceil(entry.bytes.length / 1024) : 1),
    0,
  );
  return `Package: phishwatch
Version: ${projectPackage.version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${sizeKiB}
Depends: libc6 (>= ${libcVersion}), systemd | systemd-standalone-sysusers | systemd-sysusers
Suggests: chromium
Section: net
Priority: optional
Description: finds phishing look-alikes of your domains
 phishwatch ingests domain names, records look-alikes of your domains as
 threats, looks up DNS, registration data and pages, and exposes the threats
 over an HTTP API and a web console. It delivers every change as a signed
 webhook, and notifies people in chat and by email.
 .
 With chromium, it also takes screenshots of suspicious pages.
`;
}

function md5sums(entries: readonly Entry[]): string {
  return entries
    .flatMap((entry) => {
      if (entry.kind !== "file" || entry.path === configurationPath) return [];
      return [`${new Bun.CryptoHasher("md5").update(entry.bytes).digest("hex")}  ${entry.path}\n`];
    })
    .join("");
}

/** Returns an archive in the format ar(5). */
function ar(members: readonly { name: string; bytes: Uint8Array }[], timeS: number): Uint8Array<ArrayBuffer> {
  const parts = members.flatMap(({ name, bytes }) => {
    const fields = [
      name.padEnd(16),
      String(timeS).padEnd(12),
      "0".padEnd(6),
      "0".padEnd(6),
      "100644".padEnd(8),
    ];
    const header = `${fields.join("")}${String(bytes.length).padEnd(10)}\`\n`;
    return [header, bytes, bytes.length % 2 === 1 ? "\n" : ""];
  });
  return new Uint8Array(Buffer.concat(["!<arch>\n", ...parts].map((part) => Buffer.from(part))));
}
