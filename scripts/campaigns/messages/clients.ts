import { call, type ClientWorld } from "../kills/clients.ts";

const namesPerSubmission = 4;
/** Lookups of a new threat take longer than to record it. */
const pauseMs = 1_000;
const pollMs = 150;

/** Names that were acknowledged, by their threat: the ones of the first domain are never triaged. */
export interface MessageLedger {
  created: Map<string, string>;
  /** Names that were acknowledged as false positives. */
  falsePositives: Set<string>;
  /** Requests for the list and for exports that were answered in full. */
  lists: number;
  exports: number;
  violations: string[];
}

/** Submits new look-alikes of two domains, and marks some of the second one as false positives. */
export async function submitNames(world: ClientWorld, ledger: MessageLedger): Promise<void> {
  for (let count = 0; !world.isStopped(); count += 1) {
    const domains = Array.from({ length: namesPerSubmission }, (_, index) =>
      index === 0 ? `example-shop-n${count}.com` : `example-bank-n${count * namesPerSubmission + index}.com`,
    );
    const body = (await call(world, "POST", "/v1/candidates", { domains })) as
      { data: { domain: string; matches: { threat_id: string }[] }[] } | undefined;
    for (const { domain, matches } of body?.data ?? []) ledger.created.set(domain, matches[0]!.threat_id);
    const shop = domains[0]!;
    const id = ledger.created.get(shop);
    if (id !== undefined && world.random.unit() < 1 / 2) {
      const changed = await call(world, "PATCH", `/v1/threats/${id}`, { status: "false_positive" });
      if (changed !== undefined) ledger.falsePositives.add(shop);
    }
    await Bun.sleep(pauseMs);
  }
}

/** Fetches a response zone: its serial must only increase, and no false positive may be in it. */
export async function fetchList(world: ClientWorld, ledger: MessageLedger, path: string): Promise<void> {
  let last = { serial: 0, names: "" };
  while (!world.isStopped()) {
    const excluded = [...ledger.falsePositives];
    const zone = await textOf(world, path);
    const serial = Number(/ IN SOA \S+ \S+ (\d+)/.exec(zone ?? "")?.[1] ?? Number.NaN);
    if (zone !== undefined && Number.isNaN(serial))
      ledger.violations.push(`no serial: ${zone.slice(0, 200)}`);
    else if (zone !== undefined) {
      const names = zone.slice(zone.indexOf("IN NS"));
      const lines = new Set(names.split("\n"));
      ledger.lists += 1;
      if (serial < last.serial) ledger.violations.push(`serial ${serial} after ${last.serial}`);
      if (serial === last.serial && names !== last.names)
        ledger.violations.push(`two contents with the serial ${serial}`);
      for (const name of excluded)
        if (lines.has(`${name} CNAME .`)) ledger.violations.push(`${name} is listed, a false positive`);
      last = { serial, names };
    }
    await Bun.sleep(pollMs);
  }
}

/** Exports all threats: each must contain at least those that were acknowledged before. */
export async function exportThreats(world: ClientWorld, ledger: MessageLedger): Promise<void> {
  while (!world.isStopped()) {
    const known = ledger.created.size;
    const text = await textOf(world, "/v1/threats/export?format=csv");
    if (text !== undefined) {
      ledger.exports += 1;
      const rows = text.split("\r\n").length - 2;
      if (rows < known) ledger.violations.push(`an export has ${rows} of ${known} threats`);
    }
    await Bun.sleep(pollMs);
  }
}

/** Returns the body of a complete successful response. */
async function textOf({ apiKey, ledger, port }: ClientWorld, path: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      keepalive: false,
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    const text = await response.text();
    if (response.status === 200) return text;
    if (!response.headers.has("retry-after"))
      ledger.unexpected.push(`GET ${path}: ${response.status} ${text.slice(0, 200)}`);
  } catch {
    ledger.brokenOff += 1;
  }
  return undefined;
}
