import { Type } from "@sinclair/typebox";
import { choice, typeId } from "./schemas.ts";
import { severities, threatSources, statuses, threatTypes } from "./threats.ts";

export const hostName = (description: string) => Type.String({ description, examples: ["examp1e-bank.com"] });

/** Schemas of the fields of a threat that the API and the events share. */
export const threatFields = {
  id: typeId("threat", "Threat ID: a TypeID."),
  domain: hostName("The suspicious domain, in lowercase A-label form."),
  protected_domain: Type.String({
    description: "The protected domain that the suspicious domain resembles.",
    examples: ["example-bank.com"],
  }),
  type: choice(threatTypes, { description: "Type of look-alike. If several fit, the most specific one." }),
  status: choice(statuses, { description: "Triage status." }),
  severity: choice(severities, { description: "Severity of the threat." }),
  similarity: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable.",
    examples: [0.9375],
  }),
  source: choice(threatSources, { description: "How the threat was detected." }),
} as const;
