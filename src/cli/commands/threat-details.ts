import { actorJson, describeActor } from "../../access/audit/actor.ts";
import { type Instant, optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Note } from "../../threats/threats/triage/notes.ts";
import { FailedError } from "../terminal/command.ts";
import { jsonFlag } from "../terminal/flags.ts";
import { printJson, shortTime } from "../terminal/table.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import type { Assignee, Case } from "../../response/cases/cases.ts";
import { displayName } from "../../engines/detection/names/name.ts";
import { factsJson, inspectionJson } from "../../facts/enrichment/facts/facts-json.ts";
import { type Facts, networkName } from "../../facts/enrichment/facts/facts.ts";
import { toDetailObject } from "../../threats/threats/api-object.ts";
import { originsJson } from "../../threats/threats/origins-json.ts";
import { reasonsJson } from "../../threats/threats/reasons-json.ts";
import { explainSeverity } from "../../threats/threats/severity/explain-severity.ts";
import { describeSeverityReason } from "../../threats/threats/severity/severity-reasons.ts";
import type { Origins } from "../../threats/threats/store/origins.ts";
import type { Threat } from "../../threats/threats/store/queries.ts";
import { describeSimilarityReason } from "../../threats/threats/severity/similarity-reasons.ts";
import type { DatedChange } from "../../threats/threats/triage/history.ts";
import { appCommand } from "../appliance/app-command.ts";

/** Maximum length of a displayed line; longer than any note. */
const lineCharactersMax = 4_000;

export const notesCommand = appCommand({
  name: "notes",
  arguments: "<id> [text]",
  flags: { json: jsonFlag },
  async run({ app: { threats }, args, options, terminal, by }) {
    const [id = "", given] = args;
    if (threats.get(id) === undefined) throw new FailedError(`there is no threat ${visible(id, 100)}`);
    const text = given === "-" ? await Bun.stdin.text() : given;
    const notes = text === undefined ? threats.notes.list(id) : [threats.notes.add(id, text, { by })];
    for (const note of notes) {
      if (options.json) printJson(terminal.out, noteJson(note));
      else
        terminal.out.write(
          noteLines(note)
            .map((line) => `${line}\n`)
            .join(""),
        );
    }
  },
});

function noteJson({ at, text, by }: Note): object {
  return { at: toIsoTime(at), by: actorJson(by), text };
}

/** Returns the lines of a note: a heading with time and author, then the text. */
function noteLines({ at, text, by }: Note): string[] {
  const lines = text.split("\n").map((line) => visible(line, lineCharactersMax));
  return [`${shortTime(at)}  ${describeActor(by)}:`, ...lines.map((line) => `  ${line}`)];
}

interface Known {
  facts: Facts;
  checkedAt: Instant | null;
  dueAt: Instant;
}

type Certificate = Origins["certificates"][number];

interface Details {
  threat: Threat;
  work: Case;
  known: Known | undefined;
  history: readonly DatedChange[];
  notes: readonly Note[];
  origins: Origins;
}

type Row = [name: string, value: string | null];

/** Returns everything known about a threat as rows of a name and a value. */
export function threatRows({ threat, work, known, history, notes, origins }: Details): Row[] {
  const registration = Object.entries(threat.whois).map(([name, value]): Row => [
    `whois ${name}`,
    Array.isArray(value) ? value.join(", ") : String(value),
  ]);
  return [
    ["id", threat.id],
    ["domain", shownDomain(threat.domain)],
    ["protected domain", threat.protectedDomain],
    ["type", threat.type],
    ["status", threat.status],
    ["site state", siteLine(work)],
    ["assignee", work.assignee === null ? null : assigneeLine(work.assignee)],
    ["due", optionalIsoTime(work.dueAt)],
    ["severity", explainSeverity(threat)],
    ["verified", threat.verified ? "yes" : "no: only the name is known"],
    ...listed("severity reasons", threat.severityReasons.map(describeSeverityReason)),
    ["similarity", threat.similarity.toFixed(4)],
    ...listed("similarity reasons", threat.reasons.map(describeSimilarityReason)),
    ["source", threat.source],
    ["first seen", toIsoTime(threat.firstSeen)],
    ["recorded", toIsoTime(threat.createdAt)],
    ["ip address", threat.ipAddress],
    ["registrar", threat.registrar],
    ...registration,
    ...(known === undefined ? [] : factRows(known)),
    ...listed("certificates", origins.certificates.map(certificateLine)),
    ...listed(
      "addresses named",
      origins.urls.map(({ url }) => visible(url, 200)),
    ),
    ...listed("notes", notes.flatMap(noteLines)),
    ...listed(
      "history",
      history.map(
        ({ at, field, before, after, by }) =>
          `${shortTime(at)}  ${field}: ${before ?? "–"} → ${after ?? "–"}${by === null ? "" : `  (${describeActor(by)})`}`,
      ),
    ),
  ];
}

