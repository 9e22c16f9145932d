import { rangesOfLines } from "../../../engines/archive/archive.ts";
import type { Clock, Timer } from "../../../platform/lib/clock.ts";
import type { CertificateSighting } from "../../../threats/threats/record.ts";
import { screenOnce, type NameBatch } from "../name-batch.ts";
import type { CertificateNames } from "./messages.ts";

/**
 * Names that arrived and are not checked yet. A stream does not wait: what arrives while the queue is full is dropped and
 * counted.
 */
export type NameQueue = ReturnType<typeof createNameQueue>;

/** Maximum size of the names and facts in the queue, in characters: some tens of thousands of certificates. */
const queuedCharactersMax = 8 << 20;
/** Estimated size of what a certificate takes beside its texts. */
const characterOverhead = 200;
const batchNamesMax = 4_096;
/** Time after the last name until it is recorded. */
const settleMs = 1_000;

interface NameQueueDependencies {
  clock: Pick<Clock, "after">;
  /** Lower in tests. */
  charactersMax?: number;
}

export function createNameQueue({ clock, charactersMax = queuedCharactersMax }: NameQueueDependencies) {
  let queued: CertificateNames[] = [];
  let characters = 0;
  let wake = () => {};

  /** Resolves when names are added or the signal is aborted, or after some time. */
  async function woken(ms: number | undefined): Promise<void> {
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (ms !== undefined) timer = clock.after(ms, resolve);
    });
    wake = () => {};
    timer?.cancel();
  }

  function take(): CertificateNames[] {
    let count = 0;
    let names = 0;
    while (count < queued.length && names < batchNamesMax) names += queued[count++]!.names.length;
    const taken = queued.slice(0, count);
    queued = queued.slice(count);
    for (const one of taken) characters -= sizeOf(one);
    return taken;
  }

  return {
    /** Returns false if the names were dropped. */
    add(names: CertificateNames) {
      const size = sizeOf(names);
      if (characters + size > charactersMax) return false;
      queued.push(names);
      characters += size;
      wake();
      return true;
    },

    /**
     * Yields the names as they arrive, until the signal is aborted; then what is queued. Yields an empty batch some
     * time after the last name, so that its match is recorded although nothing follows.
     */
    async *batches(signal: AbortSignal): AsyncGenerator<NameBatch<null>> {
      signal.addEventListener("abort", () => wake(), { once: true });
      for (let isSettled = true; ;) {
        if (queued.length > 0) {
          isSettled = false;
          yield batchOf(take());
        } else if (signal.aborted) return;
        else {
          await woken(isSettled ? undefined : settleMs);
          if (queued.length > 0 || isSettled || signal.aborted) continue;
          isSettled = true;
          yield batchOf([]);
        }
      }
    },
  };
}

function sizeOf({ names, certificate }: CertificateNames): number {
  let size = characterOverhead;
  for (const name of names) size += name.length + 1;
  if (certificate !== undefined)
    size += certificate.issuer.length + certificate.entryUrl.length + certificate.log.length;
  return size;
}

/** Presents names as a batch. There is no position: a stream cannot be read again. */
function batchOf(certificates: readonly CertificateNames[]): NameBatch<null> {
  const names: string[] = [];
  const owners: (CertificateSighting | undefined)[] = [];
  for (const { names: own, certificate } of certificates)
    for (const name of own) {
      names.push(name.replaceAll("\n", " "));
      owners.push(certificate);
    }
  const bytes = Buffer.from(names.map((name) => `${name}\n`).join(""));
  return {
    count: names.length,
    dropped: 0,
    end: null,
    name: (index) => names[index]!,
    certificate: (index) => owners[index],
    error: () => undefined,
    line: (index) => index + 1,
    mayMatch: screenOnce(rangesOfLines(bytes), names.length),
    names: () => bytes,
    positionAfter: () => null,
  };
}
