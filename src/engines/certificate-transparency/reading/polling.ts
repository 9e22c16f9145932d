/** Time between two polls of a log that grows steadily. */
const pollMsBase = 15_000;
/** Time between two polls of a log that does not grow. */
const pollMsMax = 5 * 60_000;
const growth = 1.5;
/** Share of an operator's rate that polls may take; the rest is for entries. */
const pollShare = 0.25;
/** Largest relative deviation, so that the logs are not polled all at once. */
const jitter = 0.2;
const secondMs = 1_000;

/**
 * Returns the time until the next poll of a log whose entries were all read: longer while it does not grow, and for
 * operators with many logs or a low rate.
 * @param random returns a number from 0 to below 1
 */
export function nextPollMs({
  unchangedPolls,
  logsOfOperator,
  requestsPerSecond,
  random,
}: {
  /** Number of polls since the size changed. */
  unchangedPolls: number;
  logsOfOperator: number;
  requestsPerSecond: number;
  random: () => number;
}): number {
  const ownMs = Math.min(pollMsMax, pollMsBase * growth ** Math.min(unchangedPolls, 20));
  const fairMs = (logsOfOperator / (requestsPerSecond * pollShare)) * secondMs;
  return Math.round(Math.max(ownMs, fairMs) * (1 + jitter * (2 * random() - 1)));
}
