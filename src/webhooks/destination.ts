import { badRequest } from "../lib/errors.ts";
import { ExchangeError } from "../network/failure.ts";
import { allowedAddresses, type ResolveHost } from "../network/resolve.ts";
import { withSettingHint } from "./private-networks-hint.ts";
import { checkUrl, type DestinationRules } from "./endpoint-rules.ts";

/** Looks at where a URL leads now, before anything is sent there. */
export interface Destinations {
  /**
   * Answers undefined, or a remark for the person who adds the endpoint: its name has no address yet.
   * @throws PublicError `bad_request`: it must not be delivered to, and which setting would allow it
   */
  check(url: string): Promise<string | undefined>;
}

export function createDestinations({
  rules,
  resolveHost,
}: {
  rules: DestinationRules;
  resolveHost: ResolveHost;
}): Destinations {
  return {
    async check(text) {
      const { hostname } = new URL(checkUrl(text, rules));
      try {
        await allowedAddresses({ hostname, rules, resolveHost });
        return undefined;
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error;
        if (error.kind === "refused_address") throw badRequest(withSettingHint(error.message, error.refused));
        return error.message;
      }
    },
  };
}
