import type { Instant } from "../../platform/lib/clock.ts";
import type { traps } from "./tables.ts";

type TrapRow = typeof traps.$inferSelect;

/** Input that every kind takes. */
export interface NewTrap {
  /** Default: the kind's default name, with a number if that is taken. */
  name?: string;
  memo?: string;
}

/** Valid input of a kind. */
export interface PreparedTrap<Details> {
  details: Details;
  /** Default: the name of the protected domain. */
  defaultName?: string;
  /** In any form; absent: the trap belongs to no domain. */
  protectedDomain?: string;
  expiresAt?: Instant;
}

export interface Trap<Details = unknown> extends Omit<TrapRow, "protectedDomainSeq" | "details"> {
  /** Null if traps of this kind do not belong to a domain. */
  protectedDomain: { domain: string; allow: string[] } | null;
  details: Details;
  address: string;
  /** Replaced addresses that still count visits, newest first. */
  oldAddresses: string[];
}

/** An enabled trap that has not expired, as its address resolves to it. */
export interface LiveTrap<Details = unknown> {
  id: string;
  /** Parsed when it is needed. */
  details(): Details;
}

/** URLs of a trap. */
export interface TrapLinks {
  url: string;
  /** URLs of replaced addresses that still count visits, newest first. */
  oldUrls: string[];
}
