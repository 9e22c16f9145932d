import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../source.ts";
import { NotRunnable, run } from "./environment.ts";

/**
 * Builds the commit again in another folder, with packages that are installed again, and compares the checksums.
 * @throws with the names of the files that differ
 */
export function checkReproducibility(release: string): string {
  if (!existsSync(join(root, ".git"))) throw new NotRunnable("it needs the git repository");
  const home = mkdtempSync(join(tmpdir(), "phishwatch-rebuilt-"));
  try {
    const clone = join(home, "another name");
    run(["git", "clone", "--quiet", "--no-hardlinks", root, clone]);
    // Packages of the runtime and of Debian, which are compared with checksums whenever they are fetched.
    symlinkSync(join(root, ".tools"), join(clone, ".tools"));
    run([join(clone, "scripts/release"), "--output", join(home, "release")]);
    const sums = (folder: string) => readFileSync(join(folder, "SHA256SUMS"), "utf8").trimEnd().split("\n");
    const again = new Set(sums(join(home, "release")));
    const different = sums(release).filter((line) => !again.has(line));
    if (different.length > 0) throw new Error(`other bytes in a second build:\n${different.join("\n")}`);
    return `two builds of the commit, in two folders: all ${again.size} files have the same bytes`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
