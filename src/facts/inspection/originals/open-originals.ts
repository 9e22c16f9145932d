import { dirname, join } from "node:path";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { ProtectedDomain } from "../../../threats/domains/tables.ts";
import { delay, type Clock } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import {
  createScreenshotFiles,
  readDated,
  type StoredScreenshot,
} from "../../lookups/page/screenshot-files.ts";
import type { Inspector } from "../model/inspector.ts";
import type { Brands } from "./brands.ts";
import { createCapture, type CapturedHome } from "./capture.ts";
import { createCapturing } from "./capturing.ts";
import { createOriginalAdministration } from "./originals.ts";
import type { OriginalStore, OriginalSummary } from "./store.ts";
import { screenshotId } from "./version-steps.ts";

/** The look of an original page. */
export interface OriginalLook {
  address: string;
  /** Perceptual hash of its screenshot. */
  hash: string;
}

/** Delay after which a comparison no longer waits for the first capture of an original. */
const firstCaptureTimeoutMs = 60_000;

/** The pages and logos of the protected domains. */
export interface Originals extends ReturnType<typeof createOriginalAdministration> {
  start(): void;
  stop(): Promise<void>;
  /** Captures everything that is due now. */
  run(): Promise<void>;
  /** Begins to capture all pages of a domain. Returns false if pages may not be fetched. */
  captureNow(domain: Pick<ProtectedDomain, "seq">): Promise<boolean>;
  /** Whether pages may be fetched. */
  readonly isEnabled: boolean;
  /**
   * Returns the screenshot of an original in its present version: of the home page without an address, and if the address
   * has none.
   * @param domain id or name of the protected domain
   */
  screenshotAt(domain: string, address?: string): Promise<StoredScreenshot | undefined>;
  /**
   * Returns the perceptual hashes of the screenshots of a domain's pages, as far as they were captured.
   * @param domain id or name of the protected domain
   */
  capturedLooksOf(domain: string): OriginalLook[];
  /** Returns the same, but waits for the first capture of a domain, a minute at most. */
  looksOf(domain: string, signal: AbortSignal): Promise<OriginalLook[]>;
  /** Returns the enabled originals of all enabled domains. */
  summaries(): OriginalSummary[];
  /** Calls `listener` after each capture of a home page. */
  onHome(listener: (home: CapturedHome, signal: AbortSignal) => Promise<void>): void;
}

interface OriginalsDependencies extends Needs<"auditLog" | "clock" | "database" | "log"> {
  brands: Brands;
  config: Pick<Config, "lookups" | "storage">;
  inspector: Pick<Inspector, "inspect">;
  store: OriginalStore;
}

export function openOriginals(dependencies: OriginalsDependencies): Originals {
  const { clock, config, database, inspector, log, store } = dependencies;
  const { path } = config.storage;
  const files = createScreenshotFiles(path === ":memory:" ? null : join(dirname(path), "screenshots"));
  const listeners: ((home: CapturedHome, signal: AbortSignal) => Promise<void>)[] = [];
  const isEnabled = () => config.lookups.enabled;
  const capture = createCapture({
    ...dependencies,
    files,
    inspect: inspector.inspect,
    async onHome(home, signal) {
      for (const listener of listeners) await listener(home, signal);
    },
  });
  const capturing = createCapturing({ ...dependencies, capture, files, isEnabled });
  const administration = createOriginalAdministration({ ...dependencies, capturing, files });
  const capturedLooksOf = (domain: string): OriginalLook[] =>
    store.listOf(domain).flatMap(({ address, seq }) =>
      store.comparedVersions(seq, 1).flatMap((version) => {
        const hash = store.fingerprint(version)?.screenshot;
        return hash === undefined ? [] : [{ address, hash }];
      }),
    );
  return {
    ...administration,
    start: capturing.start,
    stop: capturing.stop,
    run: capturing.run,
    async captureNow(domain) {
      if (!isEnabled()) return false;
      await capturing.prepare();
      await database.write(() => administration.makeDue(domain));
      capturing.run().catch((error: unknown) => logDropped(log, error, "originals.delayed"));
      return true;
    },
    get isEnabled() {
      return isEnabled();
    },
    async screenshotAt(domain, address) {
      const pages = store.listOf(domain);
      const chosen = pages.filter((page) => page.address === address);
      for (const { seq } of [...chosen, ...pages.filter(({ role }) => role === "home")]) {
        const [version] = store.comparedVersions(seq, 1);
        const found = version === undefined ? undefined : await readDated(files, screenshotId(version));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    capturedLooksOf,
    async looksOf(domain, signal) {
      const isAttempted = () =>
        store.listOf(domain).some(({ capturedAt, problem }) => capturedAt !== null || problem !== null);
      if (isEnabled() && !isAttempted()) await waitFor(capturing.run(), { clock, signal });
      return capturedLooksOf(domain);
    },
    summaries: store.summaries,
    onHome: (listener) => void listeners.push(listener),
  };
}

/** Waits until work ends, a minute at most. */
async function waitFor(
  work: Promise<void>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const ended = new AbortController();
  const limit = delay(clock, firstCaptureTimeoutMs, AbortSignal.any([signal, ended.signal]));
  await Promise.race([work, limit]).finally(() => ended.abort());
}
