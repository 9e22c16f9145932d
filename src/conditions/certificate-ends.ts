import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Clock, Instant } from "../lib/clock.ts";

/** A certificate file and what it is used for, such as "server certificate". */
export interface CertificateFile {
  use: string;
  path: string;
}

const hourMs = 3_600_000;

/** Returns a function that reads when certificates end, at most once an hour. Files that cannot be read are left out. */
export function createCertificateEnds({
  clock,
  files,
}: {
  clock: Pick<Clock, "monotonicMs">;
  files: readonly CertificateFile[];
}): () => Promise<(CertificateFile & { endsAt: Instant })[]> {
  let latest: { atMs: number; found: (CertificateFile & { endsAt: Instant })[] } | undefined;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (latest !== undefined && nowMs - latest.atMs < hourMs) return latest.found;
    const found = await Promise.all(files.map(read));
    latest = { atMs: nowMs, found: found.flat() };
    return latest.found;
  };
}

async function read(file: CertificateFile) {
  try {
    return [{ ...file, endsAt: new X509Certificate(await readFile(file.path)).validToDate.getTime() }];
  } catch {
    // `phishwatch check` reports files that cannot be used, and so does every attempt that needs them.
    return [];
  }
}
