import type { Campaign, CampaignThreat } from "../../../../response/cases/campaigns/campaigns.ts";
import { reasons } from "../../../../response/cases/grouping/reasons.ts";
import type { Assignee } from "../../../../response/cases/cases.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { triageThreatsMax } from "../../../../threats/threats/triage/batches.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import type { Recipient } from "../../../../response/cases/recipients/recipient.ts";
import { recipientsOf } from "../../../../response/cases/recipients/recipients.ts";
import { recipientKey } from "../../../../response/cases/takedowns/draft.ts";
import { Bars } from "../../charts/bars.tsx";
import { Card, LinkButton, Section, Time } from "../../kit/components.tsx";
import { Button, Form, HiddenFields, Select } from "../../kit/form.tsx";
import { Name, Text } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, type PageResult, redirect } from "../../kit/page-result.ts";
import {
  assignCampaignPath,
  campaignPath,
  campaignsPath,
  newReportPath,
  threatPath,
  triagePath,
} from "../../kit/paths.ts";
import { column, type Column, Pagination, Table, pageNumber } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { decisions, seenFields } from "../../threat-kit/decisions.tsx";
import { SeverityMark, StatusMark, SiteMark } from "../../threat-kit/threat-marks.tsx";
import {
  accountChoices,
  nobodyChoice,
  assigneeLabel,
  readAssignee,
} from "../../threat-kit/assignee-field.ts";
import { kindLabels } from "../../threat-kit/takedown-parts.tsx";
import { attempt, parseWholeNumber } from "../../kit/fields.ts";

const perPage = 100;
const daysShownMax = 30;
const valueCharactersMax = 200;

type CampaignContext = Context<"campaigns" | "cases" | "enrichment" | "takedowns" | "threats">;

export function showCampaign(context: CampaignContext): PageResult {
  const { services, query } = context;
  const { campaigns, cases, threats } = services;
  // Read before the threats, so that no later decision is replaced.
  const mark = threats.triage.mark();
  const campaign = findCampaign(context);
  const all = campaigns.threats(campaign, { limit: campaign.size, offset: 0 });
  const number = Math.min(pageNumber(query), Math.max(1, Math.ceil(all.length / perPage)));
  const path = campaignPath(campaign.number);
  const name = all[0]?.domain ?? String(campaign.number);
  const active = all.filter(({ status }) => status === "active").length;
  const up = all.filter(({ siteState }) => siteState === "up" || siteState === "back").length;
  const reported = all.filter(({ isReported }) => isReported).length;
  const shown = all.slice((number - 1) * perPage, number * perPage);
  return page(
    {
      title: `Campaign of ${visible(name, 80)}`,
      heading: (
        <>
          Campaign of <Name name={name} />
        </>
      ),
      crumbs: [{ label: "Campaigns", path: campaignsPath }],
      lead: `${counted(campaign.size, "threat")}, ${grouped(active)} active, ${grouped(up)} up, ${grouped(reported)} reported. Score ${campaign.score} of 100. Others may share an attribute on purpose, so check what joins each threat before you decide.`,
    },
    <div class="cols cols-main">
      <div class="stack">
        <Reasons campaign={campaign} />
        <Section title="Threats">
          <Threats campaign={campaign} threats={shown} mark={mark} />
          {all.length <= perPage ? null : (
            <Pagination page={number} perPage={perPage} total={all.length} path={path} query={query} />
          )}
        </Section>
      </div>
      <div class="stack">
        <Reports groups={reportGroups(services, all)} />
        <Assign campaign={campaign} threats={all} assignees={cases.assignees()} />
        <Registrations threats={all} />
      </div>
    </div>,
  );
}

const reasonColumns = (campaign: Campaign): Column<Campaign["reasons"][number]>[] => [
  column("In common", "wide title", ({ reason, value }) => (
    <>
      {reasons[reason].name}
      <p>
        <Text text={visible(value, valueCharactersMax)} />
      </p>
    </>
  )),
  column("Threats", "number state", ({ threats }) => `${grouped(threats)} of ${grouped(campaign.size)}`),
  column("Why it counts", "under", ({ reason }) => reasons[reason].cost),
];

