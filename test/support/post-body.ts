/** Sends requests from a process of its own, so that the sender does not use the time of the server's thread. */
import { connect } from "node:net";

/** A body that repeats one text. */
export interface RepeatedBody {
  before?: string;
  repeated: string;
  times: number;
  after?: string;
}

/** A response, and the number of bytes of the body that were sent when it began. */
export interface PostResult {
  status: number;
  sent: number;
  head: string;
  text: string;
}

const writeBytes = 64 << 10;

interface Post {
  path: string;
  /** They override those that describe the body; an empty value removes one. */
  headers: Record<string, string>;
  body: RepeatedBody;
}

/** Sends the request from another process. */
export async function post(port: number, request: Post): Promise<PostResult> {
  const [result] = await postAtOnce(port, 1, request);
  return result!;
}

/** Sends the request on several connections at once. */
export async function postAtOnce(port: number, count: number, request: Post): Promise<PostResult[]> {
  const child = Bun.spawn(
    [process.execPath, import.meta.path, `${port}`, `${count}`, JSON.stringify(request)],
    { stdout: "pipe", stderr: "inherit" },
  );
  return JSON.parse(await new Response(child.stdout).text()) as PostResult[];
}

function send(port: number, { path, headers }: Post, body: Buffer): Promise<PostResult> {
  const { promise, resolve } = Promise.withResolvers<PostResult>();
  const socket = connect(port, "127.0.0.1");
  let sent = 0;
  let text = "";
  let sentAtResponse = 0;
  const write = () => {
    while (sent < body.length) {
      const piece = body.subarray(sent, sent + writeBytes);
      sent += piece.length;
      if (!socket.write(piece)) return void socket.once("drain", write);
    }
  };
  socket.on("data", (data) => {
    if (text === "") sentAtResponse = sent;
    text += data.toString();
    if (text.includes("\r\n\r\n")) socket.destroy();
  });
  socket.on("close", () => {
    const [head = "", content = ""] = text.split("\r\n\r\n", 2);
    resolve({ status: Number(head.split(" ")[1]), sent: sentAtResponse, head, text: content });
  });
  const all = { host: "127.0.0.1", "content-length": `${body.length}`, ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === "" ? [] : [`${name}: ${value}\r\n`],
  );
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  write();
  return promise;
}

if (import.meta.main) {
  const [port, count, given] = process.argv.slice(2) as [string, string, string];
  const request = JSON.parse(given) as Post;
  const { before = "", repeated, times, after = "" } = request.body;
  const body = Buffer.concat([Buffer.from(before), Buffer.from(repeated.repeat(times)), Buffer.from(after)]);
  const pending = Array.from({ length: Number(count) }, () => send(Number(port), request, body));
  console.log(JSON.stringify(await Promise.all(pending)));
}
