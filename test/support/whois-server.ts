import net from "node:net";

/** Starts a WHOIS server (RFC 3912) on loopback: it reads a line, sends what `respond` returns, and closes. */
export async function startWhoisServer(
  respond: (query: string, count: number) => string | Uint8Array | ((socket: net.Socket) => void),
) {
  const sockets = new Set<net.Socket>();
  const queries: string[] = [];
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let read = "";
    socket.on("data", (bytes) => {
      read += bytes.toString("latin1");
      const end = read.indexOf("\r\n");
      if (end === -1) return;
      queries.push(read.slice(0, end));
      const response = respond(read.slice(0, end), queries.length);
      if (typeof response === "function") response(socket);
      else socket.end(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    /** The received queries, without line ends. */
    queries,
    connections: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
