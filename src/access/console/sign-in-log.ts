import type { Clock } from "../../platform/lib/clock.ts";
import type { Log } from "../../platform/lib/log.ts";
import { clientNetwork } from "../../platform/network/client-network.ts";

/** Logs sign-ins: each that succeeds, and one line per minute about those that fail, however many they are. */
export type SignInLog = ReturnType<typeof createSignInLog>;

const periodMs = 60_000;
/** Maximum number of addresses that are counted apart in one period. */
const networksMax = 1_000;
const household = { ipv4Octets: 4, ipv6Groups: 4 };

export function createSignInLog({ clock, log }: { clock: Pick<Clock, "after">; log: Log }) {
  let isPeriod = false;
  let counts = { wrong_password: 0, wrong_code: 0, not_verified: 0 };
  const networks = new Set<string>();
  let latest: string | null = null;

  /** The first failure is logged at once, and the next ones together at the end of each period. */
  function startPeriod(): void {
    isPeriod = true;
    clock.after(periodMs, () => {
      isPeriod = false;
      if (counts.wrong_password + counts.wrong_code + counts.not_verified === 0) return;
      log.event("console.sign_ins_failed", {
        failed: counts.wrong_password + counts.wrong_code,
        notVerified: counts.not_verified,
        networks: networks.size,
        client: latest,
      });
      counts = { wrong_password: 0, wrong_code: 0, not_verified: 0 };
      networks.clear();
      startPeriod();
    });
  }

  return {
    succeeded: (account: string, address: string | null) =>
      log.event("console.signed_in", { client: address, account }),

    /** @param outcome `not_verified`: its turn did not come in time */
    failed(outcome: "wrong_password" | "wrong_code" | "not_verified", address: string | null) {
      if (!isPeriod) {
        log.event("console.sign_in_failed", { client: address, outcome });
        return startPeriod();
      }
      counts[outcome] += 1;
      latest = address;
      if (networks.size < networksMax) networks.add(clientNetwork(address, household));
    },
  };
}
