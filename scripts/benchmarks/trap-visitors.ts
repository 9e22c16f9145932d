// A process of its own for scripts/benchmarks/traps.ts: asks for a path so many times a second, from one network
// or each time from another, until it is told to end; then prints how many were answered.
const [port, path, perSecond, networks] = JSON.parse(process.argv[2]!) as [
  number,
  string,
  number,
  "one" | "many",
];
const connections = 16;
const tickMs = 5;
const underWayMax = 256;
const marker = Buffer.from("HTTP/1.1 ");

let sent = 0;
let answered = 0;
const request = () => {
  sent += 1;
  const from =
    networks === "one" ? "198.51.100.7" : `${(sent >> 16) & 127}.${(sent >> 8) & 255}.${sent & 255}.1`;
  return `GET ${path} HTTP/1.1\r\nHost: traps.test\r\nUser-Agent: benchmark\r\nX-Forwarded-For: ${from}\r\n\r\n`;
};
const sockets = await Promise.all(
  Array.from({ length: connections }, () =>
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(_socket, received) {
          for (let at = received.indexOf(marker); at !== -1; at = received.indexOf(marker, at + 1))
            answered += 1;
        },
        close: () => {},
        error: () => {},
      },
    }),
  ),
);
const startedAt = performance.now();
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond) - sent;
  // What is not answered yet is waited for: a queue in the socket would measure nothing.
  const share = Math.min(Math.ceil(due / connections), 16);
  if (sent - answered > underWayMax) return;
  for (const socket of sockets) if (share > 0) socket.write(Array.from({ length: share }, request).join(""));
}, tickMs);
process.stdin.once("end", () => {
  clearInterval(timer);
  process.stdout.write(JSON.stringify({ answered, seconds: (performance.now() - startedAt) / 1_000 }));
  process.exit();
});
process.stdin.resume();
