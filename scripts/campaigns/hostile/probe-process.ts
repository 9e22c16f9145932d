// Requests /healthz without a pause: probe-process.ts PORT. For each line on standard input, it prints the longest
// response time since the line before, in milliseconds.
import { createInterface } from "node:readline";

const [port] = process.argv.slice(2);
let longestMs = 0;
const probe = async () => {
  for (;;) {
    const startedAt = performance.now();
    try {
      await (await fetch(`http://127.0.0.1:${port}/healthz`)).bytes();
    } catch {
      longestMs = Infinity;
    }
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};
void probe();
for await (const _line of createInterface({ input: process.stdin })) {
  console.log(String(longestMs));
  longestMs = 0;
}
process.exit(0);
