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
