import { version } from "../../package.json" with { type: "json" };
import { listsVersion } from "./lists/list-texts.ts";

/** Replaced by scripts/build with the commit the executable was built from. */
declare const BUILD_COMMIT: string;

export type BuildInfo = {
  /** Semantic version, from package.json. */
  version: string;
  /** Short commit hash, `-modified` after it when files differed; `unknown` when built outside a checkout, `source` when not built. */
  commit: string;
  bunVersion: string;
};

export const buildInfo: BuildInfo = {
  version,
  commit: typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "source",
  bunVersion: Bun.version,
};

/** Printed by `phishwatch version`. */
export const versionText = `phishwatch ${buildInfo.version} (commit ${buildInfo.commit}, Bun ${buildInfo.bunVersion})`;

/** Returns a text that changes with the code and the lists. What others have computed is computed again. */
export function programVersion(): string {
  return `${buildInfo.version} ${buildInfo.commit} ${listsVersion()}`;
}
