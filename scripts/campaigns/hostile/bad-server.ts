// A server for HTTP, WHOIS and DNS on one port that sends hostile responses: bad-server.ts SEED. It prints its port. A
// request names its input "SUBJECT-INDEX.com" in its Host header, its path, its WHOIS query or its question.
import { createSocket } from "node:dgram";
import net from "node:net";
import { hostileDnsMessage } from "./dns-messages.ts";
import { harmlessName, hostileInput, randomOfInput, type Subject } from "./inputs.ts";

const seed = Number(process.argv[2]);
const named = /(page|rdap|whois|receiver)-(\d+)\./;
const asked = /dns-(\d+)/;
const dripIntervalMs = 5;

const harmlessPage = Buffer.from(
  `HTTP/1.1 200 X\r\nContent-Type: text/html\r\n\r\n${"<p>An <b>ordinary</b> page, <a href=/a>with links</a>.</p>\n".repeat(20_000)}`,
);

const server = net.createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.once("data", (request: Buffer) => {
    const text = request.toString("latin1");
    const question = asked.exec(text);
    if (question !== null) {
      const message = hostileDnsMessage(
        randomOfInput({ seed, index: Number(question[1]) }),
        request.subarray(2),
      );
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      return void socket.end(Buffer.concat([length, message]));
    }
    const match = named.exec(text);
    if (text.includes(`Host: ${harmlessName}`)) return void socket.end(harmlessPage);
    if (match === null) return void socket.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    if (text.includes(" /favicon.ico "))
      return void socket.end("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
    const input = hostileInput(match[1] as Exclude<Subject, "dns">, { seed, index: Number(match[2]) });
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
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as net.AddressInfo;
  const udp = createSocket("udp4");
  udp.on("message", (query, { port: from }) => {
    const question = asked.exec(query.toString("latin1"));
    if (question === null) return;
    const random = randomOfInput({ seed, index: Number(question[1]) });
    for (let copies = random.pick([1, 1, 1, 5]); copies > 0; copies -= 1)
      udp.send(hostileDnsMessage(random, query), from, "127.0.0.1");
  });
  // The client has closed its port.
  udp.on("error", () => {});
  udp.bind(port, "127.0.0.1", () => console.log(port));
});