/** Returns the object of the API, with additional fields. */
export function threatJson({
  threat,
  work,
  known,
  history,
  notes,
  origins,
  publicUrl,
}: Details & { publicUrl: string }): object {
  return {
    ...toDetailObject(threat, publicUrl),
    assignee: work.assignee?.name ?? null,
    ...jsonFields(work, "dueAt siteState"),
    site_state_since: optionalIsoTime(work.siteStateAt),
    verified: threat.verified,
    ...reasonsJson(threat),
    ...jsonFields({ lookedAt: known?.checkedAt, nextLookAt: known?.dueAt }),
    facts: known === undefined ? null : factsJson(known.facts),
    inspection: inspectionJson(known?.facts ?? {}),
    ...originsJson(origins),
    history: history.map(({ at, by, ...change }) => ({
      at: toIsoTime(at),
      ...change,
      by: by === null ? null : actorJson(by),
    })),
    notes: notes.map(noteJson),
  };
}

function siteLine({ siteState, siteStateAt }: Case): string | null {
  if (siteState === null) return null;
  return siteStateAt === null ? siteState : `${siteState} since ${shortTime(siteStateAt)}`;
}

function assigneeLine({ isAvailable, name }: Assignee): string {
  return `${visible(name, 60)}${isAvailable ? "" : " (cannot decide any more)"}`;
}

function factRows({ facts, checkedAt, dueAt }: Known): Row[] {
  const { existence, networks = [], page, unknown } = facts;
  const rows: Row[] = [];
  if (existence !== undefined)
    rows.push(
      ["in DNS", existence.exists],
      ["addresses", existence.addresses.join(", ") || null],
      ["mail servers", existence.mailServers.join(", ") || null],
      ["name servers", existence.nameServers.join(", ") || null],
    );
  if (page !== undefined)
    rows.push(["page", `${page.status} ${page.finalUrl}`], ["page title", page.title || null]);
  const imitation = page?.imitation;
  if (imitation !== undefined) {
    const { imitates, protectedDomain, score } = imitation;
    rows.push([
      "page compared",
      `${imitates ? "imitates" : "does not imitate"} ${protectedDomain}, score ${score}`,
    ]);
  }
  for (const network of networks) {
    const contact = network.abuseEmail === undefined ? "" : `, ${network.abuseEmail}`;
    rows.push(["network", `${networkName(network)}${contact}`]);
  }
  for (const [what, reason] of Object.entries(unknown)) rows.push([`${what} unknown`, reason]);
  rows.push(["last checked", optionalIsoTime(checkedAt)], ["next check", toIsoTime(dueAt)]);
  return rows;
}

function certificateLine({ issuer, serial, log, index, isVerified, seenAt }: Certificate): string {
  const unverified = isVerified ? "" : " (unverified)";
  const by = issuer === "" ? "" : ` by ${visible(issuer, 120)}, serial ${serial}`;
  return `${shortTime(seenAt)}  entry ${index} of ${log}${unverified}${by}`;
}

/** Returns one row per text, with the name in the first one. */
function listed(name: string, texts: readonly string[]): Row[] {
  return texts.map((text, index): Row => [index === 0 ? name : "", text]);
}

/** Returns the name as in DNS, followed by its Unicode form if that differs. */
export function shownDomain(domain: string): string {
  const display = displayName(domain);
  return display === domain ? domain : `${domain} (${display})`;
}
