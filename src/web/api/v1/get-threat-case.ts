import { Type } from "@sinclair/typebox";
import { reasonCodes } from "../../../response/cases/grouping/reasons.ts";
import { contactSources } from "../../../response/cases/recipients/recipient.ts";
import { deliveryStates, reportPurposes } from "../../../response/cases/takedowns/report.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import { exampleThreatId } from "../../../threats/threats/api-object.ts";
import { recipientKinds, reportMethods } from "../../../platform/vocabulary/cases.ts";
import { choice, closed, count, orNull, threatFields, time } from "../../../platform/vocabulary/schemas.ts";
import { siteStates } from "../../../platform/vocabulary/site.ts";
import { findThreat } from "./get-threat.ts";
import { operation } from "./services.ts";

const text = (description: string) => Type.String({ description });
const state = choice(siteStates, { description: "State of the site, derived from the facts." });

const recipient = Type.Object(
  {
    kind: choice(recipientKinds, { description: "Kind of recipient." }),
    name: text("Name of the recipient."),
    email: orNull(text("Email address.")),
    form_url: orNull(text("URL of its form.")),
    source: Type.Object(
      {
        from: choice(contactSources, {
          description: "Where the contact is from; `person`: somebody typed the address.",
        }),
        url: orNull(text("URL of the response or page that states it.")),
        at: orNull(time("When it was looked up.")),
      },
      closed,
    ),
  },
  { ...closed, description: "Recipient, as it was known when the report was sent." },
);

const report = Type.Object(
  {
    reference: text("Reference in the subject."),
    purpose: choice(reportPurposes, { description: "Why the report was made." }),
    recipient,
    method: choice(reportMethods, { description: "How it reaches the recipient." }),
    subject: text("Subject."),
    language: text("Language of the text (BCP 47)."),
    created_at: time("When it was made."),
    created_by: orNull(text("Account that made it.")),
    ticket: orNull(text("Ticket of the recipient.")),
    delivery: orNull(choice(deliveryStates, { description: "State of the email; null: not an email." })),
    delivery_response: orNull(text("Last response of the mail server.")),
    sent_at: orNull(time("When it was sent.")),
    follow_up_at: orNull(time("When a follow-up is due.")),
    outcome: Type.Optional(
      choice(["open", "down", "closed", "deleted"], { description: "Outcome for this threat." }),
    ),
    down_at: Type.Optional(orNull(time("When the site went down."))),
    down_state: Type.Optional(orNull(state)),
  },
  { ...closed, description: "A report to somebody who can take the site down." },
);

const campaign = Type.Object(
  {
    number: count("Number of the campaign. It changes if its oldest threat leaves."),
    threats: count("Number of threats."),
    score: count("0 to 100: how much its threats have in common."),
    reasons: Type.Array(
      Type.Object(
        {
          reason: choice(reasonCodes, { description: "Attribute that the threats have in common." }),
          value: text("The value, text of strangers."),
          threats: count("Number of threats that have it in common."),
        },
        closed,
      ),
    ),
  },
  { ...closed, description: "The group of threats that it belongs to." },
);

const schema = Type.Object(
  {
    threat_id: threatFields.id,
    assignee: orNull(text("Account of the person who works on it; null: nobody.")),
    due_at: orNull(time("When it is due; null: no due time, or not active.")),
    site_state: orNull(state),
    site_state_since: orNull(time("Since when.")),
    reports: Type.Array(report, { description: "Oldest first." }),
    campaign: orNull(campaign),
  },
  { ...closed, $id: "ThreatCase", description: "The work on a threat." },
);

const example = {
  threat_id: exampleThreatId,
  assignee: "kim",
  due_at: "2026-01-16T12:00:02.417Z",
  site_state: "up",
  site_state_since: "2026-01-15T12:00:09.000Z",
  reports: [],
  campaign: {
    number: 1204,
    threats: 14,
    score: 80,
    reasons: [{ reason: "address", value: "192.0.2.10", threats: 14 }],
  },
};

export const getThreatCase = operation({
  method: "GET",
  path: "/v1/threats/{id}/case",
  id: "getThreatCase",
  tag: "Threats",
  scope: "threats:read",
  summary: "Get the case of a threat",
  description:
    "Returns assignee, due time, state of the site, reports and campaign. Campaigns span protected domains, so a key that is restricted to some of them gets null.",
  params: { id: threatFields.id },
  response: {
    description: "The case.",
    schema: Type.Object({ data: schema }, closed),
    example: { data: example },
  },
  notFound: true,
  run(services, { caller, params }) {
    const { id } = findThreat(services, caller, params["id"]);
    const found = services.caseOf(id);
    if (found === undefined) throw notFound("There is no threat with this ID.");
    return { data: caller.domains.length === 0 ? found : { ...found, campaign: null } };
  },
});
