import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Clock, Instant } from "../../platform/lib/clock.ts";

/** A certificate file and what it is used for, such as "server certificate". */
export interface CertificateFile {
  use: string;
  path: string;
}

/** A certificate file and the end of its validity. */
export interface CertificateEnd extends CertificateFile {
  endsAt: Instant;
}

/** A renewed certificate is noticed soon, and metrics that are scraped often read each file rarely. */
const reusedMs = 60_000;

/**
 * Returns a function that reads when certificates end, at most once a minute. A file that is used more than once is
 * returned once, with its first use. One that cannot be read, for example while it is being replaced, has its last known
 * end, or is left out.
 */
export function createCertificateEnds({
  clock,
  files,
}: {
  clock: Pick<Clock, "monotonicMs">;
  /** Called for each reading, because they can change. */
  files: () => readonly CertificateFile[];
}): () => Promise<CertificateEnd[]> {
  let latest: { atMs: number; found: CertificateEnd[] } | undefined;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (latest !== undefined && nowMs - latest.atMs < reusedMs) return latest.found;
    const all = files();
    const unique = all.filter(({ path }, index) => all.findIndex((one) => one.path === path) === index);
    const known = latest?.found ?? [];
    const read = async (file: CertificateFile) =>
      (await readEnd(file)) ?? known.find(({ path }) => path === file.path) ?? [];
    const found = (await Promise.all(unique.map(read))).flat();
    latest = { atMs: nowMs, found };
    return found;
  };
}

async function readEnd(file: CertificateFile) {
  try {
    return { ...file, endsAt: new X509Certificate(await readFile(file.path)).validToDate.getTime() };
  } catch {
    // `phishwatch check` reports files that cannot be used, and so does every attempt that needs them.
    return undefined;
  }
}
