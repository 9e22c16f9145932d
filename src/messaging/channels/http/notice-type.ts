import type { ChannelConfig } from "../../../platform/config/sections/notifications.ts";
import type { Notice } from "../../content/notice.ts";
import type { ChannelType } from "../../../platform/vocabulary/channels.ts";
import type { Screenshot } from "./screenshots.ts";

/** Where a channel for people sends its messages. One shape for all types; what a type does not use is null or empty. */
export type ChannelTarget = Omit<ChannelConfig, "name" | "type">;

/** One type of channel that sends HTTP requests. Pure: everything else (guard, timeout, log, masking) is shared. */
export interface NoticeChannelType {
  /** Also the `kind` of the recipients. */
  readonly type: Exclude<ChannelType, "email">;
  /** Name of the service as its maker writes it, such as "Slack". */
  readonly label: string;
  /** Attempts per second that the service permits one recipient. Attempts are spaced evenly. */
  readonly ratePerSecond: number;
  /** Whether `requests` uses a screenshot. Otherwise none is read. */
  readonly usesScreenshot: boolean;
  /**
   * Checks what `keysOfChannel` and the rules for URLs do not check, and fills in the default URL.
   * @throws PublicError `bad_request` with what to change, without secrets
   */
  validate(target: ChannelTarget): ChannelTarget;
  /**
   * Returns the requests of one message, in order. The next one is made only if `classifyResponse` accepts the response to the
   * one before, or if that one is `optional`.
   * @param options.screenshot null: there is none. It is uploaded or left out, never linked to
   */
  requests(
    target: ChannelTarget,
    notice: Notice,
    options: { screenshot: Screenshot | null },
  ): NoticeRequest[];
  /** Classifies a complete response that is not a redirect. */
  classifyResponse(response: NoticeResponse): ResponseOutcome;
}

export interface NoticeRequest {
  method: "POST" | "PUT";
  url: string;
  headers: Record<string, string>;
  body: Uint8Array | string;
  /**
   * Whether the message counts as delivered even if this request fails, as for a screenshot that follows its text:
   * another attempt would repeat the text.
   */
  optional?: boolean;
  /** Returns a request that is made next, depending on the outcome of this one; null: none. */
  followUp?: (reply: NoticeReply) => NoticeRequest | null;
}

/** Outcome of a request, for the next request. */
export interface NoticeReply {
  accepted: boolean;
  /** Body of the response; empty if there was none. */
  body: string;
}

export interface NoticeResponse {
  status: number;
  /** By lowercase name. */
  headers: { get(name: string): string | null | undefined };
  /** At most 64 KiB. */
  body: string;
}

/**
 * Meaning of a response. `retry`: another attempt on the schedule, or after `retryAfterMs` (default: the header
 * Retry-After). `drop`: the service will never accept this message. `disable`: the target is gone, or the secret was
 * revoked.
 */
export type ResponseOutcome =
  /** `pauseMs`: time until the next message is permitted. */
  | { outcome: "delivered"; pauseMs?: number }
  | { outcome: "retry" | "drop" | "disable"; failure: string; error: string; retryAfterMs?: number };
