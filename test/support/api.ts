import { createMemoryArchive } from "../../src/engines/archive/storing/open-archive.ts";
import { createApiKeys } from "../../src/access/keys/keys.ts";
import { createSettings } from "../../src/access/settings/settings.ts";
import { createThreatExports } from "../../src/response/outputs/exports/threat-exports.ts";
import { createKeyUsage } from "../../src/access/keys/key-usage.ts";
import type { Plan, Scope } from "../../src/platform/vocabulary/keys.ts";
import type { ReadScreenshot } from "../../src/web/api/site/site-pages.ts";
import { createServer, type ServerDependencies } from "../../src/web/api/server.ts";
import type { Enrichment } from "../../src/facts/enrichment/enrichment.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createForeground, createYielders } from "../../src/platform/lib/yielder.ts";
import { createCampaigns } from "../../src/response/cases/campaigns/campaigns.ts";
import { createCaseOf } from "../../src/response/cases/case-json.ts";
import { createCases } from "../../src/response/cases/cases.ts";
import { createTakedowns } from "../../src/response/cases/takedowns/takedowns.ts";
import { createLists } from "../../src/response/outputs/block-lists/lists.ts";
import { createCandidates } from "../../src/intake/sources/candidates.ts";
import { openThreatIndex } from "../../src/threats/index/lazy/open-threat-index.ts";
import type { Sighting } from "../../src/threats/threats/record.ts";
import { applianceCollector } from "../../src/operations/monitoring/collect/appliance.ts";
import { sourceCollector } from "../../src/operations/monitoring/collect/sources.ts";
import { threatCollector } from "../../src/operations/monitoring/collect/threats.ts";
import { createDatabaseHealth } from "../../src/platform/database/health/health.ts";
import { fillRandom } from "./appliance.ts";
import { expectDescribed } from "./openapi.ts";
import { analyst, openStores } from "./stores.ts";
import { openTraps } from "./traps.ts";

export const allScopes: Scope[] = ["threats:read", "threats:write", "candidates:write"];

const yielder = createYielders({ sliceMs: 10, elapsedMs: () => performance.now() });

export interface Call {
  /** API key; absent: no key is sent. */
  key?: string;
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A response with its body. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect it
  json: any;
}

