import { messageOf } from "../../../platform/lib/errors.ts";
import { parseHostName } from "../../../platform/lib/host-names.ts";
import { createByteBuffer } from "../../../platform/network/byte-buffer.ts";
import { connect } from "../../../platform/network/http/connection.ts";
import { allowedAddresses } from "../../../platform/network/resolve.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";

/** Text of a response, as far as it is read, or why there is none. */
type WhoisResponse = { text: string } | { failure: string };

const defaultPort = 43;
const unprivilegedPort = 1_024;
const addressesTriedMax = 2;
/** Maximum length of a response; the rest is not read. */
const responseBytesMax = 64 * 1024;

/**
 * Returns a function that sends one query to one server and reads until the server closes the connection (RFC 3912). It
 * never throws.
 * @param timeoutMs limit for the whole exchange, also with a server that trickles.
 */
export function createWhoisClient(
  dependencies: NetworkNeeds<"clock" | "resolveHost" | "rules"> & { timeoutMs: number },
) {
  const { clock, rules, resolveHost, timeoutMs } = dependencies;
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

  return async (server: string, query: string): Promise<WhoisResponse> => {
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
            if (!received.add(bytes)) finish({ text: decodeWhois(received.bytes()) });
          },
          onClose(error) {
            // Some servers reset the connection after the response.
            if (received.length > 0) finish({ text: decodeWhois(received.bytes()) });
            else finish({ failure: error?.message ?? "connection closed without a response" });
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
