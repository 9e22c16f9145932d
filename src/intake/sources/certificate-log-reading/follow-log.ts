import {
  LogError,
  type CertificateLog,
  type EntryBlock,
  type LogReader,
  type TreeHead,
} from "../../../engines/certificate-transparency/log.ts";
import {
  createTree,
  matchesHead,
  rootOf,
} from "../../../engines/certificate-transparency/trees/compact-range.ts";
import { tileWidth } from "../../../engines/certificate-transparency/trees/right-edge.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { FollowSettings, LogProgress, LogReport } from "./messages.ts";
import {
  continueFrom,
  endOfReading,
  isOutdated,
  noteHead,
  placeOf,
  progressOf,
  startOfLastTile,
  type Place,
  createBatchBuilder,
  type BatchBuilder,
} from "./place.ts";
import { createReadAhead, type BufferedBytes, findEntryByTime } from "./read-ahead.ts";
import type { ScreenBlock } from "./screen-block.ts";

/**
 * How long the last entries of a static log may wait for their tile to become full. Then the incomplete tile is read, so
 * that a name becomes visible within minutes.
 */
const partialTileMs = 2 * 60_000;
/** A batch that waits for a slow response is sent after this time. */
const batchMsMax = 1_000;
/** While a backlog is read, the tree head is read at most this often, because operators with a low rate have many logs. */
const headMsMin = 60_000;
/** Share of `catch_up` by which entries may be older that are read nevertheless. */
const searchTolerance = 0.02;

/** Follows one log. After an error, `round` continues where it stopped. */
export type LogFollower = ReturnType<typeof createLogFollower>;

export interface FollowDependencies {
  reader: LogReader;
  /** Null: the log was never followed. */
  progress: LogProgress | null;
  settings: FollowSettings;
  clock: Pick<Clock, "monotonicMs" | "after">;
  screen: ScreenBlock;
  buffered: BufferedBytes;
  /** Returns the time until the next poll. */
  pollMs: (log: CertificateLog, unchangedPolls: number) => number;
  /** Resolves when there is room for another report. */
  send: (report: LogReport) => Promise<void>;
  signal: AbortSignal;
}

interface Following extends FollowDependencies {
  log: CertificateLog;
  batch: BatchBuilder;
  place: Place | undefined;
  unchangedPolls: number;
  headReadMs: number;
  batchSentMs: number;
  /** Since when the entries after this position are in an incomplete tile. */
  waiting: { position: number; sinceMs: number } | undefined;
}

export function createLogFollower(dependencies: FollowDependencies) {
  const { clock, progress, reader } = dependencies;
  const following: Following = {
    ...dependencies,
    log: reader.log,
    batch: createBatchBuilder(),
    place: progress === null ? undefined : placeOf(progress),
    unchangedPolls: 0,
    headReadMs: clock.monotonicMs(),
    batchSentMs: clock.monotonicMs(),
    waiting: undefined,
  };
  return {
    /**
     * Reads what the log has published. Returns how long to wait for more; null at the end of a log that grows no more.
     * @throws LogError; what was read before it is sent
     */
    round: () => round(following),

    /** Returns the last verified position, from which to read again after a mismatch; undefined if there is none. */
    rewound(): LogProgress | undefined {
      const { place } = following;
      if (place === undefined || place.tree === null || place.verified === null) return undefined;
      const { head, verified } = place;
      const { size } = verified;
      // The tree head that was contradicted may be the wrong part.
      const verifiedHead = { size, rootHash: rootOf(verified), timestamp: head.timestamp };
      return { ...progressOf(place), position: size, range: verified, head: verifiedHead };
    },
  };
}

async function round(following: Following): Promise<number | null> {
  const { log, send } = following;
  const head = await readHead(following);
  const place = (following.place ??= await begin(following, head));
  checkHead(head, { previous: place.head });
  following.unchangedPolls = head.size === place.head.size ? following.unchangedPolls + 1 : 0;
  // A smaller tree comes from a replica that lags behind.
  if (head.size >= place.head.size) await readTree(following, place, head);
  if (log.finalSize !== null && place.position >= log.finalSize) {
    await send({ report: "end" });
    return null;
  }
  return nextRoundMs(following, place);
}

