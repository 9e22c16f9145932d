import type { Mailer } from "../response/cases/takedowns/sender.ts";
import type { Config } from "../platform/config/config.ts";
import type { LoadResult } from "../platform/config/load.ts";
import type { ReplacedInspection } from "../facts/inspection/open-inspection.ts";
import type { OpenOptions } from "../platform/database/database.ts";
import type { Reach } from "../facts/lookups/open-lookups.ts";
import type { Clock, Instant } from "../platform/lib/clock.ts";
import type { FillRandom } from "../platform/lib/ids.ts";
import type { Log } from "../platform/lib/log.ts";
import type { DnsClient } from "../platform/network/dns/dns-client.ts";
import type { StartWorker } from "../platform/vocabulary/threads.ts";

/** Dependencies of the appliance on the outside world. */
export interface Environment extends OpenOptions {
  config: Config;
  /** Loads the configuration file again, for a reload. Absent: it cannot be reloaded. */
  loadConfig?: () => LoadResult;
  clock: Clock;
  log: Log;
  fillRandom: FillRandom;
  /** Addresses that lookups about threats may connect to. Default: public addresses only. */
  reach?: Reach;
  /** Replaces what inspections find. Default: they open the pages. */
  inspection?: ReplacedInspection;
  /** Replaces DNS. Default: the resolvers of the configuration. */
  dns?: DnsClient;
  /** Sends reports. Default: the mail server of the configuration. */
  mailer?: Mailer;
  /** Returns the time in the signatures of webhook deliveries to a URL. Default: the time of the clock. */
  signedAt?: (url: string) => Instant;
  /** Default: work that other threads could do is done by this one. */
  startWorker?: StartWorker;
}
