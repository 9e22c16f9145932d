import type { LogProtocol } from "../../../src/engines/certificate-transparency/log.ts";

/** Instructions to the process with everything that the executable connects to. Each is answered with a report. */
export type WorldInstruction =
  | { do: "open"; logs: number; protectedDomains: readonly string[]; listNames: number }
  /** Adds this many blocks of 256 entries to each log. */
  | { do: "grow"; blocks: number }
  /** Closed: requests to logs wait until it is open. */
  | { do: "gate"; isOpen: boolean }
  /** Messages per second that the certstream server sends; Infinity: as many as the client accepts. */
  | { do: "stream"; perSecond: number }
  /** Publishes a new version of each list. */
  | { do: "change lists" }
  | { do: "report" };

export interface WorldReport {
  port: number;
  logs: readonly { name: string; protocol: LogProtocol; key: string; url: string; size: number }[];
  /** Responses with entries. */
  blocksServed: number;
  messagesSent: number;
  deliveries: number;
  listsServed: number;
}