async function readHead(following: Following): Promise<TreeHead> {
  const { clock, reader, send, signal } = following;
  const head = await reader.treeHead(signal);
  following.headReadMs = clock.monotonicMs();
  void send({ report: "head", size: head.size, at: head.timestamp });
  return head;
}

/** Decides where to start in a log that was never followed. */
async function begin(following: Following, head: TreeHead): Promise<Place> {
  const { reader, settings, signal } = following;
  const isEnd = settings.firstStart === "end";
  const range = isEnd ? await reader.compactRange(head, signal) : { size: 0, hashes: [] };
  const tree = createTree(range);
  const exemptBefore = isEnd ? 0 : head.size;
  const place = { position: range.size, tree, verified: range, head, backlog: null, exemptBefore };
  await sendBatch(following, place);
  return place;
}

/** Reads the entries of a tree. If they are outdated, continues with newer trees that the log has published since. */
async function readTree(following: Following, place: Place, first: TreeHead): Promise<void> {
  const { clock, settings } = following;
  for (let head: TreeHead | undefined = first; head !== undefined;) {
    noteHead(place, head);
    await resumeVerification(following, place);
    if (isOutdated(place, settings.catchUpMs)) await catchUp(following, place);
    const waitedMs = clock.monotonicMs() - (following.waiting?.sinceMs ?? Infinity);
    const to = endOfReading(place, { log: following.log, hasWaited: waitedMs >= partialTileMs });
    head = to > place.position ? await readTo(following, place, to) : undefined;
  }
  const { position } = place;
  if (position === place.head.size) following.waiting = undefined;
  else if (following.waiting?.position !== position)
    following.waiting = { position, sinceMs: clock.monotonicMs() };
}

/** Entries may be verified again, because names tiles are no longer read. */
async function resumeVerification({ reader, settings, signal }: Following, place: Place): Promise<void> {
  if (place.tree !== null || settings.namesOnly || place.position > place.head.size) return;
  continueFrom(place, await reader.compactRange(place.head, signal, place.position));
}

/** Skips the entries that are older than `catch_up`. */
async function catchUp(following: Following, place: Place): Promise<void> {
  const { batch, log, reader, screen, settings, signal } = following;
  const { head, position } = place;
  const found = await findEntryByTime({
    from: position,
    to: head.size,
    since: head.timestamp - settings.catchUpMs,
    toAt: head.timestamp,
    toleranceMs: settings.catchUpMs * searchTolerance,
    entriesTolerated: tileWidth,
    timeAt: async (index) => {
      const range = { from: index, to: index + 1, treeSize: head.size };
      const block = await reader.entries(range, { namesOnly: false, signal });
      const { lastAt } = screen(block, { log, from: index, to: index + 1, isVerified: false });
      if (lastAt === null) throw new LogError("response", `entry ${index} has no timestamp`);
      return lastAt;
    },
  });
  place.backlog = { size: head.size, since: found.at };
  const target = log.protocol === "static" ? startOfLastTile(found.index) : found.index;
  if (target <= position) return;
  continueFrom(place, await reader.compactRange(head, signal, target));
  batch.skip(target - position);
  await sendBatch(following, place);
}

/**
 * Reads entries up to `to`, and verifies them. Returns a newer tree head, and stops, if the rest is outdated.
 */
async function readTo(following: Following, place: Place, to: number): Promise<TreeHead | undefined> {
  const { batch } = following;
  try {
    const newer = await readEntries(following, place, to);
    if (newer === undefined) await verify(following, place);
    await sendBatch(following, place);
    return newer;
  } catch (error) {
    // Entries that contradict the tree head are not recorded, unless an earlier batch contained them.
    if (error instanceof LogError && error.kind === "mismatch") batch.take(progressOf(place));
    else if (!batch.isEmpty()) await sendBatch(following, place);
    throw error;
  }
}

