import type { Clock } from "../../../platform/lib/clock.ts";
import { LogError, type CertificateLog, type EntryBlock } from "../log.ts";
import { hashBytes } from "../trees/hashes.ts";
import { tileWidth, type HashTile } from "../trees/right-edge.ts";
import { describeContent, type ReadLimits } from "./content.ts";
import type { Absence, LogRequests } from "./log-requests.ts";

/**
 * Returns the path of a tile (c2sp.org/static-ct-api, "Merkle Tree"): the index in groups of three digits, all but the
 * last with the prefix "x", and the width of an incomplete tile.
 * @param kind the level of a tile of hashes, "data" or "names"
 * @param width number of hashes or entries, 1 to 256
 */
export function tilePath({ kind, index, width }: { kind: string; index: number; width: number }): string {
  let path = group(index % 1_000);
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000)) {
    path = `x${group(rest % 1_000)}/${path}`;
  }
  return `tile/${kind}/${path}${width === tileWidth ? "" : `.p/${width}`}`;
}

function group(digits: number): string {
  return String(digits).padStart(3, "0");
}

/** A tile of entries: `width` entries starting at index 256 · `index`. */
interface EntryTile {
  index: number;
  /** 1 to 256. */
  width: number;
}

/** Dependencies of the reader of one log, of either protocol. */
export interface ReaderDependencies {
  log: CertificateLog;
  request: LogRequests;
  limits: ReadLimits;
  clock: Pick<Clock, "monotonicMs">;
  close: () => void;
}

/** Reads tiles of a static log. An incomplete tile that is gone is replaced by the full one, which has the same start. */
export type Tiles = ReturnType<typeof createTiles>;

interface TileRequest<T> {
  kind: string;
  index: number;
  width: number;
  signal: AbortSignal;
  timeoutMs: number;
  bytesMax: number;
  largeBytesMax?: number | undefined;
  detectGzip?: boolean;
  /** @param served width of the tile that was served */
  parse(bytes: Uint8Array, wireBytes: number, served: number): T;
}

const openingBrace = 0x7b;
/** 160 names per entry. The entries of a larger names tile are read from the data tile, which can be taken in parts. */
const namesBytesMax = 1 << 20;

export function createTiles({ request, limits }: Pick<ReaderDependencies, "request" | "limits">) {
  const get = <T, Tolerated extends Absence>(
    tile: TileRequest<T>,
    width: number,
    tolerated: readonly Tolerated[],
  ): Promise<T | Tolerated> =>
    request({
      ...tile,
      path: tilePath({ ...tile, width }),
      tolerated,
      parse: (bytes, wireBytes) => tile.parse(bytes, wireBytes, width),
    });

  /** @param tolerated contains "missing" if the log need not have the tile */
  async function read<T, Tolerated extends Absence>(
    tile: TileRequest<T>,
    tolerated: readonly Tolerated[],
  ): Promise<T | Tolerated> {
    if (tile.width < tileWidth) {
      const partial = await get(tile, tile.width, ["missing", ...tolerated]);
      if (partial !== "missing") return partial as T | Tolerated;
    }
    return get(tile, tileWidth, tolerated);
  }

  const entries = (
    encoding: "data_tile" | "names_tile",
    { index, width }: EntryTile,
    signal: AbortSignal,
  ): TileRequest<EntryBlock> => ({
    kind: encoding === "data_tile" ? "data" : "names",
    index,
    width,
    signal,
    timeoutMs: limits.entryTimeoutMs,
    bytesMax: encoding === "names_tile" ? Math.min(namesBytesMax, limits.bytesMax) : limits.bytesMax,
    largeBytesMax: encoding === "names_tile" ? undefined : limits.largeBytesMax,
    // Neither JSON nor a plausible timestamp starts like gzip.
    detectGzip: true,
    parse(bytes, wireBytes, countMax) {
      // Data tiles start with a timestamp, whose first byte is zero for two million years.
      if (encoding === "data_tile" ? bytes[0] !== 0 : bytes[0] !== openingBrace) {
        throw new LogError("response", `the response ${describeContent(bytes, "is not a tile of entries")}`);
      }
      return { encoding, firstIndex: index * tileWidth, countMax, bytes, wireBytes };
    },
  });

  return {
    data: (tile: EntryTile, signal: AbortSignal) => read(entries("data_tile", tile, signal), []),

    /** Reads a full tile of a log that need not serve tiles. */
    fullData: (index: number, signal: AbortSignal) =>
      read(entries("data_tile", { index, width: tileWidth }, signal), ["missing"]),
    names: (tile: EntryTile, signal: AbortSignal): Promise<EntryBlock | Absence> =>
      read(entries("names_tile", tile, signal), ["missing", "too_large"]),

    /** Returns the first `width` hashes of a tile, one after another. */
    hashes: ({ level, index, width }: HashTile, signal: AbortSignal) =>
      read(
        {
          kind: String(level),
          index,
          width,
          signal,
          timeoutMs: limits.headTimeoutMs,
          bytesMax: tileWidth * hashBytes,
          parse(bytes, _wireBytes, served) {
            if (bytes.length !== served * hashBytes) {
              throw new LogError("response", `a tile of ${served} hashes has ${bytes.length} bytes`);
            }
            return bytes.subarray(0, width * hashBytes);
          },
        },
        [],
      ),
  };
}
