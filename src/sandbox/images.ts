import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../platform/lib/clock.ts";
import { moveImage } from "./world/move-image.ts";
import { defaultSeed, defaultStart, demonstrationSeed } from "./world/samples.ts";

/**
 * Databases that a sandbox starts with. `scripts/sandbox/make-images.ts` builds them, so that no sandbox has to. The
 * first one is not compressed: decompressing it would take 2 ms of every start without options.
 */
export const images = {
  samples: { file: "samples.db", seed: defaultSeed },
  empty: { file: "empty.db.zst", seed: defaultSeed },
  demonstration: { file: "demonstration.db.zst", seed: demonstrationSeed },
};

/** Name of the folder with the images. */
export const imagesFolder = "sandbox-images";

/** Returns a database whose history ends at `start`. */
export function readImage(
  name: keyof typeof images,
  { seed, start }: { seed: number; start: Instant },
): Uint8Array {
  const { file, seed: builtSeed } = images[name];
  const bytes = readFileSync(join(folderOfImages(), file));
  const image = file.endsWith(".zst") ? Bun.zstdDecompressSync(bytes) : bytes;
  if (seed === builtSeed && start === defaultStart) return image;
  return moveImage(image, { from: { seed: builtSeed, start: defaultStart }, to: { seed, start } });
}

/** The executable contains the images. Run from source, they are built when they are older than the code. */
function folderOfImages(): string {
  const embedded = join(import.meta.dir, imagesFolder);
  if (existsSync(embedded)) return embedded;
  const project = join(import.meta.dir, "../..");
  const built = join(project, "dist", imagesFolder);
  // The last one that is written.
  const builtAt = statSync(join(built, images.demonstration.file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const inputs = ["src", "drizzle", "scripts/sandbox"];
  if (inputs.every((folder) => newestIn(join(project, folder)) < builtAt)) return built;
  const script = join(project, "scripts/sandbox/make-images.ts");
  const { success, stderr } = Bun.spawnSync([process.execPath, script, built], { cwd: project });
  if (!success) throw new Error(`the images of the sandbox cannot be built: ${stderr.toString()}`);
  return built;
}

/** Returns the time of the latest change below a folder. */
function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