async function readEntries(following: Following, place: Place, to: number): Promise<TreeHead | undefined> {
  const { batch, buffered, clock, log, reader, settings, signal } = following;
  const { namesOnly } = settings;
  const { head } = place;
  const headMs = Math.max(headMsMin, following.pollMs(log, 0));
  const ahead = createReadAhead({
    protocol: log.protocol,
    buffered,
    signal,
    read: (from, until, either) =>
      reader.entries({ from, to: until, treeSize: head.size }, { namesOnly, signal: either }),
  });
  try {
    while (place.position < to) {
      const response = ahead.next(place.position, to);
      if (!batch.isEmpty()) await sendIfSlow(following, place, response);
      const block = await response;
      for (let isCut = true; isCut;) {
        isCut = accept(following, place, { block, to });
        if (batch.isFull()) await sendBatch(following, place);
      }
      if (place.position >= to || clock.monotonicMs() - following.headReadMs < headMs) continue;
      const newer = await readHead(following);
      checkHead(newer, { previous: head });
      if (isOutdated({ ...place, head: newer }, settings.catchUpMs)) return newer;
    }
    return undefined;
  } finally {
    ahead.close();
  }
}

/** Takes entries of a block. Returns whether it has more, which the next call takes. */
function accept(
  { batch, log, screen }: Following,
  place: Place,
  { block, to }: { block: EntryBlock; to: number },
): boolean {
  const screened = screen(block, { log, from: place.position, to, isVerified: place.tree !== null });
  if (screened.entries === 0)
    throw new LogError("response", `the response does not contain entry ${place.position}`);
  if (screened.leafHashes === null) place.tree = null;
  else place.tree?.append(screened.leafHashes);
  place.position += screened.entries;
  batch.add(screened);
  return screened.isCut;
}

/** Compares everything that was read with the tree head. */
async function verify({ reader, signal }: Following, place: Place): Promise<void> {
  const { head, position, tree } = place;
  if (tree === null) return;
  let whole = tree.range();
  if (position < head.size) {
    const hashes = await reader.partialLeafHashes(head.size, signal);
    if (hashes === null) return;
    const rest = createTree(whole);
    for (const hash of hashes.slice(position - startOfLastTile(head.size))) rest.append(hash);
    whole = rest.range();
  }
  if (!matchesHead(whole, head))
    throw new LogError(
      "mismatch",
      `the first ${head.size} entries contradict the tree head that the log signed`,
    );
  place.verified = tree.range();
}

async function sendBatch(following: Following, place: Place): Promise<void> {
  const { batch, clock, send } = following;
  following.batchSentMs = clock.monotonicMs();
  await send({ report: "batch", batch: batch.take(progressOf(place)) });
}

/** Sends the batch if the response takes long. */
async function sendIfSlow(following: Following, place: Place, response: Promise<unknown>): Promise<void> {
  const { batchSentMs, clock } = following;
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const waitMs = batchSentMs + batchMsMax - clock.monotonicMs();
  const timer = clock.after(Math.max(0, waitMs), () => resolve("late"));
  try {
    const first = await Promise.race([response.then(() => "read" as const), late]);
    if (first === "late") await sendBatch(following, place);
  } finally {
    timer.cancel();
  }
}

function nextRoundMs({ clock, log, pollMs, unchangedPolls, waiting }: Following, place: Place): number {
  const poll = pollMs(log, unchangedPolls);
  if (waiting === undefined || place.position === place.head.size) return poll;
  return Math.min(poll, Math.max(0, waiting.sinceMs + partialTileMs - clock.monotonicMs()));
}

/**
 * Compares a tree head with an earlier one of the same log. A smaller tree that was signed earlier comes from a replica
 * that lags behind.
 * @throws LogError `mismatch` if the log has taken entries back, or has signed two different trees of one size
 */
export function checkHead(head: TreeHead, { previous }: { previous: TreeHead }): void {
  if (head.size < previous.size && head.timestamp > previous.timestamp)
    throw new LogError("mismatch", `the log shrank from ${previous.size} to ${head.size} entries`);
  if (head.size === previous.size && Buffer.compare(head.rootHash, previous.rootHash) !== 0)
    throw new LogError("mismatch", `the log signed two different trees of ${head.size} entries`);
}
