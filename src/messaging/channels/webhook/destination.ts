import { FieldError } from "../../../platform/lib/errors.ts";
import { ExchangeError } from "../../../platform/network/failure.ts";
import { allowedAddresses, type ResolveHost } from "../../../platform/network/resolve.ts";
import { withSettingHint } from "../http/private-networks-hint.ts";
import { checkUrl, type DestinationRules } from "../http/destination-rules.ts";

/** Implements `checkDestination` of the webhook channel. */
export async function checkDestination(
  text: string,
  { rules, resolveHost }: { rules: DestinationRules; resolveHost: ResolveHost },
): Promise<string | undefined> {
  const { hostname } = new URL(checkUrl(text, rules));
  try {
    await allowedAddresses({ hostname, rules, resolveHost });
    return undefined;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    if (error.kind === "refused_address")
      throw new FieldError("url", withSettingHint(error.message, error.refused));
    return error.message;
  }
}
