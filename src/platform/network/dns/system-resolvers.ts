import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { NameServer } from "./dns-transport.ts";

const path = "/etc/resolv.conf";
const port = 53;
/** resolv.conf(5): only the first three are used. */
const resolversMax = 3;

/** Returns the resolvers of this machine. */
export function systemResolvers(): NameServer[] {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // resolv.conf(5): without a file, the resolver on this machine is used.
  }
  return parseResolvers(text);
}

/** Parses a resolv.conf(5). Without any resolver in it, the one on this machine is used. */
export function parseResolvers(text: string): NameServer[] {
  const addresses = text
    .split("\n")
    .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? "")
    .filter((address) => isIP(address) !== 0)
    .slice(0, resolversMax);
  return (addresses.length === 0 ? ["127.0.0.1"] : addresses).map((address) => ({ address, port }));
}
