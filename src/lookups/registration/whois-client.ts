import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { parseHostName } from "../../lib/host-names.ts";
import type { AddressRules } from "../../network/addresses.ts";
import { connect } from "../../network/http/connection.ts";
import { allowedAddresses, type ResolveHost } from "../../network/resolve.ts";

export type WhoisAnswer = { text: string; cut: boolean } | { failure: string };

/** One question to one server (RFC 3912): a line there, everything until the server closes back. */
export type AskWhois = (server: string, query: string) => Promise<WhoisAnswer>;

const defaultPort = 43;
const unprivilegedPort = 1_024;
const addressesTriedMax = 2;

export function createWhoisClient({
  clock,
  rules,
  resolveHost,
  timeoutMs,
  answerBytesMax,
}: {
  clock: Clock;
  rules: AddressRules;
  resolveHost: ResolveHost;
  /** For the whole exchange; a server that trickles gets no more than that. */
  timeoutMs: number;
  /** The rest of a longer answer is not read. */
  answerBytesMax: number;
}): AskWhois {
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
    if (host === undefined || port === undefined) return { failure: "not a server's name" };
    const deadline = new AbortController();
    const timer = clock.after(timeoutMs, () => deadline.abort());
    const late = { failure: `no complete answer within ${timeoutMs / 1_000} s` };
    try {
      const connection = await Promise.race([open(host, port, deadline.signal), aborted(deadline.signal)]);
      if (connection === undefined) return late;
      return await new Promise<WhoisAnswer>((resolve) => {
        const parts: Uint8Array[] = [];
        let kept = 0;
        const finish = (answer: WhoisAnswer) => {
          deadline.signal.removeEventListener("abort", onAbort);
          connection.listen(undefined);
          connection.destroy();
          resolve(answer);
        };
        const onAbort = () => finish(late);
        deadline.signal.addEventListener("abort", onAbort, { once: true });
        connection.listen({
          onData(bytes) {
            const taken = bytes.subarray(0, answerBytesMax - kept);
            parts.push(taken.slice());
            kept += taken.length;
            if (taken.length < bytes.length) finish({ text: decodeWhois(Buffer.concat(parts)), cut: true });
          },
          onClose(error) {
            // Some servers reset the connection behind the answer.
            if (kept > 0) finish({ text: decodeWhois(Buffer.concat(parts)), cut: false });
            else finish({ failure: error === undefined ? "closed without an answer" : error.message });
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

/** `host` or `host:port`, perhaps as a URL; undefined for what no server is called. */
export function parseServer(text: string): { host: string; port: number } | undefined {
  const match = /^(?:r?whois:\/\/)?([a-z0-9.-]{1,253}?)\.?(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  const host = match === null ? null : parseHostName(match[1]!);
  const port = Number(match?.[2] ?? defaultPort);
  // A referral makes us talk to no mail server.
  const usable = port === defaultPort || (port >= unprivilegedPort && port <= 65_535);
  return host === null || !usable ? undefined : { host, port };
}

/** Most servers write UTF-8; what is not valid UTF-8 is taken as Latin-1, which every byte is. */
function decodeWhois(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  // A character that the cut went through, at the very end, is no sign of another encoding.
  return text.slice(0, -2).includes("\ufffd") ? new TextDecoder("windows-1252").decode(bytes) : text;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
}
