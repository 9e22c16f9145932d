import { system } from "../../src/access/audit/actor.ts";
import { beacon } from "../../src/response/traps/kinds/beacon/beacon.ts";
import type { NewBeacon } from "../../src/response/traps/kinds/beacon/details.ts";
import type { NewHoneytoken } from "../../src/response/traps/kinds/honeytoken/details.ts";
import { honeytoken } from "../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { trapKinds } from "../../src/response/traps/kinds/kinds.ts";
import { createTraps, type Traps, type TrapSettings } from "../../src/response/traps/traps.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createYielder } from "../../src/platform/lib/yielder.ts";
import { fillRandom } from "./appliance.ts";
import { openStores, type Stores } from "./stores.ts";

/** Traps over a real database file. */
export function openTraps(
  stores: Stores,
  { hitsKeptMs = 90 * 86_400_000, ...settings }: Partial<TrapSettings> & { hitsKeptMs?: number } = {},
  write: (line: string) => void = () => {},
) {
  const log = createLog({ level: "warn", format: "json", clock: stores.clock, write });
  return createTraps({
    ...stores,
    fillRandom,
    kinds: trapKinds,
    log,
    yielder: () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() }),
    publicUrl: () => "https://traps.test",
    retention: { hitsMs: hitsKeptMs },
    settings: {
      repeatAfterMs: 3_600_000,
      alarmClasses: [],
      hitsPerMinute: 600,
      eventsPerHour: 1000,
      hostsPerHour: 60,
      ...settings,
    },
  });
}

export const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";

export interface RequestOptions {
  from?: string;
  method?: string;
  headers?: Record<string, string>;
}

/** Traps over their own stores, with visitors. */
export function openTrapWorld(
  settings: Partial<TrapSettings> & { hitsKeptMs?: number } = {},
  { write }: { write?: (line: string) => void } = {},
) {
  const stores = openStores();
  let current = openTraps(stores, settings, write);

  /** Sends a request like a browser, and returns the response. */
  function request(path: string, { from = "192.0.2.7", method = "GET", headers = {} }: RequestOptions = {}) {
    const init = { method, headers: { "user-agent": firefox, ...headers } };
    return current.respond(new Request(`http://traps.test${path}`, init), from);
  }

  return {
    stores,
    get traps(): Traps {
      return current;
    },
    request,
    /** Sends the request that a beacon's script sends from a page at `url`. */
    showPage(
      address: string,
      url: string,
      { referrer = "", headers = {}, ...options }: RequestOptions & { referrer?: string } = {},
    ) {
      const query = new URLSearchParams({ u: url, r: referrer });
      const sentByBrowser: Record<string, string> = /^https?:/.test(url) ? { referer: url } : {};
      return request(`/b/${address}?${query}`, { ...options, headers: { ...sentByBrowser, ...headers } });
    },
    createBeacon: (input: Partial<NewBeacon> = {}) =>
      current.of(beacon).create({ protectedDomain: "example-bank.com", ...input }, { by: system }),
    createHoneytoken: (input: NewHoneytoken) => current.of(honeytoken).create(input, { by: system }),
    events: (type: string) => stores.events().filter((event) => event.type === type),
    /** Writes all visits, then opens the traps again over the same database, like after a restart. */
    async restart(changed: Partial<TrapSettings> & { hitsKeptMs?: number } = {}) {
      await current.stop();
      current = openTraps(stores, { ...settings, ...changed }, write);
    },
    async dispose() {
      await current.stop();
      stores.dispose();
    },
  };
}

export type TrapWorld = ReturnType<typeof openTrapWorld>;
