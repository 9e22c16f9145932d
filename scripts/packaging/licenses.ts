import { readFileSync } from "node:fs";
import { join } from "node:path";
import { licenseFilesOf, type BundledPackage } from "./bundled-packages.ts";
import type { Bundle } from "./compile.ts";
import { bunVersion, runtimeComponents } from "./runtime-components.ts";
import { root } from "./source.ts";

const rule = "=".repeat(100);

/** Returns the license texts of everything that is in the executable. @throws if a license has no known text */
export function renderLicenses({ packages, bundle }: { packages: BundledPackage[]; bundle: Bundle }): string {
  const own = readFileSync(join(root, "LICENSE"), "utf8").trim();
  const ofPackages = packages.map((each) => {
    const text = licenseFilesOf(each);
    return section(
      `${each.name} ${each.version} (${each.license})`,
      text === "" ? standardText(each.license) : text,
    );
  });
  const identifiers = [...new Set(runtimeComponents.flatMap(({ licenses }) => licenses))].sort();
  return [
    "Licenses of phishwatch and of everything that its executable contains:",
    "phishwatch, packages, data, and the Bun runtime with its libraries.\n",
    section("phishwatch", own),
    ...ofPackages,
    ...dataNotices(bundle).map(({ path, text }) => section(`data: ${path}`, text)),
    section(`Bun ${bunVersion}`, describeRuntime()),
    ...identifiers.map((id) => section(`License text: ${id}`, standardText(id))),
  ].join("\n");
}

function section(title: string, text: string): string {
  return `${rule}\n${title}\n${rule}\n\n${text.replaceAll("\r\n", "\n")}\n`;
}

function describeRuntime(): string {
  const rows = runtimeComponents.map(
    ({ name, licenses, source }) => `${name}\n    ${licenses.join(", ")}\n    ${source}`,
  );
  return `The executable contains the unchanged Bun runtime ${bunVersion}, which links the libraries below. Their authors hold
the copyright. The license texts follow.

JavaScriptCore and TinyCC are under the GNU Lesser General Public License. It permits you to replace them: build Bun
${bunVersion} from its source with your version of the library (https://github.com/oven-sh/bun, CONTRIBUTING.md), and build
phishwatch with that runtime: bun build --compile-executable-path.

${rows.join("\n")}`;
}

/** Returns the text of an SPDX license. */
function standardText(identifier: string): string {
  const path = join(root, "node_modules/spdx-license-list/licenses", `${identifier}.json`);
  const { licenseText } = JSON.parse(readFileSync(path, "utf8")) as { licenseText: string };
  return licenseText.trim();
}

/** Returns the comments at the head of data files, which name their origin and license. */
function dataNotices({ inputs }: Bundle): { path: string; text: string }[] {
  const paths = Object.keys(inputs).filter((path) => /^src\/.*\.(txt|json)$/.test(path));
  return paths.sort().flatMap((path) => {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    const end = lines.findIndex((line) => !line.startsWith("#"));
    const text = lines
      .slice(0, Math.max(end, 0))
      .map((line) => line.replace(/^# ?/, ""))
      .join("\n");
    return text === "" ? [] : [{ path, text }];
  });
}
