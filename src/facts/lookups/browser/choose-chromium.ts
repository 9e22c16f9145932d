import type { Config } from "../../../platform/config/config.ts";

/** The Chromium to use, or why no screenshots are taken. */
export type ChromiumChoice = { path: string; args: readonly string[] } | { reason: string };

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/**
 * @param setting `scan.screenshots`
 * @param args `screenshots.chromium_args`
 * @param which finds a program on the PATH
 */
export function chooseChromium({
  setting,
  args,
  which,
  isRoot,
}: {
  setting: Config["scan"]["screenshots"];
  args: readonly string[];
  which: (name: string) => string | null;
  isRoot: boolean;
}): ChromiumChoice {
  if (setting === "off") return { reason: "screenshots are disabled" };
  const path = setting === "auto" ? names.map(which).find((found) => found !== null) : which(setting.path);
  if (path === null || path === undefined)
    return {
      reason: setting === "auto" ? "Chromium was not found" : `program ${setting.path} was not found`,
    };
  // As root, Chromium does not start with its sandbox, and hostile pages must not be opened without it.
  if (isRoot && !args.includes("--no-sandbox"))
    return {
      reason:
        "Chromium cannot use its sandbox as root: run phishwatch as another user, or, if a container is the " +
        'sandbox, set screenshots.chromium_args = ["--no-sandbox"]',
    };
  return { path, args };
}
