import type { AddressRefusal } from "../../network/addresses.ts";

/** Adds to the reason of a refused address which setting would allow it, where one would. */
export function withSettingHint(reason: string, refused: AddressRefusal | undefined): string {
  return refused?.allowable === true
    ? `${reason}; webhooks.allow_private_networks = true would allow it`
    : reason;
}
