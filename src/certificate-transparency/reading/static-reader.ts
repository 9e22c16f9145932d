import type { Clock } from "../../lib/clock.ts";
import { LogError, type CertificateLog, type LogReader } from "../log.ts";
import { matchesHead } from "../trees/compact-range.ts";
import { hashBytes } from "../trees/hashes.ts";
import { rangeFromTiles, rightEdgeTiles, tileWidth } from "../trees/right-edge.ts";
import { createTreeHeadVerifier, treeHeadBytesMax } from "../trees/tree-heads.ts";
import type { ReadLimits } from "./limits.ts";
import type { LogRequests } from "./log-requests.ts";
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
        if (names !== "missing") return names;
        namesFromMs = clock.monotonicMs() + namesRetryMs;
      }
      return tiles.data(place, signal);
    },
    async partialLeafHashes(size, signal) {
      const width = size % tileWidth;
      if (width === 0) return [];
      const bytes = await tiles.hashes({ level: 0, index: Math.floor(size / tileWidth), width }, signal);
      return Array.from({ length: width }, (_, at) => bytes.slice(at * hashBytes, (at + 1) * hashBytes));
    },
    async compactRange(head, signal) {
      const contents: Uint8Array[] = [];
      for (const edge of rightEdgeTiles(head.size)) contents.push(await tiles.hashes(edge, signal));
      const range = rangeFromTiles(head.size, contents);
      if (range === undefined || !matchesHead(range, head)) {
        throw new LogError("mismatch", "the log's hash tiles contradict its signed tree head");
      }
      return range;
    },
  };
}
