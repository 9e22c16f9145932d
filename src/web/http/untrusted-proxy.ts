import type { Log } from "../../platform/lib/log.ts";
import { addressClass } from "../../platform/network/addresses.ts";

/** Notices a proxy that the configuration does not trust: then all its visitors count as one client. */
export interface UntrustedProxy {
  /** Notes a peer that sent X-Forwarded-For although it is not trusted. The first that may be a proxy is logged. */
  note(peer: string): void;
  /** Returns the address of the first such peer since the start. */
  address(): string | undefined;
}

export function createUntrustedProxy({ log }: { log: Log }): UntrustedProxy {
  let found: string | undefined;
  return {
    note(peer) {
      if (found !== undefined) return;
      // Anyone on the internet can send the header; a proxy of one's own is on this machine or in a private network.
      const peerClass = addressClass(peer);
      if (peerClass !== "loopback" && peerClass !== "private") return;
      found = peer;
      log.event("http.untrusted_proxy", { peer, setting: "server.trusted_proxies" });
    },
    address: () => found,
  };
}
