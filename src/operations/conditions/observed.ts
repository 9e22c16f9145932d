import type { DatabaseCopies } from "../backups/open-backups.ts";
import type { ForeignBackup } from "../backups/repository/lineage.ts";
import type { BackupStatus } from "../backups/running/backups.ts";
import type { DiskRoom } from "../../platform/lib/disk.ts";
import type { DatabaseStatus } from "../../platform/database/health/health.ts";
import type { Recipient } from "../../messaging/deliveries/recipients.ts";
import { causeOf, isDisabledForFailing } from "../../messaging/deliveries/rules/recipient-state.ts";
import { dayMs, type Instant, toPlainTime } from "../../platform/lib/clock.ts";
import { clause, counted, ended, sentence } from "../../platform/lib/wording.ts";
import type { ReloadOutcome } from "../../platform/reload/reload.ts";
import type { Scan } from "../../intake/scans/tables.ts";
import { describeOverdue, nameOfSource, type Source } from "../../intake/sources/source.ts";
import type { Condition, News } from "./condition.ts";
import type { TakedownAttention, TakedownNeeds } from "../../response/cases/takedowns/lists.ts";
import type { Report } from "../../response/cases/takedowns/report.ts";
import { visible } from "../../platform/lib/safe-text.ts";

/** Each function turns the state of one part into conditions. */

const minuteMs = 60_000;
/** A file that is being replaced, or a server that restarts, needs no message. */
const unavailableMs = 5 * minuteMs;
const problemMs = 15 * minuteMs;
/** Failures of a recipient that may still be a restart of its service. */
const failuresMin = 3;
const failingMs = 5 * minuteMs;
/** Common authorities have renewed their certificates long before. */
const expiresSoonMs = 14 * dayMs;
/** Length of the result of a check of the file, of which the first words say what is damaged. */
const damageCharactersMax = 200;

/** A source that a person paused has no condition: that person knows. */
export function sourceConditions(sources: readonly Pick<Source, "kind" | "status">[]): Condition[] {
  return sources.flatMap(({ kind, status }) => {
    const { name, state, problem, overdue } = status();
    if (state === "paused") return [];
    const subject = nameOfSource({ kind, name });
    const reasons = [problem, overdue === null ? null : describeOverdue(overdue)];
    const text = reasons.flatMap((reason) => (reason === null ? [] : [sentence(reason)])).join(" ");
    const isBroken = state === "unavailable" || overdue !== null || problem !== null;
    return {
      type: "system.source_stopped",
      key: `source ${kind} ${name}`,
      state: isBroken ? "holds" : state === "waiting" ? "unknown" : "clear",
      began: {
        title: `The ${subject} has stopped`,
        text:
          state === "unavailable"
            ? `${text === "" ? "Nothing can be read." : text} Check its settings in the configuration file, and what phishwatch may read or reach.`
            : text,
      },
      ended: { title: `The ${subject} works again`, text: "" },
      page: "sources",
      graceMs: overdue !== null ? 0 : state === "unavailable" ? unavailableMs : problemMs,
    };
  });
}

/** @param nounOf returns the name of one recipient of a channel, such as "webhook endpoint" */
export function recipientConditions(
  recipients: readonly Recipient[],
  { now, nounOf }: { now: Instant; nounOf: (channel: string) => string },
): Condition[] {
  return recipients.flatMap((recipient) => {
    const { seq, id, name, enabled, disabledReason, consecutiveFailures, failingSince } = recipient;
    if (!enabled && !isDisabledForFailing(disabledReason)) return [];
    const fails =
      !enabled ||
      (consecutiveFailures >= failuresMin && failingSince !== null && now - failingSince >= failingMs);
    const subject = `The ${nounOf(recipient.channel)} ${name}`;
    const cause = causeOf(recipient);
    const last = cause === null ? "" : ` The last attempt: ${clause(cause)}.`;
    return {
      type: "system.endpoint_failing",
      key: `recipient ${id}`,
      state: fails ? "holds" : consecutiveFailures > 0 ? "unknown" : "clear",
      began: enabled
        ? {
            title: `${subject} is failing`,
            text: `${counted(consecutiveFailures, "attempt")} failed in a row.${last} Deliveries are repeated until they succeed or their retries are used up.`,
          }
        : {
            title: `${subject} was disabled because it failed`,
            text: `Its deliveries are kept.${last} Enable it when the problem is solved.`,
          },
      ended: { title: `${subject} works again`, text: "" },
      page: recipient.channel === "webhook" ? { endpoint: id } : { channel: id },
      exceptRecipient: seq,
    };
  });
}

/** @param last the latest scan that completed or failed */
export function scanCondition(last: Pick<Scan, "status" | "error"> | undefined): Condition {
  return {
    type: "system.scan_failed",
    key: "scan",
    state: last === undefined ? "unknown" : last.status === "failed" ? "holds" : "clear",
    began: {
      title: "The last scan failed",
      text: last?.error === null || last === undefined ? "" : sentence(last.error),
    },
    ended: { title: "A scan completed again", text: "" },
    page: "scans",
  };
}

/** @param problem why no name can be looked up; null: names can be; undefined: not known yet */
export function resolverCondition(problem: string | null | undefined): Condition {
  return {
    type: "system.scan_failed",
    key: "resolvers",
    state: problem === undefined ? "unknown" : problem === null ? "clear" : "holds",
    began: { title: "Lookups in DNS fail", text: sentence(problem ?? "") },
    ended: { title: "Lookups in DNS work again", text: "" },
    page: "scans",
    graceMs: unavailableMs,
  };
}

