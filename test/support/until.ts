const pollMs = 2;

/** Waits until `condition` is true. Throws with `description` after `timeoutMs`, which only guards against hanging. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  description: string,
  timeoutMs = 20_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${description}`);
    await Bun.sleep(pollMs);
  }
}
