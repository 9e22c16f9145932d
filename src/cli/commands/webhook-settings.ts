import { resolve } from "node:path";
import type { EndpointSettings } from "../../messaging/channels/webhook/endpoint.ts";
import type { EventFilter } from "../../threats/events/event-filter.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { eventTypes } from "../../platform/vocabulary/events.ts";
import { UsageError, type OptionsOf } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { choices, number, text, texts } from "../terminal/flags.ts";
import { filterFlags, readFilter } from "./filter-flags.ts";

/** Flags for the settings of an endpoint, of `webhooks add` and `webhooks change`. */
export const settingsFlags = {
  event: choices("--event <type>", eventTypes, "only events of this type"),
  ...filterFlags,
  header: texts("--header <header>", `a custom header, as "Name: value"`),
  concurrency: number(
    "--concurrency <count>",
    { minimum: 0, maximum: 256, whole: true },
    "maximum concurrent requests; 0 for webhooks.endpoint_concurrency",
    undefined,
  ),
  rate: number(
    "--rate <count>",
    { minimum: 0, maximum: 10_000, whole: false },
    "maximum attempts per second; 0 for no limit",
    undefined,
  ),
  caFile: text("--ca-file <file>", `a certificate authority to trust, PEM; "" for none`),
  clientCert: text("--client-cert <file>", `a certificate for mutual TLS, PEM; "" for none`),
  clientKey: text("--client-key <file>", `the private key of that certificate, PEM; "" for none`),
};

/** Returns the settings that were given. @param present the present filter, of which the other parts are kept */
export function readSettings(
  options: OptionsOf<typeof settingsFlags>,
  present: EventFilter | null = null,
): Omit<EndpointSettings, "url"> {
  const filter = readFilter(options, present);
  const { event, header, concurrency, rate, caFile, clientCert, clientKey } = options;
  // Absolute paths, because other processes may have another working directory.
  const path = (given: string) => (given === "" ? null : resolve(given));
  return {
    ...(event.length === 0 ? {} : { events: event }),
    ...(filter === undefined ? {} : { filter }),
    ...(header.length === 0 ? {} : { headers: Object.fromEntries(header.map(readHeader)) }),
    ...(concurrency === undefined ? {} : { concurrency: concurrency === 0 ? null : concurrency }),
    ...(rate === undefined ? {} : { ratePerSecond: rate === 0 ? null : rate }),
    ...(caFile === undefined ? {} : { caFile: path(caFile) }),
    ...(clientCert === undefined ? {} : { clientCertFile: path(clientCert) }),
    ...(clientKey === undefined ? {} : { clientKeyFile: path(clientKey) }),
  };
}

/** Parses a custom header. @throws UsageError */
export function readHeader(given: string): [name: string, value: string] {
  const match = /^([^:\s]+):\s*(.*)$/.exec(given);
  if (match === null) throw new UsageError(`--header must be "Name: value", not "${visible(given, 60)}"`);
  return [match[1]!, match[2]!];
}

/** Secrets are read from files: every user can read the arguments in the process list. */
export const secretFlag = text(
  "--secret-file <file>",
  'take the secret from this file, or from standard input for "-"',
);

export async function readSecret(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return (await (path === "-" ? Bun.stdin : Bun.file(path)).text()).trim();
  } catch (error) {
    throw new FailedError(
      `cannot read the secret from ${path} (${(error as { code?: string }).code ?? String(error)})`,
    );
  }
}
