import { connect } from "node:net";

/** A request as it goes over the wire. */
export interface RawRequest {
  method?: string;
  /** Sent as it is. */
  target: string;
  /** Null: HTTP/1.0 without a Host header. */
  host?: string | null;
  headers?: string[];
  /** Address of this machine to send from. */
  from?: string;
}

export interface RawResponse {
  status: number;
  head: string;
  body: string;
}

/** Sends a request that no HTTP client would send, and reads the response until the server closes the connection. */
export function sendRaw(
  port: number,
  { method = "GET", target, host = "127.0.0.1", headers = [], from }: RawRequest,
): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  const version = host === null ? "HTTP/1.0" : "HTTP/1.1";
  const lines = [
    `${method} ${target} ${version}`,
    ...(host === null ? [] : [`Host: ${host}`]),
    "Connection: close",
    ...headers,
  ];
  const socket = connect({ port, host: "127.0.0.1", ...(from === undefined ? {} : { localAddress: from }) });
  let text = "";
  const length = () => Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? Infinity);
  socket.on("data", (data) => {
    text += data.toString("latin1");
    const bodyAt = text.indexOf("\r\n\r\n") + 4;
    if (bodyAt > 3 && text.length >= bodyAt + length()) socket.end();
  });
  socket.on("error", reject);
  socket.on("close", () => {
    const [head = "", body = ""] = text.split("\r\n\r\n", 2);
    resolve({ status: Number(head.split(" ")[1] ?? 0), head, body });
  });
  socket.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return promise;
}
