import { setServers } from "node:dns";
import type { Clock } from "../../lib/clock.ts";
import type { ResolveHost } from "../resolve.ts";
import { shareLookups } from "../shared-lookups.ts";
import { systemResolvers } from "./system-resolvers.ts";

/**
 * Returns a resolver that works like the system's: with the hosts file, then the name servers and search domains of
 * resolv.conf. It uses c-ares, because getaddrinfo runs in Bun's work pool, which has as many threads as the machine
 * has cores: a few names whose name server does not respond would stop all lookups and file reads of the process.
 */
export function createSystemResolver({ clock }: { clock: Clock }): ResolveHost {
  let servers: string[] | undefined;

  /** Follows changes of resolv.conf, which c-ares reads only once. Pending queries move to the new servers. */
  const followChanges = () => {
    const current = systemResolvers().map(({ address }) => address);
    const isChanged = servers !== undefined && servers.join() !== current.join();
    servers = current;
    // The first lookup of the process reads the file on its own.
    if (isChanged) setServers(current);
  };

  const resolveHost: ResolveHost = async (hostname) => {
    followChanges();
    try {
      const found = await Bun.dns.lookup(hostname, { backend: "c-ares" });
      return found.map(({ address }) => address);
    } catch (error) {
      const { code = "failed" } = error as NodeJS.ErrnoException;
      throw Object.assign(new Error(`${hostname} cannot be resolved`), { code: code.replace(/^DNS_/, "") });
    }
  };
  return shareLookups({ clock, resolveHost });
}
