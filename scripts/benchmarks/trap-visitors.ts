// Visitors for scripts/benchmarks/traps.ts, in a separate process: request a path at a fixed rate, from one network or
// each time from a different one, until standard input ends. Prints the number of responses.
const [port, path, visitsPerSecond, networks] = JSON.parse(process.argv[2]!) as [
  number,
  string,
  number,
  "one" | "many",
];
const connections = 16;
const tickMs = 5;
const inFlightMax = 256;
const requestsPerWriteMax = 16;
const responseStart = Buffer.from("HTTP/1.1 ");

let sent = 0;
let responses = 0;
const request = () => {
  sent += 1;
  const address =
    networks === "one" ? "198.51.100.7" : `${(sent >> 16) & 127}.${(sent >> 8) & 255}.${sent & 255}.1`;
  return `GET ${path} HTTP/1.1\r\nHost: traps.test\r\nUser-Agent: benchmark\r\nX-Forwarded-For: ${address}\r\n\r\n`;
};
const sockets = await Promise.all(
  Array.from({ length: connections }, () =>
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(_socket, received) {
          let at = received.indexOf(responseStart);
          while (at !== -1) {
            responses += 1;
            at = received.indexOf(responseStart, at + 1);
          }
        },
        close: () => {},
        error: () => {},
      },
    }),
  ),
);
const startedAt = performance.now();
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) / 1_000) * visitsPerSecond) - sent;
  const share = Math.min(Math.ceil(due / connections), requestsPerWriteMax);
  // Wait for the responses: otherwise the benchmark would measure a queue in the socket.
  if (sent - responses > inFlightMax) return;
  for (const socket of sockets) if (share > 0) socket.write(Array.from({ length: share }, request).join(""));
}, tickMs);
process.stdin.once("end", () => {
  clearInterval(timer);
  process.stdout.write(JSON.stringify({ responses, seconds: (performance.now() - startedAt) / 1_000 }));
  process.exit();
});
process.stdin.resume();
