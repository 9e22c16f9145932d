import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Subject } from "../figures.ts";
import { printGoal } from "../statistics.ts";
import { configure, seedEvents, serve } from "./instance.ts";
import { startPlainReceiver } from "./plain-receiver.ts";

const endpointCount = 25;
const pollMs = 100;
const goal = { kind: "at least", limit: 10_000 } as const;

/** Measures how many deliveries per second the server sends to 25 endpoints and records, and what they cost. */
export async function sustained(folder: string, events: number): Promise<Subject["figures"]> {
  const path = join(folder, "sustained.db");
  seedEvents(path, events);
  const receiver = await startPlainReceiver();
  const endpoints = Array.from({ length: endpointCount }, (_, index) => ({
    name: `endpoint-${index}`,
    // Each has its own host, and so its own connections.
    url: `http://127.0.0.${index + 1}:${receiver.port}/`,
  }));
  const server = await serve(configure(path, endpoints));
  const database = new Database(path, { readonly: true });
  // Counted in the transactions that record the results, and cheap to read.
  const recorded = database.query<{ total: number | null }, []>(
    "SELECT sum(delivered) AS total FROM delivery_hours",
  );
  const state = () => ({
    atMs: performance.now(),
    total: recorded.get()!.total ?? 0,
    serverSeconds: server.cpuSeconds(),
    receiverSeconds: receiver.cpuSeconds(),
  });
  const wanted = events * endpointCount;
  // The first tenth warms up: code is compiled, connections are opened.
  let first = state();
  while (first.total < wanted / 10) {
    await Bun.sleep(pollMs);
    first = state();
  }
  let last = first;
  let peak = server.residentBytes();
  while (last.total < wanted) {
    await Bun.sleep(pollMs);
    last = state();
    peak = Math.max(peak, server.residentBytes());
  }
  const received = await receiver.received();
  await server.stop();
  database.close();
  receiver.stop();
  const total = last.total - first.total;
  const perSecond = total / ((last.atMs - first.atMs) / 1_000);
  const serverMicroseconds = ((last.serverSeconds - first.serverSeconds) * 1e6) / total;
  const receiverMicroseconds = ((last.receiverSeconds - first.receiverSeconds) * 1e6) / total;
  console.log(
    `${events} events to ${endpointCount} endpoints: ${received} requests received, ${last.total} deliveries recorded`,
  );
  printGoal("durably recorded deliveries per second", perSecond, goal);
  console.log(
    `CPU time per delivery: server ${serverMicroseconds.toFixed(1)} µs, receiver ${receiverMicroseconds.toFixed(1)} µs; ` +
      `peak memory of the server ${Math.round(peak / 2 ** 20)} MiB\n`,
  );
  return {
    "deliveries/s": [perSecond],
    "CPU time, µs": [serverMicroseconds],
    "CPU time of the receiver, µs": [receiverMicroseconds],
    "memory, MiB": [peak / 2 ** 20],
  };
}