function Reasons({ campaign }: { campaign: Campaign }) {
  return (
    <Section title="Why they belong together">
      <Table
        caption="What the threats have in common"
        columns={reasonColumns(campaign)}
        rows={campaign.reasons}
        empty="The reasons are being computed again."
      />
    </Section>
  );
}

/** The threats with what joins each, inside the form for decisions. */
function Threats(props: { campaign: Campaign; threats: readonly CampaignThreat[]; mark: number }) {
  const { campaign, threats, mark } = props;
  const mayDecide = usePage().may("decide");
  const columns: Column<CampaignThreat>[] = [
    column("Name", "wide title", (threat) => (
      <>
        <label class="check">
          {mayDecide ? (
            <input
              type="checkbox"
              name="id"
              value={threat.id}
              aria-label={`Select ${visible(threat.domain, 80)}`}
            />
          ) : null}
          <a class="ink" href={threatPath(threat.id)}>
            <Name name={threat.domain} />
          </a>
        </label>
        <Ties campaign={campaign} threat={threat} />
      </>
    )),
    column("Status and site", "state", ({ siteState, status }) => (
      <>
        <StatusMark status={status} />
        {siteState === null ? null : (
          <div>
            <SiteMark site={siteState} />
          </div>
        )}
      </>
    )),
    column("Severity", "hidden", ({ severity }) => <SeverityMark severity={severity} />),
    column("Protected domain", "under", ({ protectedDomain }) => <Name name={protectedDomain} />),
    column("First seen", "tight end", ({ firstSeen }) => <Time at={firstSeen} relative />),
  ];
  const table = (
    <Table
      caption="Threats of the campaign, the oldest first"
      columns={columns}
      rows={threats}
      empty="No threats."
    />
  );
  if (!mayDecide) return table;
  return (
    <Form action={triagePath} class="stack">
      <HiddenFields fields={{ back: campaignPath(campaign.number), ...seenFields(mark) }} />
      {table}
      <div class="line">
        <label class="check" data-script-only hidden>
          <input type="checkbox" data-select-all="id" />
          this page
        </label>
        {decisions
          .filter(({ status }) => threats.some((threat) => threat.status !== status))
          .map(({ status, label }) => (
            <button type="submit" name="status" value={status} class="btn">
              {label}
            </button>
          ))}
      </div>
    </Form>
  );
}

/** Reasons that join one threat to the others, and the largest group that it shares something with. */
function Ties({ campaign, threat }: { campaign: Campaign; threat: CampaignThreat }) {
  const shorts = new Set(threat.reasons.map((index) => reasons[campaign.reasons[index]!.reason].short));
  if (shorts.size === 0) return null;
  return <p>Shares {[...shorts].join(", ")}</p>;
}

function Reports({ groups }: { groups: readonly ReportGroup[] }) {
  if (!usePage().may("report") || groups.length === 0) return null;
  return (
    <Card title="Report together">
      <ul class="stack gap-s">
        {groups.map(({ key, recipient, threatIds }) => (
          <li class="stack gap-s">
            <span>
              {kindLabels[recipient.kind]}: <Text text={visible(recipient.name, 60)} />
            </span>
            <div>
              <LinkButton
                path={newReportPath(threatIds, { recipient: key })}
                label={`Report ${counted(threatIds.length, "threat")}`}
                small
              />
            </div>
          </li>
        ))}
      </ul>
      <p class="hint">Opens the report. Nothing is sent until you send it.</p>
    </Card>
  );
}

function Assign(props: {
  assignees: readonly Assignee[];
  campaign: Campaign;
  threats: readonly CampaignThreat[];
}) {
  const { assignees, campaign, threats } = props;
  const active = threats.filter(({ status }) => status === "active");
  // Unassigned threats first, so that a larger campaign can be assigned to the end.
  const next = active
    .toSorted((a, b) => Number(a.assigneeSeq !== null) - Number(b.assigneeSeq !== null))
    .slice(0, triageThreatsMax);
  if (!usePage().may("decide") || active.length === 0) return null;
  return (
    <Card title="Assign together">
      <Form action={assignCampaignPath(campaign.number)} class="stack">
        {next.map(({ id }) => (
          <input type="hidden" name="id" value={id} />
        ))}
        <Select label="Assignee" name="assignee" choices={[nobodyChoice, ...accountChoices(assignees)]} />
        <Button
          label={
            next.length < active.length
              ? `Assign ${grouped(next.length)} of ${grouped(active.length)} active threats`
              : `Assign ${counted(active.length, "active threat")}`
          }
        />
      </Form>
    </Card>
  );
}

