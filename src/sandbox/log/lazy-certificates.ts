import type { SandboxCertificates, SandboxCertificatesOptions } from "./certificates.ts";
import type { LoggedCertificate } from "./entry.ts";

/** The sandbox's certificate log, loaded at its first use to keep it out of the startup time. */
export interface LazyCertificates {
  open(): Promise<SandboxCertificates>;
  /** Returns the content of the log, for a snapshot. */
  save(): readonly LoggedCertificate[];
  stop(): void;
}

export function createLazyCertificates(options: SandboxCertificatesOptions): LazyCertificates {
  let opened: SandboxCertificates | undefined;
  let opening: Promise<SandboxCertificates> | undefined;
  return {
    open: () =>
      (opening ??= import("./certificates.ts").then(async ({ openSandboxCertificates }) => {
        opened = await openSandboxCertificates(options);
        return opened;
      })),
    save: () => opened?.log.certificates() ?? options.certificates,
    stop: () => opened?.stop(),
  };
}
