import { readFile, stat } from "node:fs/promises";
import { toPlainTime, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import { backoffMs } from "../../../platform/lib/durations.ts";
import type { AddressRules } from "../../../platform/network/addresses.ts";
import { createHttpClient, type HttpClient } from "../../../platform/network/http/http-client.ts";
import { conditionsFor, validatorsOf, type Validators } from "../../../platform/network/http/validators.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import { utf8Text } from "../entries/der.ts";
import { isSignedByGoogle } from "../log-list/builtin-list.ts";
import { LogListFormatError, parseLogList, type LogList } from "../log-list/log-list.ts";
import { describeFailure } from "../../../platform/network/failure.ts";
import { acceptedEncoding, decodeContent } from "../reading/content.ts";

/** The list that is in effect, as it was loaded. */
export interface KnownLogList extends Validators {
  /** `LoadedLogList.origin` of it; another origin makes the rest irrelevant. */
  origin: string;
  /** Its `log_list_timestamp`; an older list is refused. */
  timestamp: Instant;
}

export interface LoadedLogList extends KnownLogList {
  text: string;
}

/** Where the log list comes from; `builtin`: from the list that this program contains. */
export type LogListSource =
  { kind: "builtin" } | { kind: "url"; url: string } | { kind: "file"; path: string };

/** Loads the log list of the configuration again and again. */
export type LogListLoader = ReturnType<typeof createLogListLoader>;

/** Several times the size of the list of all logs, 2025. */
const listBytesMax = 2 * 1024 * 1024;
const signatureBytesMax = 16 * 1024;
/** A list that was published between the requests for it and for its signature does not match, so both are read again. */
const attemptsMax = 2;
const minuteMs = 60_000;
const refreshMsMin = 30 * minuteMs;
const refreshMsMax = 90 * minuteMs;
const retryMsBase = 5 * minuteMs;

/**
 * Returns the time until the next load: 30 to 90 minutes at random, as the publisher of the list updates it daily; after
 * errors 5 minutes, doubling up to that.
 * @param failures number of loads that failed since the last successful one
 * @param random returns a number from 0 to below 1
 */
export function nextListLoadMs({ failures, random }: { failures: number; random: () => number }): number {
  const usualMs = refreshMsMin + random() * (refreshMsMax - refreshMsMin);
  if (failures === 0) return Math.round(usualMs);
  const retryMs = backoffMs({ failures, firstMs: retryMsBase, maxMs: refreshMsMax });
  return Math.round(Math.min(usualMs, retryMs * (1 + random())));
}

interface LogListLoaderOptions {
  source: LogListSource;
  clock: Pick<Clock, "now">;
  resolveHost: ResolveHost;
  userAgent: string;
  /** Returns whether the publisher of the built-in list made the signature. */
  isSigned?: (list: Uint8Array, signature: Uint8Array) => boolean;
  builtinUrl?: string;
  rules?: AddressRules;
}

/** Google's list, for monitors without a request or registration. Its signature is beside it. */
const builtinListUrl = "https://www.gstatic.com/ct/log_list/v3/log_list.json";

/**
 * The built-in list has to have a valid signature. Another URL is trusted by its TLS certificate only, because there is no
 * key to verify a signature with; it may be in a private network, because the configuration declares it.
 */
export function createLogListLoader(options: LogListLoaderOptions) {
  const { source, clock, resolveHost, userAgent, isSigned = isSignedByGoogle } = options;
  const { builtinUrl = builtinListUrl, rules = { allowPrivateNetworks: source.kind === "url" } } = options;
  const client = createHttpClient({ rules, resolveHost });
  const get = createListRequests(client, userAgent);
  const origin = source.kind === "builtin" ? builtinUrl : source.kind === "url" ? source.url : source.path;

  /** Reads the list and, if it has one, its signature. Null: not changed. */
  async function fetchList(known: KnownLogList | null, signal: AbortSignal): Promise<LoadedLogList | null> {
    for (let attempt = 1; ; attempt++) {
      // A second attempt is unconditional: the list itself may be the outdated part.
      const headers = attempt === 1 && known !== null ? conditionsFor(known) : {};
      const response = await get(origin, { bytesMax: listBytesMax, headers, signal });
      const { isUnchanged, bytes } = response;
      if (isUnchanged && attempt === 1 && known !== null) return null;
      if (isUnchanged) throw new LogListError("status 304 to an unconditional request");
      const text = textOf(bytes);
      const { timestamp } = parsed(text);
      const loaded = { origin, timestamp, ...validatorsOf(response.headers), text };
      if (source.kind !== "builtin") return loaded;
      const url = origin.replace(/\.json$/, ".sig");
      const signature = await get(url, { bytesMax: signatureBytesMax, signal });
      if (isSigned(bytes, signature.bytes)) return loaded;
      if (attempt === attemptsMax) throw new LogListError("its signature is not valid");
    }
  }

  function parsed(text: string): { timestamp: Instant } {
    const list = listOf(text);
    if (list.timestamp > clock.now() + futureMsMax) throw new LogListError("its time is in the future");
    return list;
  }

  return {
    /** URL or path of the list. */
    origin,

    /**
     * Returns a new list that is verified as far as possible, or null if it has not changed.
     * @throws LogListError, or the reason of the signal
     */
    async load(given: KnownLogList | null, signal: AbortSignal): Promise<LoadedLogList | null> {
      const known = given?.origin === origin ? given : null;
      const loaded = await (source.kind === "file"
        ? readList(source.path, { known, parsed })
        : fetchList(known, signal));
      // A replayed old list would hide new logs.
      if (loaded !== null && known !== null && source.kind !== "file" && loaded.timestamp < known.timestamp) {
        throw new LogListError(
          `of ${toPlainTime(loaded.timestamp)}, older than the one in use (${toPlainTime(known.timestamp)})`,
        );
      }
      return loaded;
    },
    close: () => client.close(),
  };
}

/** Tolerated difference between the clocks of the publisher and the appliance. */
const futureMsMax = 24 * 60 * minuteMs;

function listOf(text: string): LogList {
  if (text.trimStart().startsWith("<")) throw new LogListError("an HTML page instead of a log list");
  try {
    const list = parseLogList(text);
    if (list.logs.length > 0) return list;
  } catch (error) {
    throw error instanceof LogListFormatError ? new LogListError(error.message) : error;
  }
  // It would end the following of every log.
  throw new LogListError("contains no logs");
}

function textOf(bytes: Uint8Array): string {
  const text = utf8Text(bytes);
  if (text === undefined) throw new LogListError("not UTF-8 text");
  return text;
}

async function readList(
  path: string,
  { known, parsed }: { known: KnownLogList | null; parsed(text: string): { timestamp: Instant } },
): Promise<LoadedLogList | null> {
  let file: { etag: string; bytes: Uint8Array };
  try {
    const { size, mtimeMs } = await stat(path);
    if (size > listBytesMax) throw new LogListError(`larger than ${listBytesMax / 1024} KiB`);
    const etag = `${mtimeMs} ${size}`;
    if (known?.etag === etag) return null;
    file = { etag, bytes: await readFile(path) };
  } catch (error) {
    if (error instanceof LogListError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new LogListError(`the file cannot be read (${code})`);
  }
  const text = textOf(file.bytes);
  return { origin: path, timestamp: parsed(text).timestamp, etag: file.etag, lastModified: null, text };
}

/** A list that cannot be loaded or used. The message is a phrase for the operator. */
class LogListError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogListError";
  }
}

