/** A complete HTTP/1.1 request in wire format. */
export type RawRequest = Uint8Array;

export interface LoadResult {
  requests: number;
  durationMs: number;
  /** Time from sending a request to the last byte of its response, ascending. */
  latenciesMs: Float64Array;
}

const headerEnd = Buffer.from("\r\n\r\n");
const responseHeaderBytesMax = 16 * 1024;

export function rawRequest(
  method: "GET" | "PATCH" | "POST",
  path: string,
  { key, body }: { key?: string; body?: object } = {},
): RawRequest {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept: application/json"];
  if (key !== undefined) lines.push(`Authorization: Bearer ${key}`);
  if (body !== undefined) {
    lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${text}`);
}

/**
 * Keeps `connections` connections busy for `durationMs`, each with one request in flight. Speaks HTTP/1.1
 * over plain sockets, because `fetch` uses more CPU than the measured servers, and both share the machine's
 * cores. Never sleeps during the measurement: waking a sleeping peer costs the server CPU time (8 µs per request,
 * measured), and the peer of a slow server sleeps more often than that of a fast one.
 * @param nextRequest called for every request
 * @throws if a response is not 200 or has no Content-Length, or if a connection is closed
 */
export async function load({
  port,
  connections,
  durationMs,
  nextRequest,
}: {
  port: number;
  connections: number;
  durationMs: number;
  nextRequest: () => RawRequest;
}): Promise<LoadResult> {
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + durationMs;

  const connection = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let sentAt = 0;
    let missingBytes = 0;
    let partialHeader = Buffer.alloc(0);

    const send = (socket: Bun.Socket<undefined>) => {
      const request = nextRequest();
      sentAt = performance.now();
      if (socket.write(request) !== request.byteLength) {
        reject(new Error("a request did not fit into the socket's buffer"));
        socket.end();
      }
    };
    const finish = (socket: Bun.Socket<undefined>) => {
      const now = performance.now();
      latencies.push(now - sentAt);
      if (now < end) return send(socket);
      resolve();
      socket.end();
    };
    const fail = (socket: Bun.Socket<undefined>, message: string) => {
      reject(new Error(message));
      socket.end();
    };

    void Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: send,
        data(socket, received) {
          if (missingBytes > 0) {
            missingBytes -= received.byteLength;
            if (missingBytes === 0) finish(socket);
            return;
          }
          const chunk = partialHeader.length > 0 ? Buffer.concat([partialHeader, received]) : received;
          const bodyStart = chunk.indexOf(headerEnd) + headerEnd.length;
          if (bodyStart < headerEnd.length) {
            if (chunk.length > responseHeaderBytesMax) return fail(socket, "a response header is too long");
            partialHeader = Buffer.from(chunk);
            return;
          }
          partialHeader = Buffer.alloc(0);
          const header = chunk.toString("latin1", 0, bodyStart);
          if (!header.startsWith("HTTP/1.1 200 "))
            return fail(socket, `unexpected response: ${chunk.toString()}`);
          const length = /\r\ncontent-length: *(\d+)/i.exec(header)?.[1];
          if (length === undefined) return fail(socket, `no Content-Length in: ${header}`);
          missingBytes = Number(length) - (chunk.length - bodyStart);
          if (missingBytes === 0) finish(socket);
        },
        close: () => reject(new Error("the server closed a connection")),
        error: (_socket, error) => reject(error),
        connectError: (_socket, error) => reject(error),
      },
    });
    return promise;
  };

  let loading = true;
  const stayAwake = () => void (loading && setImmediate(stayAwake));
  stayAwake();
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    loading = false;
  }
  return {
    requests: latencies.length,
    durationMs: performance.now() - start,
    latenciesMs: Float64Array.from(latencies).sort(),
  };
}
