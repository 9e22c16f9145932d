import { findManualPage } from "./manual.ts";

/** Changes of a version to what existed before. */
export interface VersionChanges {
  version: string;
  /** Title of each change in "What's new". */
  changed: string[];
}

/** Returns the changes of the versions after `from` (undefined: of the last version only) up to `to`, oldest first. */
export function changesBetween(from: string | undefined, to: string): VersionChanges[] {
  const text = findManualPage("whats-new")?.text ?? "";
  return text
    .split(/^## Version /m)
    .slice(1)
    .map((section) => ({
      version: /^\S+/.exec(section)?.[0] ?? "",
      changed: titlesIn(/^### Changed\n([^]*?)(?=^##|$(?![^]))/m.exec(section)?.[1] ?? ""),
    }))
    .filter(({ version }) =>
      from === undefined
        ? version === to
        : Bun.semver.order(version, from) > 0 && Bun.semver.order(version, to) <= 0,
    )
    .reverse();
}

const titlesIn = (list: string) =>
  [...list.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, title]) => title!.replaceAll("`", "").replace(/\.$/, ""));
