import type { FillRandom } from "../../platform/lib/ids.ts";

/** Fills bytes from the system's secure source. */
export const fillRandom: FillRandom = (bytes) =>
  void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
