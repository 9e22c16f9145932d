import { isIPv6 } from "node:net";
import type { Config } from "../../platform/config/config.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { addressClass } from "../../platform/network/addresses.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { FailedError } from "../terminal/command.ts";
import { printJson } from "../terminal/table.ts";
import type { Output } from "../terminal/terminal.ts";
import { fieldsOf, parseJson } from "../../platform/lib/json.ts";

/** A running appliance responds within milliseconds; one that swaps or is locked may take longer. */
const timeoutMs = 10_000;
/** The response of `/readyz` has less than 1 KiB. */
const bodyBytesMax = 64 * 1024;
const wildcards: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Prints whether the running appliance is ready.
 * @param options.url its address; undefined: where the configuration says that it listens
 * @throws FailedError if it is not ready, or does not respond
 */
export async function reportReadiness({
  url,
  config,
  json,
  out,
}: {
  url: string | undefined;
  /** Loads the configuration; called only without a URL. */
  config: () => Promise<Pick<Config, "server">>;
  json: boolean;
  out: Output;
}): Promise<void> {
  const address = url ?? addressOf((await config()).server);
  const checks = await readChecks(address, { isOwn: url === undefined || isLoopback(address) });
  const problems = Object.entries(checks).filter(([, state]) => state !== "ok");
  const ready = problems.length === 0;
  if (json) printJson(out, { ready, url: address, checks });
  else if (ready) out.write(`ready: ${visible(address, 200)}\n`);
  else for (const [name, state] of problems) out.write(`${visible(name, 50)}: ${visible(state, 500)}\n`);
  out.flush();
  if (!ready) throw new FailedError(`the appliance at ${visible(address, 200)} is not ready`);
}

function addressOf({ host, port, tls }: Config["server"]): string {
  if (port === 0)
    throw new FailedError("server.listen has port 0, so the port of the appliance is unknown; use --url");
  const name = wildcards[host] ?? host;
  return `${tls === null ? "http" : "https"}://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

function isLoopback(address: string): boolean {
  const name = URL.parse(address)?.hostname.replaceAll(/[[\]]/g, "") ?? "";
  return addressClass(name) === "loopback";
}

/** @param options.isOwn whether the address is of this machine, for which the certificate may not be valid */
async function readChecks(address: string, { isOwn }: { isOwn: boolean }): Promise<Record<string, string>> {
  const failed = (reason: string) =>
    new FailedError(`no appliance responds at ${visible(address, 200)}: ${visible(reason, 200)}`);
  let text: string;
  try {
    const response = await fetch(`${address.replace(/\/+$/, "")}/readyz`, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "manual",
      // A proxy for the internet does not reach this machine.
      proxy: false,
      tls: { rejectUnauthorized: !isOwn },
    } as RequestInit);
    text = await readText(response);
  } catch (error) {
    throw failed(messageOf(error));
  }
  const checks = checksIn(text);
  if (checks === undefined) throw failed("the response is not that of phishwatch");
  return checks;
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > bodyBytesMax) throw new Error(`the response has more than ${bodyBytesMax} bytes`);
  }
  return text;
}

function checksIn(text: string): Record<string, string> | undefined {
  const entries = Object.entries(fieldsOf(fieldsOf(parseJson(text))["checks"]));
  const isValid = entries.length > 0 && entries.every(([, state]) => typeof state === "string");
  return isValid ? (Object.fromEntries(entries) as Record<string, string>) : undefined;
}
