/** A message as an ntfy server keeps it and shows it to subscribers (docs.ntfy.sh/subscribe/api, "JSON message format"). */
export interface NtfyMessage {
  id: string;
  time: number;
  event: "message";
  topic: string;
  title?: string;
  message: string;
  priority?: number;
  tags?: string[];
  click?: string;
  actions?: { action: string; label: string; url?: string }[];
  attachment?: { name: string; type: string; size: number; url: string };
}

interface Published extends Partial<NtfyMessage> {
  filename?: string;
}

const messageBytesMax = 4_096;
const topicPattern = /^[-_A-Za-z0-9]{1,64}$/;

/**
 * Starts a receiver on loopback that accepts messages as an ntfy server does, with the limits and the errors of its
 * source (`server/server.go`, `server/errors.go`), and serves them to subscribers: `GET /<topic>/json?poll=1`.
 */
export function startNtfyReceiver({
  attachments = false,
  requestsMax = 60,
  token = null,
}: {
  /** Whether files are accepted. Most servers do not. */
  attachments?: boolean;
  /** Requests before the status 429. A real server permits one more every 5 s. */
  requestsMax?: number;
  /** The only access token that may publish and read; null: everybody may. */
  token?: string | null;
} = {}) {
  const messages: NtfyMessage[] = [];
  let requests = 0;

  async function publish(request: Request, url: URL): Promise<NtfyMessage> {
    requests += 1;
    if (requests > requestsMax) throw new NtfyError(429, 42901, "limit reached: too many requests");
    const bytes = Buffer.from(await request.arrayBuffer());
    const published = url.pathname === "/" ? fromJson(bytes) : fromParameters(request, url);
    const body = url.pathname === "/" ? Buffer.from(published.message || "triggered") : bytes;
    if (!topicPattern.test(published.topic ?? ""))
      throw new NtfyError(400, 40009, "invalid request: topic invalid");
    if ((published.actions ?? []).length > 3)
      throw new NtfyError(400, 40018, "invalid request: actions invalid; only 3 actions allowed");
    const { filename, topic = "", ...rest } = published;
    const id = `m${String(messages.length + 1).padStart(11, "0")}`;
    const message: NtfyMessage = { ...rest, id, time: 1_769_860_800, event: "message", topic, message: "" };
    if (filename !== undefined || body.length > messageBytesMax) {
      if (!attachments) throw new NtfyError(400, 40014, "invalid request: attachments not allowed");
      const name = filename ?? "attachment.txt";
      message.message = published.message ?? `You received a file: ${name}`;
      const type = request.headers.get("content-type") ?? "application/octet-stream";
      message.attachment = { name, type, size: body.length, url: `${origin()}/file/${id}` };
    } else message.message = body.toString().trim();
    messages.push(message);
    return message;
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const url = new URL(request.url);
      try {
        authorize(request, token);
        if (request.method !== "GET") return Response.json(await publish(request, url));
        const topic = /^\/([^/]+)\/json$/.exec(url.pathname)?.[1];
        if (topic === undefined || url.searchParams.get("poll") !== "1")
          throw new NtfyError(404, 40401, "page not found");
        const lines = messages
          .filter((message) => message.topic === topic)
          .map((message) => `${JSON.stringify(message)}\n`);
        return new Response(lines.join(""), { headers: { "Content-Type": "application/x-ndjson" } });
      } catch (error) {
        if (!(error instanceof NtfyError)) throw error;
        const { code, http, message } = error;
        return Response.json({ code, http, error: message }, { status: http });
      }
    },
  });
  const origin = () => `http://127.0.0.1:${server.port}`;
  return {
    url: origin(),
    messages,
    /** Permits as many requests again as at the start. */
    refill: () => void (requests = 0),
    stop: () => server.stop(true),
  };
}

class NtfyError extends Error {
  readonly http: number;
  readonly code: number;

  constructor(http: number, code: number, message: string) {
    super(message);
    this.http = http;
    this.code = code;
  }
}

function authorize(request: Request, token: string | null): void {
  const given = request.headers.get("authorization");
  if (token === null || given === `Bearer ${token}`) return;
  throw given === null ? new NtfyError(403, 40301, "forbidden") : new NtfyError(401, 40101, "unauthorized");
}

/** Reads a message that is published as JSON to the root. */
function fromJson(bytes: Buffer): Published {
  if (bytes.length > 2 * messageBytesMax) throw new NtfyError(413, 41303, "JSON body too large");
  try {
    return JSON.parse(bytes.toString()) as Published;
  } catch {
    throw new NtfyError(400, 40017, "invalid request: request body must be message JSON");
  }
}

/** Reads a message whose body is published to its topic. */
function fromParameters(request: Request, { pathname, searchParams }: URL): Published {
  const get = (name: string) => searchParams.get(name) ?? request.headers.get(name) ?? undefined;
  const text = { title: get("title"), message: get("message"), filename: get("filename") };
  const given = Object.fromEntries(Object.entries(text).filter(([, value]) => value !== undefined));
  const priority = get("priority");
  return {
    ...given,
    topic: pathname.slice(1),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
  };
}
