/** A request as it goes over the wire, ready to send. */
export type RawRequest = Uint8Array;

export interface LoadResult {
  requests: number;
  durationMs: number;
  /** Time from sending a request to the last byte of its answer, ascending. */
  latenciesMs: Float64Array;
}

const headerEnd = Buffer.from("\r\n\r\n");
const answerHeaderBytesMax = 16 * 1024;

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
 * Keeps `connections` connections busy for `durationMs`, each with one request under way. Speaks HTTP/1.1
 * over plain sockets, because `fetch` costs more CPU than the servers that are measured here, and both
 * share the machine's cores. Never sleeps meanwhile: a server pays the waking of a sleeping peer out of its
 * own CPU time (8 µs a request here), and a slow server's peer sleeps more often than a quick one's.
 * @param nextRequest called for every request.
 * @throws on any answer but 200, on a closed connection, on an answer without Content-Length.
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
        reject(new Error("a request did not fit the socket's buffer"));
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
            if (chunk.length > answerHeaderBytesMax) return fail(socket, "an answer's header never ends");
            partialHeader = Buffer.from(chunk);
            return;
          }
          partialHeader = Buffer.alloc(0);
          const header = chunk.toString("latin1", 0, bodyStart);
          if (!header.startsWith("HTTP/1.1 200 "))
            return fail(socket, `unexpected answer: ${chunk.toString()}`);
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
