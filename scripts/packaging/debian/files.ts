import { readFileSync } from "node:fs";
import { join } from "node:path";
import { file, gzip, type Entry } from "../archives.ts";
import { serviceConfiguration } from "../../../src/platform/service/install.ts";
import { projectPackage, root } from "../source.ts";

export const configurationPath = "etc/phishwatch/phishwatch.toml";
/** Address of no real mailbox: the package is not part of Debian. */
export const maintainer = "The phishwatch authors <maintainers@phishwatch.example>";
const documentation = "usr/share/doc/phishwatch";

export interface DebianContents {
  executable: Uint8Array;
  licenses: string;
  sbom: string;
  /** Files of the release archives by path, such as `manual.html`. */
  shared: readonly Entry[];
  /** The unit of the service, which starts `/usr/bin/phishwatch`. */
  unit: string;
}

/** Where the Debian package puts the files of the archive. All others are documentation. */
const places: Record<string, string> = {
  "completions/phishwatch.bash": "usr/share/bash-completion/completions/phishwatch",
  "completions/_phishwatch": "usr/share/zsh/vendor-completions/_phishwatch",
  "completions/phishwatch.fish": "usr/share/fish/vendor_completions.d/phishwatch.fish",
};

/** Returns the files of the package. */
export function debianFiles(
  { executable, licenses, sbom, shared, unit }: DebianContents,
  timeS: number,
): Entry[] {
  const own = (name: string) => readFileSync(join(import.meta.dir, name), "utf8");
  return [
    file("usr/bin/phishwatch", executable, 0o755),
    // It contains secrets, so only root may read it until postinst permits it to the group of the service.
    file(configurationPath, serviceConfiguration(), 0o640),
    file("usr/lib/systemd/system/phishwatch.service", unit),
    file("usr/lib/sysusers.d/phishwatch.conf", own("phishwatch.sysusers")),
    file("usr/share/lintian/overrides/phishwatch", own("phishwatch.lintian-overrides")),
    file(`${documentation}/copyright`, copyright()),
    file(`${documentation}/changelog.gz`, gzip(new TextEncoder().encode(changelog(timeS)), 9)),
    file(`${documentation}/licenses.txt`, licenses),
    file(`${documentation}/sbom.cdx.json`, sbom),
    ...shared.flatMap((entry) => {
      if (
        entry.kind !== "file" ||
        ["LICENSE", "licenses.txt", "systemd/phishwatch.service"].includes(entry.path)
      ) {
        return [];
      }
      if (entry.path === "man/phishwatch.1")
        return [file("usr/share/man/man1/phishwatch.1.gz", gzip(entry.bytes, 9))];
      return [file(places[entry.path] ?? `${documentation}/${entry.path}`, entry.bytes)];
    }),
  ];
}

/** Returns the copyright file in Debian's format. */
function copyright(): string {
  const license = readFileSync(join(root, "LICENSE"), "utf8").trim().split("\n");
  const holder = license.find((line) => line.startsWith("Copyright")) ?? "";
  const text = license
    .slice(license.indexOf(holder) + 1)
    .filter((_line, index, all) => index > 0 || all[0] !== "");
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: phishwatch
Comment: The executable contains other software. Its licenses are in
 /${documentation}/licenses.txt.

Files: *
Copyright: ${holder.replace(/^Copyright (\(c\) )?/, "")}
License: Expat
${text.map((line) => (line === "" ? " ." : ` ${line}`)).join("\n")}
`;
}

function changelog(timeS: number): string {
  const date = new Date(timeS * 1000).toUTCString().replace("GMT", "+0000");
  return `phishwatch (${projectPackage.version}) stable; urgency=medium

  * The changes are listed in /${documentation}/manual/whats-new.md.

 -- ${maintainer}  ${date}
`;
}
