import type { Archive } from "../../engines/archive/archive.ts";
import { nameLines } from "../../engines/archive/name-lines.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { ThreatSource } from "../../platform/vocabulary/threats.ts";

/** Passes the names of one run to the archive. */
export function createRunArchive({
  archive,
  source,
  seenAt,
}: {
  archive: Pick<Archive, "add" | "flush">;
  source: ThreatSource;
  seenAt: () => Instant;
}) {
  let kept: string[] = [];
  const add = (names: Uint8Array | null) => {
    if (names !== null && names.length > 0) archive.add(names, { source, seenAt: seenAt() });
  };
  const addKept = () => {
    if (kept.length > 0) add(nameLines(kept));
    kept = [];
  };
  return {
    add,
    /** Keeps a canonical name that no batch contains as written, for the next `addKept`. */
    keep: (name: string) => void kept.push(name),
    addKept,
    flush() {
      addKept();
      return archive.flush();
    },
  };
}
