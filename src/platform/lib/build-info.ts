import { version } from "../../../package.json" with { type: "json" };
import { listsVersion } from "./lists/list-texts.ts";

/** Replaced by scripts/build with the commit the executable was built from. */
declare const BUILD_COMMIT: string;
/** Replaced in the same way with the date of the commit, such as 2026-11-22, or with an empty text outside a checkout. */
declare const BUILD_DATE: string;

export type BuildInfo = typeof buildInfo;

export const buildInfo = {
  /** Semantic version, from package.json. */
  version,
  /** Short commit hash, `-modified` after it when files differed; `unknown` when built outside a checkout, `source` when not built. */
  commit: typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "source",
  bunVersion: Bun.version,
};

/** Date of the commit; empty if it is not known. */
export const buildDate: string = typeof BUILD_DATE === "string" ? BUILD_DATE : "";

/** Printed by `phishwatch version`. */
export const versionText = `phishwatch ${buildInfo.version} (commit ${buildInfo.commit}, Bun ${buildInfo.bunVersion})`;

/** Returns a text that changes with the code and the lists. What others have computed is computed again. */
export function programVersion(): string {
  return `${buildInfo.version} ${buildInfo.commit} ${listsVersion()}`;
}

/**
 * Returns the User-Agent of requests to certificate logs and sources. Operators of logs limit clients without a contact
 * more strictly, and recognize one by "@" or "https://".
 * @param contact email address or URL
 */
export function userAgentOf(contact: string | null, program: Pick<BuildInfo, "version"> = buildInfo): string {
  const name = `phishwatch/${program.version}`;
  return contact === null ? name : `${name} (+${contact})`;
}
