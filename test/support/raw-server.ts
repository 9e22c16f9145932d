import net from "node:net";

/** Starts a TCP server on loopback that sends exact bytes, for responses that no HTTP server would send. */
export async function startRawServer(
  onRequest: (socket: net.Socket, request: string, count: number) => void,
  { onConnection = (_socket: net.Socket) => {} } = {},
) {
  const sockets = new Set<net.Socket>();
  const requests: string[] = [];
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let request = "";
    onConnection(socket);
    socket.on("data", (bytes) => {
      request += bytes.toString("latin1");
      const headEnd = request.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
      if (headEnd === -1 || request.length < headEnd + 4 + length) return;
      requests.push(request);
      const whole = request;
      request = "";
      onRequest(socket, whole, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    connections: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export type RawServer = Awaited<ReturnType<typeof startRawServer>>;
