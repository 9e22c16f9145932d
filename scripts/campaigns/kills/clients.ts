import { appendFileSync } from "node:fs";
import type { Random } from "../../benchmarks/random.ts";

/** Knowledge of the clients about the threats: the changes that were acknowledged, and those that may have happened. */
export interface Ledger {
  /** Names that were acknowledged, with the ID of the threat. */
  created: Map<string, string>;
  /** Names that the server may have recorded, because a client, a feed or an import sent them. */
  sent: Set<string>;
  /** Names in complete lines of the feed. */
  fed: Set<string>;
  /** Statuses that a threat can have: one after an acknowledged change, more after calls that a kill broke off. */
  statuses: Map<string, Set<string>>;
  submissions: number;
  changes: number;
  batches: number;
  brokenOff: number;
  /** Responses other than 2xx, 429 and 503 with Retry-After. */
  unexpected: string[];
}

export const createLedger = (): Ledger => ({
  created: new Map(),
  sent: new Set(),
  fed: new Set(),
  statuses: new Map(),
  submissions: 0,
  changes: 0,
  batches: 0,
  brokenOff: 0,
  unexpected: [],
});

const requestTimeoutMs = 15_000;
const pauseMs = 15;
const namesPerSubmission = 5;
/** Enough for another thread to carry it out. */
const idsPerBatch = 80;
const tornLinesShare = 0.25;
const statusOf = {
  resolve: "resolved",
  mark_false_positive: "false_positive",
  reactivate: "active",
} as const;
const actions = Object.keys(statusOf) as (keyof typeof statusOf)[];

export interface ClientWorld {
  ledger: Ledger;
  random: Random;
  port: number;
  apiKey: string;
  isStopped: () => boolean;
}

/** Returns the body of a successful response; undefined if the call broke off or was rejected. */
export async function call(
  { ledger, port, apiKey }: ClientWorld,
  method: string,
  path: string,
  body: unknown,
): Promise<unknown> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      keepalive: false,
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const isBusy = response.headers.has("retry-after");
    if (!isBusy) ledger.unexpected.push(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return undefined;
  } catch {
    ledger.brokenOff += 1;
    return undefined;
  }
}

/** Submits new look-alikes until the campaign ends. */
export async function submitNames(world: ClientWorld, client: string): Promise<void> {
  const { ledger } = world;
  for (let count = 0; !world.isStopped(); count += 1) {
    const domains = Array.from(
      { length: namesPerSubmission },
      (_, index) => `example-bank-${client}${count * namesPerSubmission + index}.com`,
    );
    for (const domain of domains) ledger.sent.add(domain);
    const body = (await call(world, "POST", "/v1/candidates", { domains })) as
      { data: { domain: string; matches: { threat_id: string }[] }[] } | undefined;
    if (body !== undefined) {
      ledger.submissions += 1;
      for (const { domain, matches } of body.data) ledger.created.set(domain, matches[0]!.threat_id);
    }
    await Bun.sleep(pauseMs);
  }
}

/** Threats that only this client changes, so that their order of changes is known. */
function ownThreats({ ledger }: ClientWorld, client: number, clients: number): string[] {
  return [...ledger.created.values()].filter((_, index) => index % clients === client);
}

function acknowledge({ ledger }: ClientWorld, id: string, status: string, isKnown: boolean): void {
  const before = ledger.statuses.get(id) ?? new Set(["active"]);
  ledger.statuses.set(id, isKnown ? new Set([status]) : new Set([...before, status]));
}

/** Changes single threats until the campaign ends. */
export async function patchThreats(world: ClientWorld, client: number, clients: number): Promise<void> {
  while (!world.isStopped()) {
    const own = ownThreats(world, client, clients);
    if (own.length > 0) {
      const id = world.random.pick(own);
      const status = world.random.pick(Object.values(statusOf));
      const body = await call(world, "PATCH", `/v1/threats/${id}`, { status });
      acknowledge(world, id, status, body !== undefined);
      if (body !== undefined) world.ledger.changes += 1;
    }
    await Bun.sleep(pauseMs);
  }
}

/** Changes many threats per call until the campaign ends. */
export async function changeBatches(world: ClientWorld, client: number, clients: number): Promise<void> {
  while (!world.isStopped()) {
    const own = ownThreats(world, client, clients);
    if (own.length > 0) {
      const ids = [...new Set(Array.from({ length: idsPerBatch }, () => world.random.pick(own)))];
      const action = world.random.pick(actions);
      const body = await call(world, "POST", "/v1/threats/batch", { ids, action });
      for (const id of ids) acknowledge(world, id, statusOf[action], body !== undefined);
      if (body !== undefined) world.ledger.batches += 1;
    }
    await Bun.sleep(4 * pauseMs);
  }
}

/** Appends lines to a feed's file, a part of them in two writes of which the first ends with a name, too. */
export async function growFeed(world: ClientWorld, path: string): Promise<void> {
  const { ledger, random } = world;
  for (let count = 0; !world.isStopped(); count += 1) {
    const name = `example-bank-feed${count}.com`;
    ledger.sent.add(name);
    if (random.unit() < tornLinesShare) {
      appendFileSync(path, name.slice(0, -1));
      await Bun.sleep(random.below(20 * pauseMs));
      appendFileSync(path, `${name.slice(-1)}\n`);
    } else {
      appendFileSync(path, `${name}\n`);
    }
    ledger.fed.add(name);
    await Bun.sleep(2 * pauseMs);
  }
}
