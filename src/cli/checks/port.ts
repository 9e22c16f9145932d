import type { Config } from "../../config/config.ts";
import { formatHostPort } from "../../config/fields/texts.ts";
import { isServed } from "../../database/lock.ts";
import type { CheckResult } from "../check/check-result.ts";

interface Address {
  setting: string;
  host: string;
  port: number;
}

/** Checks whether the server could listen, by listening for a moment, unless it runs already. */
export function ports({
  server,
  storage,
  traps,
}: Pick<Config, "server" | "storage" | "traps">): CheckResult[] {
  if (isServed(storage.path) === true) return [];
  const main = { setting: "server.listen", host: server.host, port: server.port };
  const all: Address[] =
    traps.listen === null ? [main] : [main, { setting: "traps.listen", ...traps.listen }];
  return all.flatMap(({ setting, host, port }): CheckResult[] => {
    const code = port === 0 ? undefined : listenError(host, port);
    if (code === undefined) return [];
    const detail = `this user cannot listen on ${formatHostPort({ host, port })} (${code})`;
    const change = changes[code] ?? "set it to an address of this machine";
    // The server may have a right that this user does not have.
    const state = code === "EACCES" ? "warning" : "error";
    return [{ check: "port", what: setting, state, detail, setting, change }];
  });
}

const changes: Record<string, string> = {
  EADDRINUSE: "set it to a free port, or end the program that uses this one",
  EACCES:
    "set it to a port above 1023, or give the server the right to use lower ones (CAP_NET_BIND_SERVICE)",
};

function listenError(host: string, port: number): string | undefined {
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? "unknown error";
  }
}