/** @param last the last reload of the configuration file; undefined: none since the start */
export function reloadCondition(last: Pick<ReloadOutcome, "errors" | "result"> | undefined): Condition {
  const errors = last?.result === "failed" ? last.errors : undefined;
  return {
    type: "system.reload_failed",
    key: "reload",
    state: errors === undefined ? "clear" : "holds",
    began: {
      title: "The configuration file cannot be applied",
      text: `${ended(errors?.join("; ") ?? "")} The previous configuration stays in effect.`,
    },
    ended: { title: "The configuration file can be applied again", text: "" },
    graceMs: minuteMs,
  };
}

/** @param certificates each with its use, such as "server certificate", and the end of its validity */
export function certificateConditions(
  certificates: readonly { use: string; path: string; endsAt: Instant }[],
  now: Instant,
): Condition[] {
  return certificates.map(({ use, path, endsAt }) => {
    const leftMs = endsAt - now;
    const when = leftMs <= 0 ? "has expired" : `expires in ${counted(Math.ceil(leftMs / dayMs), "day")}`;
    return {
      type: "system.certificate_expiring",
      key: `certificate ${path}`,
      state: leftMs <= expiresSoonMs ? "holds" : "clear",
      began: {
        title: `The ${use} ${when}`,
        text: `The certificate in ${path} ${leftMs <= 0 ? "was" : "is"} valid until ${toPlainTime(endsAt)}. Replace the file: phishwatch uses the new certificate within seconds.`,
      },
      ended: { title: `The ${use} was renewed`, text: `It is valid until ${toPlainTime(endsAt)}.` },
    };
  });
}

/** @param disk undefined: in memory, or not known */
export function diskCondition(disk: DiskRoom | undefined): Condition {
  return {
    type: "system.disk_filling",
    key: "disk",
    state: disk === undefined ? "unknown" : disk.level === "ok" ? "clear" : "holds",
    began: {
      title: `The disk of the database is ${disk?.level === "full" ? "full" : "nearly full"}`,
      text: `${disk?.text ?? ""}. Make room on the disk: phishwatch stops recording when it is full.`,
    },
    ended: { title: "The disk of the database has enough room again", text: `${disk?.text ?? ""}.` },
  };
}

/**
 * @param quickCheck last check of the whole file
 * @param problem why the server cannot work as it should
 */
export function databaseCondition({
  problem,
  quickCheck,
}: Pick<DatabaseStatus, "problem" | "quickCheck">): Condition {
  const damage = quickCheck === null || quickCheck.result === "ok" ? undefined : quickCheck.result;
  return {
    type: "system.database_failing",
    key: "database",
    state:
      damage !== undefined || problem !== undefined ? "holds" : quickCheck === null ? "unknown" : "clear",
    began:
      damage === undefined
        ? { title: "The database fails", text: sentence(problem ?? "") }
        : {
            title: "The database file is damaged",
            text: `The check of the whole file found: ${damage.slice(0, damageCharactersMax)}. No change is accepted. Stop the server, and run 'phishwatch database repair'.`,
          },
    ended: { title: "The database works again", text: "" },
    graceMs: damage === undefined ? minuteMs : 0,
  };
}

/**
 * @param copy the latest download of the database
 * @param status of the backups of the whole appliance, of which commands make some, too
 */
export function backupCondition(
  copy: ReturnType<DatabaseCopies["latest"]>,
  { completed, failure, foreign }: Pick<BackupStatus, "completed" | "failure" | "foreign">,
): Condition {
  const isKnown = copy !== undefined || completed !== null || failure !== null;
  const error = failure?.error ?? copy?.error ?? null;
  return {
    type: "system.backup_failed",
    key: "backup",
    state: error !== null || foreign !== null ? "holds" : isKnown ? "clear" : "unknown",
    began:
      error === null && foreign !== null
        ? { title: "Another appliance writes to the same backups", text: foreignText(foreign) }
        : { title: "The last backup failed", text: sentence(error ?? "") },
    ended: { title: "A backup was made again", text: "" },
  };
}

function foreignText({ id, host }: ForeignBackup): string {
  return `The machine ${host} made the backup ${id} with a copy of this database. Stop one of the two appliances, or give it another folder or prefix.`;
}

/** A scheduled backup that was not made, for example because the machine was off or the last one is still running. */
export function overdueCondition({
  completed,
  overdueSince,
  schedule,
}: Pick<BackupStatus, "completed" | "overdueSince" | "schedule">): Condition {
  const last = completed === null ? "none was ever made" : `the last one is of ${toPlainTime(completed.at)}`;
  return {
    type: "system.backup_failed",
    key: "backup overdue",
    state: overdueSince !== null ? "holds" : schedule === null ? "unknown" : "clear",
    began: {
      title: "A scheduled backup is missing",
      text: `A backup was due on ${toPlainTime(overdueSince ?? 0)}, and ${last}. Make one with 'phishwatch backup' or on the page System: if it fails, its error says why.`,
    },
    ended: { title: "A scheduled backup was made again", text: "" },
  };
}

/** @param publishedAt when the publisher wrote the list; null: there is none */
export function logListNews({
  origin,
  publishedAt,
}: {
  origin: string;
  publishedAt: Instant | null;
}): News[] {
  if (publishedAt === null) return [];
  const written = toPlainTime(publishedAt);
  return [
    {
      type: "system.log_list_updated",
      key: `log list ${origin}`,
      version: written,
      page: "sources",
      title: "A new list of certificate logs is in use",
      text: `The list was published on ${written}. The page Sources shows which logs are followed.`,
    },
  ];
}

/** Conditions of each kind. Beyond that, one further condition says that there are more. */
const eachMax = 10;
const namesMax = 3;
const serverCharactersMax = 200;

/**
 * Returns what needs a person: one condition for each site that came back, report that was not delivered and follow-up that
 * is due. The oldest come first, so that a condition stays in its place until a person has acted. Its end is not sent: the
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
