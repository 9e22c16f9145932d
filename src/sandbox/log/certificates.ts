import type { App } from "../../app/app.ts";
import type { Clock, Timer } from "../../platform/lib/clock.ts";
import { createSandboxLog, type SandboxLog } from "./certificate-log.ts";
import type { LoggedCertificate } from "./entry.ts";

/** The sandbox's certificate log, which the appliance in the sandbox reads. */
export interface SandboxCertificates {
  readonly log: SandboxLog;
  /** Logs a certificate. Resolves when its threats are recorded; before, if the log gets it later. */
  add(certificate: LoggedCertificate): Promise<void>;
  stop(): void;
}

export interface SandboxCertificatesOptions {
  app: App;
  clock: Clock;
  /** Address below which the log is served, with a slash at its end. */
  url: string;
  /** Those of a snapshot, which were read before unless their time is still to come. */
  certificates: readonly LoggedCertificate[];
  /** Keeps the sandbox's time from passing until the promise has settled. */
  track: (work: Promise<void>) => unknown;
}

export async function openSandboxCertificates({
  app,
  clock,
  url,
  certificates,
  track,
}: SandboxCertificatesOptions): Promise<SandboxCertificates> {
  const log = createSandboxLog({ clock, url, certificates });
  const readOnce = app.readLog(log.reader);
  const timers = new Set<Timer>();
  let reading: Promise<void> = Promise.resolve();

  function read(): Promise<void> {
    const next = reading.then(readOnce);
    reading = next.catch(() => {});
    track(reading);
    return next;
  }

  /** Reads the log at the time at which it gets the certificate. */
  function readLater({ loggedAt }: LoggedCertificate): void {
    const timer = clock.at(loggedAt, () => {
      timers.delete(timer);
      void read().catch(() => {});
    });
    timers.add(timer);
  }

  // Starts at the end: everything up to here was read before.
  await read();
  for (const one of certificates) if (one.loggedAt > clock.now()) readLater(one);

  return {
    log,
    async add(certificate) {
      log.add(certificate);
      if (certificate.loggedAt > clock.now()) readLater(certificate);
      else await read();
    },
    stop() {
      for (const timer of timers) timer.cancel();
    },
  };
}
