import net from "node:net";

/** A WHOIS server (RFC 3912) on loopback: reads a line, says what it is told, closes. */
export async function startWhoisServer(
  answer: (query: string, count: number) => string | Uint8Array | ((socket: net.Socket) => void),
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
      const said = answer(read.slice(0, end), queries.length);
      if (typeof said === "function") said(socket);
      else socket.end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    /** What it was asked, without the line's end. */
    queries,
    connections: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