const timeoutMs = 30_000;

/**
 * Returns a function that requests a log list or its signature, which may not have changed (status 304). It rejects with
 * `LogListError`, or with the reason of the signal.
 */
function createListRequests(client: HttpClient, userAgent: string) {
  return async (
    url: string,
    { bytesMax, headers = {}, signal }: { bytesMax: number; headers?: object; signal: AbortSignal },
  ) => {
    const result = await client.send({
      url,
      headers: { "User-Agent": userAgent, "Accept-Encoding": acceptedEncoding, ...headers },
      timeoutMs,
      bodyBytesMax: bytesMax,
      signal,
    });
    if (signal.aborted) throw signal.reason;
    if (!("response" in result)) throw new LogListError(describeFailure(result));
    const { response } = result;
    if (response.status === 304) {
      return { isUnchanged: true, headers: response.headers, bytes: new Uint8Array(0) };
    }
    if (response.status !== 200) throw new LogListError(`status ${response.status}`);
    const encoding = response.headers.get("content-encoding");
    const content = decodeContent({ body: response.body, encoding, bytesMax });
    if ("bytes" in content && !response.cut) {
      return { isUnchanged: false, headers: response.headers, bytes: content.bytes };
    }
    const isBroken = "failure" in content && content.failure === "broken";
    throw new LogListError(isBroken ? content.reason : `larger than ${bytesMax / 1024} KiB`);
  };
}
