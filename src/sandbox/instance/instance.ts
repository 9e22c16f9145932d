import { openApp, type App } from "../../app/app.ts";
import type { Mailer } from "../../response/cases/takedowns/sender.ts";
import type { Reach } from "../../facts/lookups/open-lookups.ts";
import type { Letter, SmtpResult } from "../../messaging/channels/email/smtp.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import { every } from "../../platform/lib/schedule.ts";
import type { SandboxCertificates, SandboxCertificatesOptions } from "../log/certificates.ts";
import type { LoggedCertificate } from "../log/entry.ts";
import { createSampleScreenshots } from "../pictures/screenshot-files.ts";
import { createRandomStreams, type RandomState } from "../world/random.ts";
import { createSandboxClock, type SandboxClock } from "./clock.ts";
import { connectRecipients, createSampleLookups, scheduleArrivals } from "./demonstration.ts";
import { createSandboxDns, type SandboxDns } from "./dns.ts";
import { createSandboxPages, type SandboxPage, type SandboxPages } from "./pages.ts";
import { runScan, showNames } from "./scan.ts";

/** State of an instance, for snapshots. */
export interface InstanceState {
  image: Uint8Array;
  now: Instant;
  flows: boolean;
  random: RandomState;
  /** Content of the certificate log. */
  certificates: readonly LoggedCertificate[];
  pages: readonly SandboxPage[];
  /** URLs of receivers whose deliveries are signed with the real time. */
  realTimeUrls: readonly string[];
}

/** One lifetime of the appliance. A reset starts a new instance and discards this one. */
export interface Instance {
  readonly app: App;
  readonly clock: SandboxClock;
  readonly dns: SandboxDns;
  readonly pages: SandboxPages;
  readonly signingTimes: SigningTimes;
  /** Opens the certificate log at its first use. */
  certificates(): Promise<SandboxCertificates>;
  /** Handles a request with this instance, and delays `end` until the response is ready. */
  use(respond: () => Promise<Response>): Promise<Response>;
  save(): InstanceState;
  /** Stops the clock and the deliveries. Requests are still handled. */
  quiesce(): Promise<void>;
  /** Waits for requests in flight, then closes the database. */
  end(): Promise<void>;
}

export interface InstanceOptions {
  config: Config;
  /** Cron schedule of scans; null: none. */
  scanSchedule: string | null;
  log: Log;
  monotonicMs: () => number;
  /** The real time, for receivers that need it. */
  realNow: () => Instant;
  seed: number;
  start: Instant;
  /** For people: the clock runs, there are no public keys, and the recipients of the history are sent what happens. */
  isDemonstration?: boolean;
  /** Accepts the emails that the sandbox sends. Absent: the mail server of the configuration does. */
  receiveMail?: (letter: Letter, now: Instant) => SmtpResult;
  /** Database of the start; undefined: a new one. */
  image: Uint8Array | undefined;
}

/** Time limit for deliveries in flight when an instance ends. */
const deliveriesGraceMs = 500;
/** Number of look-alikes that the scans of a demonstration find. */
const demonstrationFinds = 3;
/** Time limit for requests in flight when an instance ends. */
const requestsGraceMs = 5_000;

export async function openInstance(
  {
    config,
    image,
    isDemonstration = false,
    log,
    monotonicMs,
    realNow,
    receiveMail,
    scanSchedule,
    seed,
    start,
  }: InstanceOptions,
  from?: InstanceState,
): Promise<Instance> {
  const random = createRandomStreams(~seed);
  const dns = createSandboxDns();
  const pages = createSandboxPages(from?.pages ?? []);
  /** Scans and readings of the certificate log. */
  const running = new Set<Promise<unknown>>();
  const ending = Promise.withResolvers<void>();

  const settle = () => settleWork(opened, { running, ended: ending.promise });
  const clock = createSandboxClock({ start: from?.now ?? start, monotonicMs, settle });
  const urls = from?.realTimeUrls ?? [];
  const signingTimes = createSigningTimes({ now: clock.now, realNow, urls });
  const requests = createInFlight();
  const opened = openApp({
    config,
    clock,
    fillRandom: random.fillRandom,
    log,
    dns,
    inspection: pages,
    signedAt: signingTimes.at,
    mailer: receiveMail && mailerFor(receiveMail, clock.now),
    reach: reachOf(() => opened.database, { isDemonstration, now: clock.now }),
    image: from?.image ?? image,
  });
  const { publicUrl } = config.server;
  if (isDemonstration) connectRecipients(opened.database, publicUrl);
  // Rows that the configuration file adds take random bytes, and must not change the identifiers that follow.
  random.resumeFrom(from?.random ?? new Map());
  if (isDemonstration) showNames(opened, dns, { finds: demonstrationFinds, reachable: true });
  await opened.start();
  if (isDemonstration) scheduleArrivals(opened, { clock, log });
  if (from?.flows ?? isDemonstration) clock.run();
  if (scanSchedule !== null) startSchedule(scanSchedule, { app: opened, clock, dns, log, track });

  async function track(work: Promise<unknown>): Promise<void> {
    running.add(work);
    await work;
    running.delete(work);
  }

  const certificates = createLazyCertificates({
    app: opened,
    clock,
    url: `${publicUrl}/sandbox/log/`,
    certificates: from?.certificates ?? [],
    track,
  });
  // Some may be waiting for their time.
  if (certificates.save().length > 0) await certificates.open();

  return {
    app: opened,
    clock,
    dns,
    pages,
    signingTimes,
    certificates: certificates.open,
    save: () => ({
      pages: pages.save(),
      realTimeUrls: signingTimes.save(),
      certificates: certificates.save(),
      image: opened.database.sqlite.serialize(),
      now: clock.now(),
      flows: clock.flows(),
      random: random.save(),
    }),
    use: requests.use,
    async quiesce() {
      ending.resolve();
      clock.close();
      certificates.stop();
      await opened.deliveries.dispatcher.stop(deliveriesGraceMs);
    },
    async end() {
      await requests.finished(requestsGraceMs);
      await opened.stop();
      opened.close();
    },
  };
}

