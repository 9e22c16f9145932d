import { createSocket } from "node:dgram";
import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Answer,
  type Question,
} from "dns-packet";

/** Behavior of a name server for one query: addresses, no such name, or silence. */
export type Resolve = (name: string, count: number) => readonly string[] | "none" | "silent";

const nameErrorCode = 3;
const ttlSeconds = 60;

/** Starts a name server on loopback that knows addresses and name servers. @param resolve receives how often the name was asked. */
export async function startNameServer(resolve: Resolve, { port: wanted = 0 } = {}) {
  const counts = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (bytes, { port, address }) => {
    const query = decode(bytes);
    const question = query.questions?.[0];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const result = resolve(name, count);
    if (result === "silent") return;
    const found = typeof result === "string" ? [] : answersTo(question, result);
    const response = encode({
      type: "response",
      id: query.id ?? 0,
      flags:
        AUTHORITATIVE_ANSWER |
        RECURSION_DESIRED |
        RECURSION_AVAILABLE |
        (result === "none" ? nameErrorCode : 0),
      questions: [question],
      answers: found,
    });
    socket.send(response, port, address);
  });
  await new Promise<void>((done) => socket.bind(wanted, "127.0.0.1", done));
  return { port: socket.address().port, stop: () => socket.close() };
}

function answersTo({ name, type }: Question, addresses: readonly string[]): Answer[] {
  if (type === "NS") return [{ type, name, ttl: ttlSeconds, data: `ns.${name}` }];
  return type === "A" ? addresses.map((data) => ({ type, name, ttl: ttlSeconds, data })) : [];
}
