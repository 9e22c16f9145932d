import { describeFailure } from "../../../platform/network/failure.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import { acceptedEncoding, decodeContent } from "../reading/content.ts";

/** Content of a response, or that it has not changed (status 304). */
export interface ListResponse {
  isUnchanged: boolean;
  headers: ReadonlyMap<string, string>;
  bytes: Uint8Array;
}

/** Requests a log list or its signature. Rejects with `LogListError`, or with the reason of the signal. */
export type ListRequests = (
  url: string,
  options: { bytesMax: number; headers?: Record<string, string>; signal: AbortSignal },
) => Promise<ListResponse>;

/** A list that cannot be loaded or used. The message is a phrase for the operator. */
export class LogListError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogListError";
  }
}

const timeoutMs = 30_000;

export function createListRequests({
  client,
  userAgent,
}: {
  client: HttpClient;
  userAgent: string;
}): ListRequests {
  return async (url, { bytesMax, headers = {}, signal }) => {
    const result = await client.send({
      url,
      method: "GET",
      headers: { "User-Agent": userAgent, "Accept-Encoding": acceptedEncoding, ...headers },
      body: new Uint8Array(0),
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
