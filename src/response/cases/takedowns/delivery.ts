import { emailFailures } from "../../../messaging/channels/failures.ts";
import { classify } from "../../../messaging/channels/email/outcome.ts";
import type { SmtpResult } from "../../../messaging/channels/email/smtp.ts";
import type { NotAttempted } from "../../../messaging/deliveries/channel.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { DeliveryState } from "./report.ts";

/** Columns of a report after an attempt to send it. */
export interface AttemptOutcome {
  delivery: DeliveryState;
  /** Words of the mail server, or what went wrong; escaped for display. */
  deliveryResponse: string | null;
  attempts: number;
  attemptAt: Instant | null;
  sentAt: Instant | null;
}

const minuteMs = 60_000;
/** Delays after failed attempts, 8 hours 36 minutes in total. Then the report fails, and a person decides. */
export const retryDelaysMs = [1, 5, 30, 120, 360].map((minutes) => minutes * minuteMs);

/**
 * Returns what follows from a conversation with the mail server. An email that may have arrived is never sent again
 * without a person: a registrar that receives two copies of each report reads neither.
 * @param attempts attempts before this one
 * @param isSending whether the conversation reached the email itself, so that it may have arrived
 */
export function outcomeOfAttempt(
  result: SmtpResult | NotAttempted,
  { attempts: before, isSending, now }: { attempts: number; isSending: boolean; now: Instant },
): AttemptOutcome {
  const waiting = { attempts: before, sentAt: null };
  if (typeof result === "string" && isSending)
    return {
      attempts: before + 1,
      sentAt: null,
      delivery: "interrupted",
      deliveryResponse: "phishwatch ended while it was sending",
      attemptAt: null,
    };
  // Nothing was sent: phishwatch ends, or is short of descriptors.
  if (typeof result === "string")
    return { ...waiting, delivery: "queued", deliveryResponse: null, attemptAt: now + minuteMs };
  const attempts = before + 1;
  const { failure, error, consequence, response } = classify(result, null, { isTest: true });
  const done = { attempts, attemptAt: null, sentAt: null };
  if (failure === null) return { ...done, delivery: "sent", deliveryResponse: response, sentAt: now };
  const deliveryResponse = error;
  if (
    result.outcome === "failed" &&
    result.step === "content" &&
    result.reply === "" &&
    result.cause !== "size"
  )
    return { ...done, delivery: "interrupted", deliveryResponse };
  if (consequence === "drop") return { ...done, delivery: "bounced", deliveryResponse };
  const delayMs = retryDelaysMs[attempts - 1];
  const advice = emailFailures[failure];
  if (delayMs === undefined)
    return { ...done, delivery: "failed", deliveryResponse: `${error ?? ""}. ${advice}` };
  return { ...done, delivery: "queued", deliveryResponse, attemptAt: now + delayMs };
}
