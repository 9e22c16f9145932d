import type { AddressRefusal } from "../../../platform/network/addresses.ts";

/** Appends the setting that would allow a rejected address, if there is one. */
export function withSettingHint(reason: string, refused: AddressRefusal | undefined): string {
  return refused?.allowable === true
    ? `${reason}; webhooks.allow_private_networks = true would allow it`
    : reason;
}
