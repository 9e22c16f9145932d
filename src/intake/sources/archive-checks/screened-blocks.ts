import type { Archive, ArchiveBlock, ArchivePosition } from "../../../engines/archive/archive.ts";
import { batchOfChunk } from "../name-file-formats/name-chunk.ts";
import type { ScreenedChunk, WholeLines } from "../name-files/screener.ts";
import type { NameBatch } from "../name-batch.ts";

/** Where a check of the archive resumes; null: at its start. */
export type CheckPosition = ArchivePosition | null;

interface ScreenedBlocksOptions {
  archive: Pick<Archive, "read">;
  start: CheckPosition;
  screen: (lines: WholeLines) => ScreenedChunk | Promise<ScreenedChunk>;
  /** Blocks that are screened while earlier ones are classified. Each has some 10,000 names. */
  blocksAheadMax: number;
  signal: AbortSignal;
}

/**
 * Reads the archive and yields the names that may match, block by block, with the day and the source of each.
 * @param screen drops the names that cannot match; results are needed in the order of the calls.
 */
export async function* screenedBlocks(
  options: ScreenedBlocksOptions,
): AsyncGenerator<NameBatch<CheckPosition>> {
  const { archive, start, screen, blocksAheadMax, signal } = options;
  const inWork: { block: Seen; screened: ScreenedChunk | Promise<ScreenedChunk> }[] = [];
  let reached = start;
  const next = async (): Promise<NameBatch<CheckPosition>> => {
    const { block, screened } = inWork.shift()!;
    const batch = batchOfBlock(block, await screened, reached);
    reached = block.position;
    return batch;
  };
  for await (const { day, source, position, names } of archive.read({ start: start ?? undefined, signal })) {
    // The block is only valid until the next one is requested.
    const bytes = new Uint8Array(names);
    const screened = screen({ bytes, length: bytes.length });
    inWork.push({ block: { day, source, position }, screened });
    if (inWork.length > blocksAheadMax) yield await next();
  }
  while (inWork.length > 0) yield await next();
}

type Seen = Pick<ArchiveBlock, "day" | "source" | "position">;

function batchOfBlock(
  { day, source, position }: Seen,
  chunk: ScreenedChunk,
  start: CheckPosition,
): NameBatch<CheckPosition> {
  return {
    ...batchOfChunk(chunk),
    end: position,
    seen: { source, day },
    names: () => null,
    // A block is read again as a whole: what it contains is then on record.
    positionAfter: (index) => (index === chunk.count - 1 ? position : start),
  };
}
