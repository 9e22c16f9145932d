import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { checksumLines } from "./archives.ts";

export const checksumsName = "SHA256SUMS";

export interface ReleaseFile {
  name: string;
  bytes: Uint8Array;
}

/** A part of a release, which is built independently of the others. */
export interface Part {
  name: string;
  build(): Promise<readonly ReleaseFile[]>;
}

/** @throws if the folder contains anything but a release, which a new one may replace */
export function requireReplaceable(folder: string): void {
  if (!existsSync(folder) || existsSync(join(folder, checksumsName)) || readdirSync(folder).length === 0)
    return;
  throw new Error(
    `${folder} contains other files than a release, and would be replaced. Name another folder.`,
  );
}

/** Name of the folder with what is finished of a release of which a part failed. */
export function incompleteFolder(output: string): string {
  return `${output}-incomplete`;
}

/**
 * Builds the parts one after the other. If all succeed, their files and checksums replace `output`. If some fail,
 * `output` does not change, and the files of the others are in `incompleteFolder(output)`. Says on standard error which
 * parts are finished and which failed. An interrupted build leaves nothing behind.
 * @param parts receives a temporary folder for executables
 * @returns whether all parts are finished
 */
export async function buildParts(
  output: string,
  parts: (folder: string) => readonly Part[],
): Promise<boolean> {
  mkdirSync(dirname(output), { recursive: true });
  const staging = mkdtempSync(`${output}-staging-`);
  const remove = () => rmSync(staging, { recursive: true, force: true });
  const interrupted = () => {
    remove();
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  try {
    const finished: string[] = [];
    const failures: string[] = [];
    const files: string[] = [];
    const folder = join(staging, "build");
    mkdirSync(folder);
    for (const { name, build } of parts(folder)) {
      const own: string[] = [];
      try {
        for (const file of await build()) {
          own.push(file.name);
          writeFileSync(join(staging, file.name), file.bytes);
          console.error(`${file.name}: ${(file.bytes.length / 1e6).toFixed(1)} MB`);
        }
        finished.push(name);
        files.push(...own);
      } catch (error) {
        failures.push(name);
        for (const file of own) rmSync(join(staging, file), { force: true });
        console.error(`error in ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    rmSync(folder, { recursive: true });
    const complete = failures.length === 0;
    const incomplete = incompleteFolder(output);
    if (finished.length > 0) {
      const contents = files.map((name) => ({ name, bytes: readFileSync(join(staging, name)) }));
      writeFileSync(join(staging, checksumsName), checksumLines(contents));
      chmodSync(staging, 0o755);
      const place = complete ? output : incomplete;
      rmSync(place, { recursive: true, force: true });
      renameSync(staging, place);
    }
    if (!complete) {
      const kept = finished.length === 0 ? "" : ` (in ${incomplete}, with checksums)`;
      console.error(
        `The release is incomplete. Finished: ${finished.join(", ") || "nothing"}${kept}. Failed: ${failures.join(", ")}.`,
      );
    }
    return complete;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
    remove();
  }
}
