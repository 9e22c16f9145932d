import type { AddressRefusal } from "./addresses.ts";

/**
 * Why there was no answer:
 * - `dns`: the name has no address
 * - `refused_address`: it has one that must not be connected to
 * - `connect`: no connection, or it broke before the answer was complete
 * - `tls`: no trusted connection: certificate expired, of another name, of an unknown authority
 * - `timeout`: the deadline passed
 * - `protocol`: what came was not HTTP
 * - `aborted`: given up from our side; says nothing of the receiver
 */
export type FailureKind = "dns" | "refused_address" | "connect" | "tls" | "timeout" | "protocol" | "aborted";

export class ExchangeError extends Error {
  readonly kind: FailureKind;
  /** Present for `refused_address` where an address was the reason. */
  readonly refused: AddressRefusal | undefined;

  constructor(kind: FailureKind, message: string, refused?: AddressRefusal) {
    super(message);
    // Class names are changed when the executable is minified.
    this.name = "ExchangeError";
    this.kind = kind;
    this.refused = refused;
  }
}
