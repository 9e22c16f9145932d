import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  bunProgram,
  jsonOption,
  phishwatchProgram,
  shownCommand,
  writeFigures,
  type Subject,
} from "./figures.ts";
import { readOptions } from "./options.ts";
import { phishwatchExecutable } from "./phishwatch.ts";
import { printGoal, quantile } from "./statistics.ts";
import { apiKey, configure, sampleEvent, seedEvents, serve, temporaryFolder } from "./webhooks/instance.ts";
import { fetchLoop, plainSockets } from "./webhooks/nothing-recorded.ts";
import { pending } from "./webhooks/pending.ts";
import { pruning } from "./webhooks/pruning.ts";
import { sustained } from "./webhooks/sustained.ts";

const {
  events: burstEvents,
  seconds: latencySeconds,
  pending: pendingDeliveries,
  sustained: sustainedEvents,
  pruning: prunedDeliveries,
  only,
  json,
} = readOptions({
  benchmark: "webhooks",
  summary:
    "Webhook deliveries of the executable over loopback: a burst to a healthy, a failing and a hanging receiver, the time\n" +
    "from commit to arrival, the cost of pending deliveries, the rate to 25 endpoints, and the deletion of old ones.",
  options: {
    events: { default: 10_000, value: "N", description: "events in the burst" },
    seconds: { default: 20, value: "N", description: "duration of the latency measurement" },
    pending: { default: 1_000_000, value: "N", description: "pending deliveries" },
    sustained: { default: 12_000, value: "N", description: "events to 25 endpoints" },
    pruning: { default: 1_000_000, value: "N", description: "old deliveries to delete" },
    only: {
      default: null,
      value: "PART",
      description: "bare, burst, latency, pending, sustained or pruning",
    },
    json: jsonOption,
  },
});
const eventsPerSecond = 200;
const goals = {
  burst: { kind: "at least", limit: 3_000 },
  latency: { kind: "at most", limit: 50 },
} as const;
const bareDeliveries = 50_000;
/** Time for the server to finish its startup work or the deliveries in flight before a measurement. */
const settleMs = 2_000;

const folder = temporaryFolder();
const receiver = Bun.spawn([process.execPath, join(import.meta.dir, "webhook-receiver.ts")], {
  stdout: "pipe",
  stderr: "inherit",
});
process.on("exit", () => receiver.kill());
const receiverPort = Number(new TextDecoder().decode((await receiver.stdout.getReader().read()).value));
const endpointAt = (name: string) => ({ name, url: `http://127.0.0.1:${receiverPort}/${name}` });
const parts = {
  bare,
  burst,
  latency,
  pending: async () => void subjects.push(...(await pending(folder, pendingDeliveries))),
  sustained: async () => {
    const measured = await sustained(folder, sustainedEvents);
    const name = "phishwatch, durably recorded, to 25 endpoints";
    subjects.push({
      name,
      program: phishwatchProgram(),
      command: "phishwatch serve",
      figures: measured,
    });
  },
  pruning: async () => {
    const measured = await pruning(folder, prunedDeliveries);
    const name = `deletion of ${prunedDeliveries.toLocaleString("en")} old deliveries`;
    subjects.push({ name, program: phishwatchProgram(), command: "in one process", figures: measured });
  },
};

const subjects: Subject[] = [];
for (const [name, measure] of Object.entries(parts)) if (only === null || only === name) await measure();
writeFigures(json, subjects);
process.exit(0);

/** Measures what deliveries cost without any records of them. */
async function bare(): Promise<void> {
  const measured = {
    "plain sockets, nothing recorded": await plainSockets(),
    "fetch in a loop, nothing recorded": await fetchLoop(bareDeliveries),
  };
  for (const [name, of] of Object.entries(measured)) {
    subjects.push({ name, program: bunProgram, command: "bun webhooks.ts --only bare", figures: of });
    const rounded = Object.entries(of).map(([quantity, [value]]) => `${Math.round(value!)} ${quantity}`);
    console.log(`${name}: ${rounded.join("; ")}`);
  }
  console.log();
}

