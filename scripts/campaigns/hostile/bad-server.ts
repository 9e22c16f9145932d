// A server for HTTP and WHOIS on one port that sends hostile responses: bad-server.ts SEED. It prints its port. A request
// names its input "SUBJECT-INDEX.com" in its Host header, its path or its WHOIS query.
import net from "node:net";
import { hostileInput, subjects, type Subject } from "./inputs.ts";

const seed = Number(process.argv[2]);
const named = new RegExp(`(${subjects.join("|")})-(\\d+)\\.`);
const dripIntervalMs = 5;

const server = net.createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.once("data", (request) => {
    const text = request.toString("latin1");
    const match = named.exec(text);
    if (match === null) return void socket.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    if (text.includes(" /favicon.ico "))
      return void socket.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    const input = hostileInput(match[1] as Subject, { seed, index: Number(match[2]) });
    const finish = () => {
      if (input.end === "close") socket.end();
      else if (input.end === "reset") socket.resetAndDestroy();
    };
    const { bytes, dripBytes } = input;
    if (dripBytes === undefined) return void socket.write(bytes, finish);
    let from = 0;
    const drip = setInterval(() => {
      if (socket.destroyed || from >= bytes.length) {
        clearInterval(drip);
        return finish();
      }
      socket.write(bytes.subarray(from, from + dripBytes));
      from += dripBytes;
    }, dripIntervalMs);
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as net.AddressInfo).port));