/** Opens the API over a real database file. Requests reach the server without a socket. */
export function openApi({
  server: serverSettings = {},
  trapConfig = {},
  consoleEnabled = true,
  schedulersRunning = () => true,
  readScreenshot = async () => ({ why: "This version does not capture pages." }),
  factsOf = () => undefined,
  memoryBytes = 2 ** 30,
}: {
  server?: Partial<ServerDependencies["config"]["server"]>;
  trapConfig?: Partial<ServerDependencies["config"]["traps"]>;
  consoleEnabled?: boolean;
  schedulersRunning?: () => boolean;
  readScreenshot?: ReadScreenshot;
  factsOf?: Enrichment["factsOf"];
  memoryBytes?: number;
} = {}) {
  const stores = openStores();
  const { clock, threats } = stores;
  const logged: string[] = [];
  const log = createLog({
    level: "debug",
    format: "json",
    clock,
    write: (line) => void logged.push(line),
  });
  const keys = createApiKeys({ ...stores, fillRandom });
  const traps = openTraps(stores);
  const lists = createLists({ ...stores, log, fillRandom, version: "1.2.3", yielder });
  const archive = createMemoryArchive({ enabled: true, clock });
  const threatIndex = openThreatIndex({
    ...stores,
    fillRandom,
    foreground: createForeground(),
    isServing: () => false,
    yielder,
  });
  const cases = createCases(stores);
  const campaigns = createCampaigns(stores.database);
  const takedowns = createTakedowns({ ...stores, fillRandom, onQueued: () => {} });
  const settings = createSettings(stores);
  const exports = createThreatExports({ ...stores, log, fillRandom, settings, threatIndex, yielder });
  const build = { version: "1.2.3", commit: "abc1234", bunVersion: "1.4.5" };
  const serve = () =>
    createServer({
      config: {
        server: {
          host: "127.0.0.1",
          port: 0,
          publicUrl: "http://phishwatch.test",
          publicUrlIsDefault: false,
          tls: null,
          trustedProxies: [],
          allowedHosts: [],
          metricsToken: null,
          ...serverSettings,
        },
        console: { enabled: consoleEnabled, password: null, requireCodes: false, trustedUser: null },
        api: { maxPerPage: 100, maxBatchIds: 1000 },
        traps: { listen: null, publicUrl: null, ...trapConfig },
      },
      clock,
      log,
      newRequestId: () => crypto.randomUUID(),
      build,
      database: stores.database,
      databaseHealth: createDatabaseHealth({ database: stores.database, clock, log, fillRandom }),
      keys,
      keyUsage: createKeyUsage(),
      memoryBytes,
      yielder,
      threats,
      api: {
        candidates: createCandidates({ ...stores, yielder }),
        inspections: { enqueue: () => [] },
        exports,
        caseOf: createCaseOf({ campaigns, cases, takedowns }),
        factsOf,
        threatIndex,
      },
      collectors: () => [
        applianceCollector({
          build,
          certificateEnds: async () => [],
          database: stores.database,
          log,
          traps,
        }),
        threatCollector({ database: stores.database, threats }),
        sourceCollector({
          names: {
            metrics: () => ({
              totals: stores.activity.totals(),
              sources: [],
              archive,
              archiveChecks: () => [],
            }),
          },
        }),
      ],
      readScreenshot,
      openConsole: async () => async () => new Response("the console"),
      traps,
      lists,
      schedulersRunning,
    });
  const server = serve();

  async function call(
    method: string,
    path: string,
    { key, body, headers = {} }: Call = {},
  ): Promise<ApiResponse> {
    const json = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
    const init: RequestInit = {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    };
    if (body !== undefined) init.body = json ? JSON.stringify(body) : (body as string);
    const response = await server.handle(new Request(`http://localhost${path}`, init));
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
    const result = {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
    if (path.startsWith("/v1")) expectDescribed({ method, path }, result);
    expectDiscreet(result.text, key);
    return result;
  }

  return {
    ...stores,
    keys,
    lists,
    traps,
    exports,
    server,
    /** Creates another server over the same database, as a restart does. */
    serve,
    /** Log lines of level debug and higher. */
    logged,
    call,
    /** Creates a key, by default with all scopes and without a rate limit. */
    key: (wanted: { plan?: Plan; scopes?: Scope[]; domains?: string[]; expiresAt?: number } = {}) =>
      keys.create({ name: "test", plan: "enterprise", scopes: allScopes, ...wanted }, { by: analyst }).key,
    /** Records look-alikes, one second apart. Returns their IDs, oldest first. */
    sight: (...names: (string | Partial<Sighting>)[]) =>
      names.map((name) => {
        clock.advance(1_000);
        return threats.record([sighting(name, clock.now())])[0]!.threatId;
      }),
  };
}

function sighting(given: string | Partial<Sighting>, seenAt: number): Sighting {
  const change = typeof given === "string" ? { domain: given } : given;
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9375,
    reasons: [],
  };
  return { domain: "examp1e-bank.com", match, source: "feed", seenAt, ...change };
}

export type Api = ReturnType<typeof openApi>;

/** Fails if a response echoes a key or reveals something internal: stack traces, paths, SQL. */
function expectDiscreet(text: string, key: string | undefined): void {
  if (key !== undefined && key !== "" && text.includes(key)) throw new Error("a response echoes the API key");
  const inside = /\n\s+at |node_modules|\/src\/|SQLITE|SQLiteError|\bselect .+ from\b/.exec(
    text.slice(0, 100_000),
  );
  if (inside !== null) throw new Error(`a response reveals something internal: ${inside[0]}`);
}
