const pollMsMin = 2;
/** A condition may open a database or send a request. In a long wait, checking it every 2 ms would fill a processor. */
const pollMsMax = 10;

/** Waits until `condition` is true. Throws with `description` after `timeoutMs`, which only guards against hanging. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  description: string,
  timeoutMs = 20_000,
): Promise<void> {
  const start = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${description}`);
    await Bun.sleep(Math.min(pollMsMin + waitedMs / 20, pollMsMax));
  }
}
