import { SMTPServer } from "smtp-server";
import type { AddressInfo } from "node:net";
import type { Random } from "../../benchmarks/random.ts";

/** Everything that one service accepted, by the identifier of the message or event. */
export interface Accepted {
  port: number;
  /** Times in monotonic milliseconds, and the different contents. */
  messages: Map<string, { times: number[]; contents: Set<string> }>;
  /** From now on, it accepts everything. */
  recover(): void;
  stop(): void;
}

const hangMs = 3_000;
/** Longest time between accepting a message and the response, in which a kill leads to a duplicate. */
const delayMsMax = 300;

/**
 * Starts an HTTP receiver on loopback. One that is hostile accepts only some requests: others get an error, or no response.
 * @param idOf returns the identifier of the message in the body of a request
 */
export function startReceiver({
  hostile,
  idOf,
}: {
  hostile?: Random;
  idOf: (body: string) => string;
}): Accepted {
  const messages: Accepted["messages"] = new Map();
  let random = hostile;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const behavior = random?.pick(["accept", "accept", "accept", 500, 429, 503, "hang"] as const);
      if (typeof behavior === "number") return new Response("not now", { status: behavior });
      if (behavior === "hang") {
        await Bun.sleep(hangMs);
        return new Response("too late", { status: 504 });
      }
      note(messages, idOf(body), body);
      await Bun.sleep(Math.random() * delayMsMax);
      // As PagerDuty and ntfy confirm a message.
      return Response.json({ status: "success", id: "accepted", event: "message", topic: "campaign" });
    },
  });
  return {
    port: server.port!,
    messages,
    recover: () => void (random = undefined),
    stop: () => void server.stop(true),
  };
}

/** Starts a mail server on loopback. Messages are known by their Message-ID. */
export async function startMailServer(): Promise<Accepted> {
  const messages: Accepted["messages"] = new Map();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        const mail = Buffer.concat(chunks).toString();
        const [, id = ""] = /^Message-ID: <([^@>]+)@/im.exec(mail) ?? [];
        const [, subject = ""] = /^Subject: (.*)$/im.exec(mail) ?? [];
        note(messages, id, subject);
        done();
      });
    },
  });
  // Clients that are killed.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    messages,
    recover: () => {},
    stop: () => server.close(),
  };
}

function note(messages: Accepted["messages"], id: string, content: string): void {
  const known = messages.get(id) ?? { times: [], contents: new Set() };
  known.times.push(performance.now());
  known.contents.add(content);
  messages.set(id, known);
}
