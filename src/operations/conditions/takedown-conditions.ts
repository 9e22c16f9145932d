import type { TakedownAttention, TakedownNeeds } from "../../response/cases/takedowns/lists.ts";
import type { Report } from "../../response/cases/takedowns/report.ts";
import { toPlainTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { clause, counted } from "../../platform/lib/wording.ts";
import type { Condition } from "./condition.ts";

/** Conditions of each kind. Beyond that, one further condition says that there are more. */
const eachMax = 10;
const namesMax = 3;
const serverCharactersMax = 200;

/**
 * Returns what needs a person: one condition for each site that came back, report that was not delivered and follow-up that
 * is due. The oldest come first, so that a condition stays in its place until somebody has acted. Its end is not sent: the
 * person who acted knows, and a site that went down needs nothing.
 */
export function takedownConditions({
  attention,
  needs,
}: {
  attention: () => TakedownAttention;
  needs: (limit: number) => TakedownNeeds;
}): Condition[] {
  const count = attention();
  if (count.cameBack + count.notDelivered + count.followUps === 0) return [];
  const { cameBack, followUps, notDelivered } = needs(eachMax);
  return [
    ...cameBack.map(({ backAt, domain, downAt, seq }) =>
      condition(`back ${seq} ${backAt}`, {
        title: `${domain} came back after a takedown`,
        text: `It was down on ${toPlainTime(downAt ?? 0)}, and is up again since ${toPlainTime(backAt ?? 0)}. Report it again.`,
      }),
    ),
    ...more("back", count.cameBack, "sites came back after a takedown"),
    ...notDelivered.map(({ report }) =>
      condition(
        `delivery ${report.reference} ${report.delivery}`,
        { title: `The report ${report.reference} was not delivered`, text: whyNotDelivered(report) },
        report.seq,
      ),
    ),
    ...more("delivery", count.notDelivered, "reports were not delivered"),
    ...followUps.map(({ report, takedowns }) => {
      const open = takedowns.filter(({ outcome }) => outcome === "open").map(({ domain }) => domain);
      const names = open.slice(0, namesMax).join(", ");
      const rest = open.length > namesMax ? ` and ${open.length - namesMax} more` : "";
      return condition(
        `follow-up ${report.reference} ${report.followUpAt}`,
        {
          title: `The follow-up of the report ${report.reference} is due`,
          text: `${counted(open.length, "site")} reported to ${recipientOf(report)} on ${toPlainTime(report.createdAt)}: ${names}${rest}. Follow up, or escalate to the next recipient.`,
        },
        report.seq,
      );
    }),
    ...more("follow-up", count.followUps, "follow-ups are due"),
  ];
}

function condition(subject: string, began: { title: string; text: string }, report?: number): Condition {
  return {
    type: "system.takedown_attention",
    key: `takedown ${subject}`,
    state: "holds",
    began,
    ended: { title: "", text: "" },
    graceMs: 0,
    page: report === undefined ? "takedowns" : { report },
  };
}

function more(kind: string, total: number, what: string): Condition[] {
  if (total <= eachMax) return [];
  return [
    condition(`${kind} more`, {
      title: `More than ${eachMax} ${what}`,
      text: "The page Takedowns lists them. Further ones are sent when there are fewer.",
    }),
  ];
}

function whyNotDelivered({ delivery, deliveryResponse, ...report }: Report): string {
  const to = recipientOf(report);
  const words =
    deliveryResponse === null ? "" : ` (${clause(visible(deliveryResponse, serverCharactersMax))})`;
  if (delivery === "bounced") return `The email to ${to} bounced${words}. Report to another recipient.`;
  if (delivery === "interrupted")
    return `Sending the email to ${to} was interrupted${words}. Check the log of the mail server, and send it again if it is not there.`;
  return `All attempts to send the email to ${to} failed${words}. Fix the cause, then send it again.`;
}

function recipientOf({ recipient }: Pick<Report, "recipient">): string {
  return visible(recipient.name, 100);
}
