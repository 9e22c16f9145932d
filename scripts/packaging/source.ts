import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of the project. */
export const root = join(import.meta.dir, "../..");

export const projectPackage = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  description: string;
  engines: { bun: string };
};

/** State of the project from which everything is built. */
export interface Source {
  /** Short hash, with `-modified` if tracked files differ from it; `unknown` without git. */
  commit: string;
  /** Time of the commit in seconds since 1970, for every file of a release. */
  timeS: number;
}

/** Time of files that are built without git: the first that ZIP can store. */
const earliestTimeS = Date.UTC(1980, 0, 2) / 1000;

export function readSource(): Source {
  // Without this check, git would describe a repository that contains an unpacked source archive.
  if (!existsSync(join(root, ".git")) || Bun.which("git") === null) {
    return { commit: "unknown", timeS: earliestTimeS };
  }
  const hash = git("rev-parse", "--short=12", "HEAD");
  if (hash === undefined) return { commit: "unknown", timeS: earliestTimeS };
  const modified = git("diff", "--quiet", "HEAD", "--") === undefined;
  const timeS = Number(git("log", "-1", "--format=%ct"));
  return { commit: modified ? `${hash}-modified` : hash, timeS };
}

/** Returns the definitions of constants in `src/platform/lib/build-info.ts`, as options of Bun. */
export function buildDefinitions({ commit, timeS }: Source): string[] {
  const date = commit === "unknown" ? "" : new Date(timeS * 1000).toISOString().slice(0, 10);
  return [`--define=BUILD_COMMIT='${commit}'`, `--define=BUILD_DATE='${date}'`];
}

/** Returns the output of git without its last line break, or undefined if git failed. */
function git(...words: string[]): string | undefined {
  const { success, stdout } = Bun.spawnSync(["git", ...words], { cwd: root, stderr: "ignore" });
  return success ? stdout.toString().trimEnd() : undefined;
}
