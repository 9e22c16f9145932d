/**
 * Exports: all threats that match a filter, as a file or as a MISP feed.
 *
 * An export contains every threat that matches when it begins, once, the newest record first. Which threats these are is
 * decided at the start, in one step of a few milliseconds (the threat index), and stored as 8 bytes for each. Their content is
 * read in small batches while the file is sent, so a threat shows its state at that time. No snapshot of the database is held: a
 * slow reader would keep the write-ahead log from being reused.
 */
import type { Settings } from "../../../access/settings/settings.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { PublicError } from "../../../platform/lib/errors.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { SearchFilter } from "../../../threats/index/filter.ts";
import type { ThreatIndex } from "../../../threats/index/threat-index.ts";
import type { ExportFormat } from "./formats.ts";
import { createExportFile, type ExportFile } from "./export-file.ts";
import { byDay, writeMispFeed, type MispFeedOptions } from "./misp-feed.ts";
import { createInstanceId } from "./instance-id.ts";
import { createThreatReader } from "./threat-reader.ts";

/** Each holds 8 bytes for each of its threats. */
export const concurrentExportsMax = 8;
/** Exports of one API key or account. */
const exportsPerOwnerMax = 2;
const retryAfterSeconds = 30;

interface Place {
  owner: string | undefined;
  /** Absent until it begins. */
  file?: ExportFile;
}

export type ThreatExports = ReturnType<typeof createThreatExports>;

export function createThreatExports({
  database,
  clock,
  settings,
  fillRandom,
  log,
  threatIndex,
  yielder,
}: Needs<"clock" | "database" | "fillRandom" | "log"> & {
  settings: Settings;
  threatIndex: () => ThreatIndex;
  yielder: (owner?: string) => Yielder;
}) {
  const reader = createThreatReader(database);
  const instanceId = createInstanceId({ database, settings, fillRandom });
  const running = new Set<Place>();

  /** @throws PublicError `rate_limit_exceeded` if there is no place among the `max` that these exports share */
  function requirePlace(sharing: readonly Place[], max: number, whose: string): void {
    if (sharing.length < max || sharing.some(({ file }) => file?.endIfStalled())) return;
    const message = `${max} ${whose} are running, which is the maximum; try again when one has finished.`;
    throw new PublicError("rate_limit_exceeded", message, undefined, retryAfterSeconds);
  }

  async function begin(
    format: ExportFormat,
    filter: SearchFilter,
    { publicUrl, owner, free }: { publicUrl: string; owner: string | undefined; free: () => void },
  ): Promise<ExportFile> {
    const at = clock.now();
    const context = {
      // The first call writes to the database, which a full disk prevents.
      instanceId: format === "stix" ? await instanceId() : "",
      publicUrl,
      exportName: `${at} ${JSON.stringify(filter)}`,
    };
    const seqs = await threatIndex().seqs(filter);
    return createExportFile({ format, seqs, context, at, reader, clock, log, slice: yielder(owner), free });
  }

  return {
    /**
     * Begins an export. It must be read to its end or closed.
     * @param options.publicUrl of the console and of the screenshots, without a trailing slash
     * @param options.owner API key or account; absent: a command
     * @throws PublicError `rate_limit_exceeded` if as many exports as possible are running, of the owner or in all, and none of
     *   them has a reader that has stopped reading
     */
    async open(
      format: ExportFormat,
      filter: SearchFilter,
      { publicUrl, owner }: { publicUrl: string; owner?: string },
    ): Promise<ExportFile> {
      const own = [...running].filter((place) => owner !== undefined && place.owner === owner);
      requirePlace(own, exportsPerOwnerMax, "of your exports");
      requirePlace([...running], concurrentExportsMax, "exports");
      const place: Place = { owner };
      running.add(place);
      const free = () => void running.delete(place);
      try {
        return (place.file = await begin(format, filter, { publicUrl, owner, free }));
      } catch (error) {
        free();
        throw error;
      }
    },
    /**
     * Writes or updates a MISP feed in a folder.
     * @throws Error for the operator, if the folder cannot be written or contains something else
     */
    async writeMispFeed(filter: SearchFilter, options: MispFeedOptions) {
      const { seqs, firstSeen } = await threatIndex().seqsWithTimes(filter);
      return writeMispFeed(byDay(seqs, firstSeen), {
        ...options,
        instanceId: await instanceId(),
        reader,
        now: clock.now(),
        yielder: yielder(),
      });
    },
    /** Number of exports that are running. */
    get running() {
      return running.size;
    },
  };
}