/** Returns the sample screenshots, and for a demonstration, lookups that find what is on record. */
function reachOf(
  database: () => Database,
  { isDemonstration, now }: { isDemonstration: boolean; now: () => Instant },
): Reach {
  return {
    rules: { allowPrivateNetworks: false },
    screenshotFiles: createSampleScreenshots(database),
    ...(isDemonstration && {
      lookups: (lookUpExistence) => createSampleLookups({ database, lookUpExistence, now }),
    }),
  };
}

/** Resolves when nothing goes on. */
async function settleWork(
  app: App,
  { ended, running }: { ended: Promise<void>; running: ReadonlySet<Promise<unknown>> },
): Promise<void> {
  // Twice, because the end of one activity can start another.
  for (let round = 0; round < 2; round += 1) {
    await new Promise((next) => setImmediate(next));
    if (running.size > 0) await Promise.race([Promise.all(running), ended]);
    await app.inspection.inspections.idle();
    await app.traps.flush();
    await app.deliveries.dispatcher.settled();
    await app.notifications.settled();
    await app.takedowns.settled();
  }
}

function mailerFor(receive: NonNullable<InstanceOptions["receiveMail"]>, now: () => Instant): Mailer {
  return { secrets: [], send: async (letter) => receive(letter, now()) };
}

/** Runs scans over the sandbox's own DNS. */
function startSchedule(
  pattern: string,
  {
    app,
    clock,
    dns,
    log,
    track,
  }: {
    app: App;
    clock: SandboxClock;
    dns: SandboxDns;
    log: Log;
    track: (work: Promise<unknown>) => Promise<void>;
  },
): void {
  every({
    clock,
    pattern,
    async run() {
      const scan = runScan(app, dns, { trigger: "schedule", finds: 0, reachable: true }).catch(
        (error: unknown) => logDropped(log, error, "sandbox.scan_not_started"),
      );
      await track(scan);
    },
  });
}

/** Counts requests until their responses are ready. */
function createInFlight() {
  let inFlight = 0;
  let onIdle: (() => void) | undefined;
  return {
    async use(respond: () => Promise<Response>): Promise<Response> {
      inFlight += 1;
      try {
        return await respond();
      } finally {
        inFlight -= 1;
        if (inFlight === 0) onIdle?.();
      }
    },
    /** Resolves when none is in flight, or after `graceMs`. */
    async finished(graceMs: number): Promise<void> {
      if (inFlight === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      const timer = setTimeout(resolve, graceMs);
      await promise;
      clearTimeout(timer);
    },
  };
}

/** The sandbox's certificate log, loaded at its first use to keep it out of the startup time. */
interface LazyCertificates {
  open(): Promise<SandboxCertificates>;
  /** Returns the content of the log, for a snapshot. */
  save(): readonly LoggedCertificate[];
  stop(): void;
}

function createLazyCertificates(options: SandboxCertificatesOptions): LazyCertificates {
  let opened: SandboxCertificates | undefined;
  let opening: Promise<SandboxCertificates> | undefined;
  return {
    open: () =>
      (opening ??= import("../log/certificates.ts").then(async ({ openSandboxCertificates }) => {
        opened = await openSandboxCertificates(options);
        return opened;
      })),
    save: () => opened?.log.certificates() ?? options.certificates,
    stop: () => opened?.stop(),
  };
}

/** Time in the signatures of deliveries. Receivers whose library rejects old deliveries need the real one. */
type SigningTimes = ReturnType<typeof createSigningTimes>;

function createSigningTimes({
  now,
  realNow,
  urls,
}: {
  /** Time of the sandbox, which the others get. */
  now: () => Instant;
  realNow: () => Instant;
  urls: readonly string[];
}) {
  const real = new Set(urls);
  return {
    /** Returns the time in the signatures of deliveries to a URL. */
    at: (url: string) => (real.has(url) ? realNow() : now()),
    isReal: (url: string) => real.has(url),
    setReal: (url: string, isReal: boolean) => void (isReal ? real.add(url) : real.delete(url)),

    /** Returns the URLs whose receivers get the real time. */
    save: (): readonly string[] => [...real],
  };
}
