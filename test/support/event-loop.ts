/**
 * Measures how long one iteration of the event loop keeps the thread. It counts CPU time, because other processes of a
 * shared machine interrupt the thread for any time.
 */
export function meterEventLoop(): { longestMs(): number; stop(): void } {
  let longest = 0;
  let stopped = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    if (stopped) return;
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    setTimeout(turn, 0);
  };
  turn();
  return { longestMs: () => longest, stop: () => void (stopped = true) };
}
