import type { Clock } from "../../platform/lib/clock.ts";
import { pathOf } from "../../platform/lib/request-path.ts";
import { clientNetwork } from "../../platform/network/client-network.ts";
import { readTrapPath } from "./addresses.ts";
import { headerOf } from "./headers.ts";
import type { RawVisit, TrapKind } from "./kind.ts";
import { notFoundResponse } from "./responses.ts";
import type { LiveTrap } from "./trap.ts";

/** @param client the client's IP address; undefined if unknown */
export type RespondToVisitor = (request: Request, client: string | undefined) => Response;

const userAgentLengthMax = 500;
/** The largest network that one customer is usually given: /24 and /48. */
const visitorNetwork = { ipv4Octets: 3, ipv6Groups: 3 };

/**
 * Creates the entry point for visitors. A response depends on the requested path and the trap behind it alone. Visits
 * are classified later, so neither the response nor its timing reveals what was noticed.
 */
export function createFront({
  clock,
  findLive,
  kinds,
  offer,
}: {
  clock: Clock;
  /** Finds the live trap of a kind by its address. */
  findLive: (kind: TrapKind, address: string) => LiveTrap | undefined;
  kinds: readonly TrapKind[];
  offer: (visit: RawVisit) => void;
}): RespondToVisitor {
  const bySegment = new Map(kinds.map((kind) => [kind.pathSegment, kind]));

  return (request, client) => {
    const path = readTrapPath(pathOf(request.url));
    const kind = path === undefined ? undefined : bySegment.get(path.segment);
    if (path === undefined || kind === undefined) return notFoundResponse();
    const { address, suffix } = path;
    if (!kind.accepts({ method: request.method, suffix })) return notFoundResponse();
    const trap = findLive(kind, address);
    if (trap === undefined) return notFoundResponse();
    const ipAddress = client ?? null;
    offer({
      kind: kind.name,
      trapId: trap.id,
      at: clock.now(),
      ipAddress,
      network: clientNetwork(ipAddress, visitorNetwork),
      userAgent: headerOf(request, "user-agent", userAgentLengthMax),
      observation: kind.observe(request),
    });
    return kind.respond(trap, { suffix });
  };
}
