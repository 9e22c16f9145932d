import type { FailureKind } from "../../../platform/network/failure.ts";

/** Reasons why a delivery failed: no complete response, or one that is not a success. */
export type WebhookFailure = Exclude<FailureKind, "aborted" | "descriptors"> | "redirect" | "status";

/** Returns how to fix a failure, or an empty text for one that this version does not know. */
export function failureAdvice(failure: string): string {
  const known: Readonly<Record<string, string>> = webhookFailures;
  return known[failure] ?? "";
}

/** How to fix each failure, for people who see it for the first time. */
export const webhookFailures: Record<WebhookFailure, string> = {
  dns: "The receiver's host name could not be resolved. Check the URL, and whether this machine's resolver knows the name.",
  refused_address:
    "phishwatch does not send to the receiver's address. To allow private networks, set webhooks.allow_private_networks.",
  connect:
    "The connection failed. Check that the receiver is running, that its port is correct, and that no firewall blocks it.",
  tls: "The receiver's certificate was not accepted, or the TLS handshake failed. To trust your own certificate authority, set webhooks.ca_file.",
  timeout:
    "The receiver did not respond in time (webhooks.timeout). It should respond at once and process the event afterward.",
  protocol:
    "The response is not HTTP. Check that the URL leads to a web server, and whether it needs https://.",
  redirect:
    "The receiver responded with a redirect, which is not followed. Enter the address that it leads to.",
  status:
    "The receiver responded with a status other than 200 to 299. Its log and the start of the response may say why.",
};
