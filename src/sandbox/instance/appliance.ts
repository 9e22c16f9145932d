import type { AuditedDomains } from "../../access/audited-domains.ts";
import type { AuditedWebhooks } from "../../webhooks/audited-webhooks.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import type { DnsClient } from "../../network/dns-client.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { Scans } from "../../scans/scans.ts";
import type { Threats } from "../../threats/threats.ts";
import type { Traps } from "../../traps/traps.ts";

/** Services of the appliance that a sandbox uses. The composition root, which is above this folder, builds them. */
export interface SandboxAppliance {
  readonly database: Database;
  readonly domains: AuditedDomains;
  readonly threats: Threats;
  readonly scans: Scans;
  readonly webhooks: AuditedWebhooks;
  readonly traps: Traps;
  readonly server: { handle(request: Request, peer?: string): Promise<Response> };
  start(): void;
  stop(): Promise<void>;
  close(): void;
}

/** Opens the production appliance with the dependencies of a sandbox. */
export type OpenSandboxAppliance = (dependencies: {
  config: Config;
  clock: Clock;
  fillRandom: FillRandom;
  log: Log;
  dns: DnsClient;
  /** A database serialized by SQLite; absent: an empty one. */
  image?: Uint8Array;
}) => Promise<SandboxAppliance>;
