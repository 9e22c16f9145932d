import type { Clock } from "../../../platform/lib/clock.ts";
import type { CertificateLog, LogReader } from "../log.ts";
import { hashBytes } from "../trees/hashes.ts";
import { tileWidth } from "../trees/right-edge.ts";
import { createTreeHeadVerifier, treeHeadBytesMax } from "../trees/tree-heads.ts";
import type { ReadLimits } from "./limits.ts";
import type { LogRequests } from "./log-requests.ts";
import { readStaticRange } from "./static-range.ts";
import { createTiles } from "./tiles.ts";

/** How long names tiles are not requested after a log turned out not to serve them. */
const namesRetryMs = 24 * 3_600_000;

/**
 * Reads a log by the static-ct-api (c2sp.org/static-ct-api).
 * Incomplete tiles are requested only for the sizes that the caller passes, which have to be those of verified
 * checkpoints: others may not exist.
 */
export function createStaticReader({
  log,
  request,
  limits,
  clock,
  close,
}: {
  log: CertificateLog;
  request: LogRequests;
  limits: ReadLimits;
  clock: Pick<Clock, "monotonicMs">;
  close: () => void;
}): LogReader {
  const verifier = createTreeHeadVerifier(log);
  const tiles = createTiles({ request, limits });
  let namesFromMs = 0;

  return {
    log,
    close,
    treeHead: (signal) =>
      request({
        path: "checkpoint",
        timeoutMs: limits.headTimeoutMs,
        bytesMax: treeHeadBytesMax,
        tolerated: [],
        signal,
        parse: (bytes) => verifier.checkpoint(bytes),
      }),
    async entries({ from, treeSize }, { namesOnly, signal }) {
      const index = Math.floor(from / tileWidth);
      const place = { index, width: Math.min(tileWidth, treeSize - index * tileWidth) };
      if (namesOnly && clock.monotonicMs() >= namesFromMs) {
        const names = await tiles.names(place, signal);
        if (typeof names === "object") return names;
        if (names === "missing") namesFromMs = clock.monotonicMs() + namesRetryMs;
      }
      return tiles.data(place, signal);
    },
    async partialLeafHashes(size, signal) {
      const width = size % tileWidth;
      if (width === 0) return [];
      const bytes = await tiles.hashes({ level: 0, index: Math.floor(size / tileWidth), width }, signal);
      return Array.from({ length: width }, (_, at) => bytes.slice(at * hashBytes, (at + 1) * hashBytes));
    },
    compactRange: (head, signal, size = head.size) => readStaticRange(tiles, { head, size, signal }),
  };
}
