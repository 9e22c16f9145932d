import { dirname, join } from "node:path";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import type { ProtectedDomain } from "../../domains/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import {
  createScreenshotFiles,
  readDated,
  type StoredScreenshot,
} from "../../lookups/page/screenshot-files.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Brands } from "./brands.ts";
import { createCapture, type CapturedHome } from "./capture.ts";
import { createCapturing } from "./capturing.ts";
import { createOriginalAdministration, type OriginalAdministration } from "./originals.ts";
import type { OriginalStore, OriginalSummary } from "./store.ts";
import { screenshotId } from "./versions.ts";

/** The pages and logos of the protected domains. */
export interface Originals extends Omit<OriginalAdministration, "makeDue"> {
  start(): void;
  stop(): Promise<void>;
  /** Captures everything that is due now. */
  run(): Promise<void>;
  /** Begins to capture all pages of a domain. Returns false if pages may not be fetched. */
  captureNow(domain: Pick<ProtectedDomain, "seq">): Promise<boolean>;
  /** Whether pages may be fetched. */
  readonly isEnabled: boolean;
  /** Returns the screenshot of the present home page of a domain. */
  homeScreenshot(domain: Pick<ProtectedDomain, "seq">): Promise<StoredScreenshot | undefined>;
  /** Returns the perceptual hashes of the screenshots of a domain's pages. */
  screenshotHashes(domain: Pick<ProtectedDomain, "seq">): { address: string; hash: string }[];
  /** Returns the enabled originals of all enabled domains. */
  summaries(): OriginalSummary[];
  /** Calls `listener` after each capture of a home page that shows what the site shows. */
  onHome(listener: (home: CapturedHome) => Promise<void> | void): void;
}

export function openOriginals({
  auditLog,
  brands,
  clock,
  config,
  database,
  inspector,
  log,
  store,
}: {
  auditLog: Pick<AuditLog, "record">;
  brands: Brands;
  clock: Clock;
  config: Pick<Config, "lookups" | "storage">;
  database: Database;
  /** Undefined: no page can be opened. */
  inspector: Pick<Inspector, "inspect"> | undefined;
  log: Log;
  store: OriginalStore;
}): Originals {
  const { path } = config.storage;
  const files = createScreenshotFiles(path === ":memory:" ? null : join(dirname(path), "screenshots"));
  const listeners: ((home: CapturedHome) => Promise<void> | void)[] = [];
  const isEnabled = () => config.lookups.enabled && inspector !== undefined;
  const capture = createCapture({
    brands,
    clock,
    database,
    files,
    inspect: (target, signal) => {
      if (inspector === undefined) throw new Error("no page can be opened");
      return inspector.inspect(target, signal);
    },
    async onHome(home) {
      for (const listener of listeners) await listener(home);
    },
    store,
  });
  const capturing = createCapturing({ brands, capture, clock, database, files, isEnabled, log, store });
  const { makeDue, ...administration } = createOriginalAdministration({
    auditLog,
    brands,
    capturing,
    clock,
    database,
    files,
    store,
  });
  return {
    ...administration,
    start: capturing.start,
    stop: capturing.stop,
    run: capturing.run,
    async captureNow(domain) {
      if (!isEnabled()) return false;
      await capturing.prepare();
      await database.write(() => makeDue(domain));
      capturing.run().catch((error: unknown) => logDropped(log, error, "originals.delayed"));
      return true;
    },
    get isEnabled() {
      return isEnabled();
    },
    async homeScreenshot({ seq }) {
      const home = store.list(seq).find(({ enabled, role }) => enabled && role === "home");
      const [version] = home === undefined ? [] : store.comparedVersions(home.seq, 1);
      return version === undefined ? undefined : readDated(files, screenshotId(version));
    },
    screenshotHashes: ({ seq }) =>
      store
        .list(seq)
        .filter(({ enabled }) => enabled)
        .flatMap((page) =>
          store.comparedVersions(page.seq, 1).flatMap((version) => {
            const hash = store.fingerprint(version)?.screenshot;
            return hash === undefined ? [] : [{ address: page.address, hash }];
          }),
        ),
    summaries: store.summaries,
    onHome: (listener) => void listeners.push(listener),
  };
}
