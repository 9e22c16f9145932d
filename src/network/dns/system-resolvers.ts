import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { NameServer } from "./dns-transport.ts";

const path = "/etc/resolv.conf";
const port = 53;
/** resolv.conf(5): what stands after the third is not used. */
const resolversMax = 3;

/** The resolvers that this computer uses. */
export function systemResolvers(): NameServer[] {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // resolv.conf(5): a missing file means the one on this computer.
  }
  return parseResolvers(text);
}

/** Reads a resolv.conf(5). Without any resolver in it the one on this computer is meant. */
export function parseResolvers(text: string): NameServer[] {
  const addresses = text
    .split("\n")
    .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? "")
    .filter((address) => isIP(address) !== 0)
    .slice(0, resolversMax);
  return (addresses.length === 0 ? ["127.0.0.1"] : addresses).map((address) => ({ address, port }));
}
