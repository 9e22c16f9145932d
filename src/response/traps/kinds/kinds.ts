import type { TrapKind } from "../kind.ts";
import { beacon } from "./beacon/beacon.ts";
import { honeytoken } from "./honeytoken/honeytoken.ts";

/** All kinds of traps, in the order in which they are listed. */
export const trapKinds: readonly TrapKind[] = [beacon, honeytoken];