async function burst(): Promise<void> {
  const path = join(folder, "burst.db");
  seedEvents(path, burstEvents);
  const startedAt = Date.now();
  const server = await serve(configure(path, ["healthy", "failing", "hanging"].map(endpointAt)));
  const database = new Database(path, { readonly: true });
  const recorded = database.query<{ total: number }, []>(
    `SELECT count(*) AS total FROM deliveries WHERE attempts > 0`,
  );
  const wanted = 2 * burstEvents;
  while (recorded.get()!.total < wanted) await Bun.sleep(20);
  const endedAt = Date.now();
  const cpuSeconds = server.cpuSeconds();
  const { "/healthy": healthy, "/failing": failing, "/hanging": hanging } = await figures();
  await server.stop();
  database.close();
  const readyAt = startedAt + server.startMs;
  const perSecond = wanted / ((endedAt - readyAt) / 1_000);
  const healthyMs = healthy!.lastAt - readyAt;
  console.log(
    `burst of ${burstEvents} events to three endpoints: the healthy one received ${healthy!.count} within ` +
      `${Math.round(healthyMs)} ms; ${failing!.count} first attempts at the failing one; ` +
      `${hanging!.count} in flight at the hanging one`,
  );
  printGoal("durably recorded deliveries per second", perSecond, goals.burst);
  subjects.push({
    name: "phishwatch, durably recorded",
    program: phishwatchProgram(),
    command: shownCommand(server.command),
    figures: { "deliveries/s": [perSecond], "CPU time, µs": [(cpuSeconds / wanted) * 1e6] },
  });
  console.log(`CPU time per delivery: ${Math.round((cpuSeconds / wanted) * 1e6)} µs\n`);
}

async function latency(): Promise<void> {
  const path = join(folder, "latency.db");
  // Look-alikes to triage: each status change records one event.
  const names = join(folder, "names.txt");
  writeFileSync(names, Array.from({ length: 200 }, (_, index) => `example-bank-${index}.com\n`).join(""));
  const instance = configure(path, ["healthy", "failing", "hanging"].map(endpointAt));
  Bun.spawnSync([phishwatchExecutable, "import", names, "--config", instance.config]);
  const server = await serve(instance);
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
  const base = `http://127.0.0.1:${server.port}/v1`;
  const list = (await (await fetch(`${base}/threats?per_page=100`, { headers })).json()) as {
    data: { id: string }[];
  };
  await Bun.sleep(settleMs);
  await figures();
  const total = eventsPerSecond * latencySeconds;
  const cpuBefore = server.cpuSeconds();
  const startedAt = performance.now();
  const requests: Promise<unknown>[] = [];
  for (let index = 0; index < total; index += 1) {
    const dueIn = startedAt + (index * 1_000) / eventsPerSecond - performance.now();
    if (dueIn > 1) await Bun.sleep(dueIn);
    const status = Math.floor(index / list.data.length) % 2 === 0 ? "false_positive" : "active";
    // At the same time, send a bare POST to the same receiver, which shows the noise of this machine.
    const bareBody = JSON.stringify(sampleEvent());
    requests.push(
      fetch(`http://127.0.0.1:${receiverPort}/bare`, { method: "POST", body: bareBody }).then((response) =>
        response.text(),
      ),
    );
    const url = `${base}/threats/${list.data[index % list.data.length]!.id}`;
    requests.push(
      fetch(url, { method: "PATCH", headers, body: JSON.stringify({ status }) }).then((response) =>
        response.text(),
      ),
    );
  }
  await Promise.all(requests);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuShare = (server.cpuSeconds() - cpuBefore) / seconds;
  await Bun.sleep(settleMs);
  const { "/healthy": healthy, "/bare": bareFetch } = await figures();
  await server.stop();
  const bareSorted = bareFetch!.latenciesMs.toSorted((a, b) => a - b);
  const sorted = healthy!.latenciesMs.toSorted((a, b) => a - b);
  console.log(
    `${Math.round(total / seconds)} status changes per second for ${Math.round(seconds)} s; ` +
      `the healthy endpoint received ${healthy!.count} events`,
  );
  console.log(`from commit to arrival: ${summarize(sorted)}`);
  console.log(`bare POST at the same time: ${summarize(bareSorted)}`);
  console.log(`CPU of the process at the same time: ${Math.round(cpuShare * 100)} % of one core`);
  printGoal("p99, ms", quantile(sorted, 0.99), goals.latency);
  console.log();
}

function summarize(ascendingMs: readonly number[]): string {
  return `median ${quantile(ascendingMs, 0.5)} ms, p99 ${quantile(ascendingMs, 0.99)} ms, max ${ascendingMs.at(-1)} ms`;
}

/** Returns what the receivers received since the previous call. */
async function figures(): Promise<Record<string, { count: number; latenciesMs: number[]; lastAt: number }>> {
  const response = await fetch(`http://127.0.0.1:${receiverPort}/figures`);
  return (await response.json()) as Awaited<ReturnType<typeof figures>>;
}
