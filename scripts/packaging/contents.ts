import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clients } from "../../src/web/api/clients/clients.ts";
import { findManualPage, manualPages } from "../../src/manual/manual.ts";
import { file, type Entry } from "./archives.ts";
import { bundledPackages } from "./bundled-packages.ts";
import type { Bundle } from "./compile.ts";
import { print } from "./print.ts";
import { renderLicenses } from "./licenses.ts";
import { renderManual } from "./manual-html.ts";
import { renderSbom } from "./sbom.ts";
import { root, type Source } from "./source.ts";

/** Files that phishwatch prints: path in the archive, arguments of phishwatch. */
const printed: readonly { path: string; words: string[] }[] = [
  ...clients.map((client) => ({
    path: `clients/${client.file}`,
    words: ["client", client.language],
  })),
  { path: "openapi.json", words: ["openapi"] },
  { path: "completions/phishwatch.bash", words: ["completion", "bash"] },
  { path: "completions/_phishwatch", words: ["completion", "zsh"] },
  { path: "completions/phishwatch.fish", words: ["completion", "fish"] },
  { path: "man/phishwatch.1", words: ["man"] },
  { path: "monitoring/alerts.yml", words: ["monitoring", "alerts"] },
  { path: "monitoring/dashboard.json", words: ["monitoring", "dashboard"] },
  { path: "systemd/phishwatch.service", words: ["service", "unit"] },
];

/** Files that are the same for all platforms, and the list of components, which names the platform. */
export interface SharedContents {
  files: Entry[];
  licenses: string;
  sbom(target: string): string;
}

/** @throws if a package in the bundle has no license text, or phishwatch cannot print a file */
export async function collectContents(source: Source, bundle: Bundle): Promise<SharedContents> {
  const packages = bundledPackages(bundle);
  const licenses = renderLicenses({ packages, bundle });
  const files = [
    file("LICENSE", readProjectFile("LICENSE")),
    file("config.example.toml", readProjectFile("config.example.toml")),
    file("licenses.txt", licenses),
    file("manual.html", renderManual()),
    file("sandbox.Dockerfile", sandboxDockerfile()),
    ...manualPages.map(({ topic, text }) => file(`manual/${topic}.md`, text)),
    ...(await Promise.all(printed.map(async ({ path, words }) => file(path, await print(words))))),
  ];
  return { files, licenses, sbom: (target) => renderSbom({ packages, ...source, target }) };
}

/** Returns the definition of the sandbox's image, which is in the manual, so that everybody has it. */
export function sandboxDockerfile(): string {
  const block = /```dockerfile\n# recipe: .+\n([^]*?)```/.exec(findManualPage("sandbox")!.text);
  return block![1]!;
}

function readProjectFile(name: string): string {
  return readFileSync(join(root, name), "utf8");
}
