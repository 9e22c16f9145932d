import type { FailureKind } from "../../platform/network/failure.ts";
import advice from "./failures.json" with { type: "json" };

// How to fix each failure, for people who see it for the first time.

/** Reasons why an email was not delivered. */
export type EmailFailure = keyof typeof advice.email;

export const emailFailures: Readonly<Record<EmailFailure, string>> = advice.email;

/** Returns the failures of a service for people: those that all share, and its own. */
export function serviceFailures(service: keyof typeof advice.services): Readonly<Record<string, string>> {
  return { ...advice.notice, ...advice.services[service] };
}

/** Reasons why a delivery failed: no complete response, or one that is not a success. */
export type WebhookFailure = Exclude<FailureKind, "aborted" | "descriptors"> | "redirect" | "status";

export const webhookFailures: Readonly<Record<WebhookFailure, string>> = advice.webhook;

/** Returns how to fix a failure of a webhook, or an empty text for one that this version does not know. */
export function failureAdvice(failure: string): string {
  const known: Readonly<Record<string, string>> = webhookFailures;
  return known[failure] ?? "";
}