/** Number of registrations on each day, the latest days if there are many. */
function Registrations({ threats }: { threats: readonly CampaignThreat[] }) {
  const days = Map.groupBy(
    threats.filter(({ registeredAt }) => /^\d{4}-\d\d-\d\d/.test(registeredAt ?? "")),
    ({ registeredAt }) => registeredAt!.slice(0, 10),
  );
  if (days.size === 0) return null;
  const rows = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(-daysShownMax);
  return (
    <Card title="Registrations">
      <Bars
        caption="Registrations by day (UTC)"
        rows={rows.map(([day, registered]) => ({ label: day, value: registered.length }))}
      />
    </Card>
  );
}

/** @throws PublicError `not_found` */
function findCampaign({ services, params }: Context<"campaigns">): Campaign {
  const campaign = services.campaigns.get(parseWholeNumber(params["number"]) ?? 0);
  if (campaign === undefined)
    throw notFound(
      "There is no campaign with this number. It may have a new one, or its threats no longer have anything in common.",
    );
  return campaign;
}

/** Assigns the threats that the page showed to an account, or unassigns them. Threats that joined since are unchanged. */
export async function assignCampaign(context: Context<"campaigns" | "cases">): Promise<PageResult> {
  const { services, account, form, by, write } = context;
  const { number } = findCampaign(context);
  const ids = form.getAll("id").slice(0, triageThreatsMax);
  const done = await attempt(async () => {
    const assignee = readAssignee(form.get("assignee") ?? "", { account, cases: services.cases });
    if (ids.length === 0) throw badRequest("No threats selected.");
    const { changed } = await write(() => services.cases.assign(ids, assignee?.seq ?? null, { by }));
    return changed === 0
      ? "The assignee is the same as before."
      : `${counted(changed, "threat is", "threats are")} assigned to ${assigneeLabel(assignee)}.`;
  });
  return redirect(campaignPath(number), done.ok ? done.value : { tone: "danger", text: done.message });
}

/** Threats that one report to a recipient can cover. */
interface ReportGroup {
  key: string;
  recipient: Recipient;
  threatIds: string[];
}

/** One report covers at most this many threats. */
const threatsPerReportMax = 100;
/** Finding the recipients of a threat reads its facts. */
const threatsReadMax = 200;
const groupsShownMax = 8;
const kinds: readonly Recipient["kind"][] = ["hoster", "registrar", "registry"];

/** Returns who can act on active threats of a campaign that have no open report, those for the most threats first. */
function reportGroups(
  services: Context<"enrichment" | "takedowns" | "threats">["services"],
  threats: readonly CampaignThreat[],
): ReportGroup[] {
  const groups = new Map<string, ReportGroup>();
  const open = threats
    .filter(({ status }) => status === "active")
    // Unreported ones first, or a large campaign could not be reported to the end.
    .toSorted((a, b) => Number(a.isReported) - Number(b.isReported))
    .slice(0, threatsReadMax);
  for (const { id } of open) {
    const threat = services.threats.get(id);
    if (threat === undefined) continue;
    const facts = services.enrichment.factsOf(id)?.facts;
    const reported = new Set(
      services.takedowns.ofThreat(id).map(({ report }) => recipientKey(report.recipient)),
    );
    for (const recipient of recipientsOf({ threat, facts })) {
      const key = recipientKey(recipient);
      if (!kinds.includes(recipient.kind) || reported.has(key)) continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { key, recipient, threatIds: [id] });
      else if (group.threatIds.length < threatsPerReportMax) group.threatIds.push(id);
    }
  }
  return [...groups.values()]
    .toSorted((a, b) => b.threatIds.length - a.threatIds.length)
    .slice(0, groupsShownMax);
}
