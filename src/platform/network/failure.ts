import { messageOf } from "../lib/errors.ts";
import type { AddressRefusal } from "./addresses.ts";

/**
 * Reason why there was no response:
 * - `dns`: the name has no address
 * - `refused_address`: it has an address that must not be connected to
 * - `connect`: the connection failed, or broke before the response was complete
 * - `tls`: no trusted connection: certificate expired, for another name, or from an unknown authority
 * - `timeout`: the deadline passed
 * - `protocol`: the response was not HTTP
 * - `aborted`: cancelled on our side; says nothing about the receiver
 * - `descriptors`: this process has no file descriptor left; says nothing about the receiver
 */
export type FailureKind =
  "dns" | "refused_address" | "connect" | "tls" | "timeout" | "protocol" | "aborted" | "descriptors";

export class ExchangeError extends Error {
  readonly kind: FailureKind;
  /** Present for `refused_address` where an address was the reason. */
  readonly refused: AddressRefusal | undefined;

  constructor(kind: FailureKind, message: string, refused?: AddressRefusal) {
    super(message);
    // Minification changes class names.
    this.name = "ExchangeError";
    this.kind = kind;
    this.refused = refused;
  }
}

/** Describes for people why there was no response. */
export function describeFailure({ failure, reason }: { failure: FailureKind; reason: string }): string {
  if (failure !== "connect" || !/^E[A-Z]+$/.test(reason)) return reason;
  return reason === "ECONNREFUSED" ? "no connection: the server refuses it" : `no connection: ${reason}`;
}

/** Describes why a source that the configuration declares gave no response, with the setting that would help. */
export function describeSourceFailure(failed: {
  failure: FailureKind;
  reason: string;
  refused?: AddressRefusal | undefined;
}): string {
  const text = describeFailure(failed);
  return failed.refused?.allowable === true ? `${text}; allow_private_networks = true would allow it` : text;
}

/** Describes an error like `describeSourceFailure`. */
export function describeSourceError(error: unknown): string {
  if (!(error instanceof ExchangeError)) return messageOf(error);
  return describeSourceFailure({ failure: error.kind, reason: error.message, refused: error.refused });
}
