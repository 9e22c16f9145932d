// Receiver that costs as little as possible: it speaks HTTP/1.1 over plain sockets, keeps connections open, and checks of
// each request only that it is complete. Listens on every address of loopback, so that each endpoint can have its own.
// Reports over IPC how many requests it has received.

const headEnd = Buffer.from("\r\n\r\n");
const lengthName = Buffer.from("Content-Length: ");
const requestStart = Buffer.from("POST /");
const response = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const carriageReturn = 13;
const zero = 48;

let received = 0;

/** Returns the length of the first request, or undefined if it is not complete. Throws if it is no such request. */
function requestLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return undefined;
  const length = bytes.indexOf(lengthName);
  if (bytes.indexOf(requestStart) !== 0 || length === -1 || length > end) throw new Error("not a delivery");
  let bodyBytes = 0;
  for (let index = length + lengthName.length; bytes[index] !== carriageReturn; index += 1)
    bodyBytes = bodyBytes * 10 + bytes[index]! - zero;
  const total = end + headEnd.length + bodyBytes;
  return bytes.length < total ? undefined : total;
}

const listener = Bun.listen<{ rest: Buffer | undefined }>({
  hostname: "0.0.0.0",
  port: 0,
  socket: {
    open(socket) {
      socket.data = { rest: undefined };
    },
    data(socket, chunk) {
      const { rest } = socket.data;
      let bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      for (let length = requestLength(bytes); length !== undefined; length = requestLength(bytes)) {
        received += 1;
        socket.write(response);
        bytes = bytes.subarray(length);
      }
      socket.data.rest = bytes.length === 0 ? undefined : Buffer.from(bytes);
    },
  },
});

process.on("message", () => process.send!({ received }));
process.send!({ port: listener.port });
