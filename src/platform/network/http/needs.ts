import type { Clock } from "../../lib/clock.ts";
import type { AddressRules } from "../addresses.ts";
import type { ResolveHost } from "../resolve.ts";
import type { Turns } from "../turns.ts";
import type { HttpClient } from "./http-client.ts";

/** Dependencies that code takes that sends requests, always under these names. */
interface NetworkDependencies {
  client: HttpClient;
  clock: Clock;
  resolveHost: ResolveHost;
  /** Connections are made only to addresses that these allow, no matter who names the server. */
  rules: AddressRules;
  /** Shared by all code that processes responses. */
  turns: Turns;
  userAgent: string;
}

/** Types of the dependencies of requests that a function names: `{ client }: NetworkNeeds<"client">`. */
export type NetworkNeeds<Name extends keyof NetworkDependencies> = Pick<NetworkDependencies, Name>;
