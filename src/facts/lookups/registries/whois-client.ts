import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { parseHostName } from "../../../platform/lib/host-names.ts";
import type { AddressRules } from "../../../platform/network/addresses.ts";
import { createByteBuffer } from "../../../platform/network/byte-buffer.ts";
import { connect } from "../../../platform/network/http/connection.ts";
import { allowedAddresses, type ResolveHost } from "../../../platform/network/resolve.ts";

export type WhoisResponse = { text: string; cut: boolean } | { failure: string };

/** Sends one query to one server and reads until the server closes the connection (RFC 3912). Never throws. */
export type QueryWhois = (server: string, query: string) => Promise<WhoisResponse>;

const defaultPort = 43;
const unprivilegedPort = 1_024;
const addressesTriedMax = 2;

interface WhoisClientDependencies {
  clock: Clock;
  rules: AddressRules;
  resolveHost: ResolveHost;
  timeoutMs: number;
  responseBytesMax: number;
}

/**
 * @param timeoutMs limit for the whole exchange, also with a server that trickles.
 * @param responseBytesMax maximum length of a response; the rest is not read.
 */
export function createWhoisClient(dependencies: WhoisClientDependencies): QueryWhois {
  const { clock, rules, resolveHost, timeoutMs, responseBytesMax } = dependencies;
  async function open(host: string, port: number, signal: AbortSignal) {
    const addresses = await allowedAddresses({ hostname: host, rules, resolveHost });
    let failure: unknown;
    for (const address of addresses.slice(0, addressesTriedMax)) {
      try {
        return await connect({ address, port, serverName: host, tlsFiles: undefined, signal });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return async (server, query) => {
    const { host, port } = parseServer(server) ?? {};
    if (host === undefined || port === undefined) return { failure: "not a server name" };
    const deadline = new AbortController();
    const timer = clock.after(timeoutMs, () => deadline.abort());
    const late = { failure: `no complete response within ${timeoutMs / 1_000} s` };
    try {
      const connection = await Promise.race([open(host, port, deadline.signal), aborted(deadline.signal)]);
      if (connection === undefined) return late;
      return await new Promise<WhoisResponse>((resolve) => {
        const received = createByteBuffer(responseBytesMax);
        const finish = (response: WhoisResponse) => {
          deadline.signal.removeEventListener("abort", onAbort);
          connection.listen(undefined);
          connection.destroy();
          resolve(response);
        };
        const onAbort = () => finish(late);
        deadline.signal.addEventListener("abort", onAbort, { once: true });
        connection.listen({
          onData(bytes) {
            if (!received.add(bytes)) finish({ text: decodeWhois(received.bytes()), cut: true });
          },
          onClose(error) {
            // Some servers reset the connection after the response.
            if (received.length > 0) finish({ text: decodeWhois(received.bytes()), cut: false });
            else
              finish({
                failure: error === undefined ? "connection closed without a response" : error.message,
              });
          },
        });
        connection.write(Buffer.from(query, "ascii"));
      });
    } catch (error) {
      return { failure: deadline.signal.aborted ? late.failure : messageOf(error) };
    } finally {
      timer.cancel();
      deadline.abort();
    }
  };
}

/** Parses `host` or `host:port`, optionally as a URL. Returns undefined for anything else. */
export function parseServer(text: string): { host: string; port: number } | undefined {
  const match = /^(?:r?whois:\/\/)?([a-z0-9.-]{1,253}?)\.?(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  const host = match === null ? null : parseHostName(match[1]!);
  const port = Number(match?.[2] ?? defaultPort);
  // No referral makes us contact a mail server.
  const usable = port === defaultPort || (port >= unprivilegedPort && port <= 65_535);
  return host === null || !usable ? undefined : { host, port };
}

/** Decodes UTF-8, which most servers send. Anything else is taken as Windows-1252, in which every byte is valid. */
function decodeWhois(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  // A character that was cut off at the very end does not indicate another encoding.
  return text.slice(0, -2).includes("\ufffd") ? new TextDecoder("windows-1252").decode(bytes) : text;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
}
