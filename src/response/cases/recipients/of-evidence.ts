import type { Evidence } from "../../evidence/evidence-bundle.ts";
import type { Recipient } from "./recipient.ts";
import { recipientsOf } from "./recipients.ts";

/** Returns who can act on a threat, in the order in which to ask them. */
export function knownRecipients({
  threat,
  known,
  origins,
}: Pick<Evidence, "threat" | "known" | "origins">): Recipient[] {
  const issuers = origins.certificates.map(({ issuer }) => issuer);
  return recipientsOf({ threat, facts: known?.facts, issuers });
}

/** Returns whether an address or a form of a recipient is known. */
export function hasContact({ email, formUrl }: Pick<Recipient, "email" | "formUrl">): boolean {
  return email !== undefined || formUrl !== undefined;
}
