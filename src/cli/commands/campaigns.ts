import { jsonFields } from "../../platform/lib/key-names.ts";
import type { Campaign, CampaignSummary, CampaignThreat } from "../../response/cases/campaigns/campaigns.ts";
import { reasons } from "../../response/cases/grouping/reasons.ts";
import { dayMs, toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { type CommandGroup, FailedError } from "../terminal/command.ts";
import { jsonFlag, number } from "../terminal/flags.ts";
import { type Column, printJson, printList, printRows, shortTime } from "../terminal/table.ts";
import { shownDomain } from "./threat-details.ts";
import { appCommand } from "../appliance/app-command.ts";

const growthDays = 7;
const threatsShownMax = 5_000;
const valueCharactersMax = 100;

const columns: Column<CampaignSummary>[] = [
  { title: "NUMBER", cell: ({ number: own }) => String(own), right: true },
  { title: "OLDEST NAME", cell: ({ name }) => shownDomain(name), elastic: true },
  { title: "THREATS", cell: ({ size }) => String(size), right: true },
  { title: "ACTIVE", cell: ({ active }) => String(active), right: true },
  { title: "UP", cell: ({ up }) => String(up), right: true },
  { title: "DOWN", cell: ({ down }) => String(down), right: true },
  { title: "REPORTED", cell: ({ reported }) => String(reported), right: true },
  { title: `NEW (${growthDays}D)`, cell: ({ recent }) => String(recent), right: true },
  { title: "SCORE", cell: ({ score }) => String(score), right: true },
  { title: "SEVERITY", cell: ({ highest }) => highest },
  { title: "LAST SEEN", cell: ({ lastSeen }) => shortTime(lastSeen) },
  {
    title: "STRONGEST REASON",
    cell: ({ reasons: [first] }) => (first === undefined ? "" : reasonText(first)),
    elastic: true,
  },
];

const list = appCommand({
  name: "list",
  flags: {
    limit: number("--limit <count>", { minimum: 1, maximum: 100_000, whole: true }, 50),
    json: jsonFlag,
  },
  run({ app: { campaigns }, options, terminal }) {
    const recentSince = Date.now() - growthDays * dayMs;
    const rows = campaigns.list({ limit: options.limit, offset: 0, recentSince });
    printList({ options, terminal }, rows, { columns, none: "no campaigns", json: summaryJson });
  },
});

const threatColumns: Column<CampaignThreat & { ties: string }>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "DOMAIN", cell: ({ domain }) => shownDomain(domain), elastic: true },
  { title: "STATUS", cell: ({ status }) => status },
  { title: "SEVERITY", cell: ({ severity }) => severity },
  { title: "FIRST SEEN", cell: ({ firstSeen }) => shortTime(firstSeen) },
  { title: "IN COMMON", cell: ({ ties }) => ties, elastic: true },
];

const show = appCommand({
  name: "show",
  arguments: "<number>",
  flags: { json: jsonFlag },
  run({ app: { campaigns }, args, options, terminal }) {
    const [text = ""] = args;
    const campaign = /^\d{1,15}$/.test(text) ? campaigns.get(Number(text)) : undefined;
    if (campaign === undefined)
      throw new FailedError(
        `there is no campaign ${visible(text, 30)}: "phishwatch campaigns list" lists them`,
      );
    const threats = campaigns.threats(campaign, { limit: threatsShownMax, offset: 0 });
    const members = threats.map((threat) => threatJson(threat, campaign));
    if (options.json) return printJson(terminal.out, { ...campaignJson(campaign), members });
    printRows(terminal, campaign.reasons, { columns: reasonColumns(campaign), none: "no reasons" });
    terminal.out.write("\n");
    const rows = threats.map((threat) => ({ ...threat, ties: tiesOf(threat, campaign).join(", ") }));
    printRows(terminal, rows, { columns: threatColumns, none: "no threats" });
  },
});

function reasonColumns({ size }: Campaign): Column<Campaign["reasons"][number]>[] {
  return [
    { title: "IN COMMON", cell: ({ reason }) => reasons[reason].name },
    { title: "VALUE", cell: ({ value }) => visible(value, valueCharactersMax), elastic: true },
    { title: "THREATS", cell: ({ threats }) => `${threats} of ${size}`, right: true },
  ];
}

function reasonText({ reason, value }: Campaign["reasons"][number]): string {
  return `${reasons[reason].name}: ${visible(value, valueCharactersMax)}`;
}

function tiesOf(threat: CampaignThreat, campaign: Campaign): string[] {
  return [...new Set(threat.reasons.map((index) => campaign.reasons[index]!.reason))];
}

function campaignJson({ number: own, reasons: found, score, size }: Campaign) {
  const shown = found.map(({ reason, threats, value }) => ({ reason, value, threats }));
  return { number: own, threats: size, score, reasons: shown };
}

function summaryJson(campaign: CampaignSummary): object {
  const { down, firstSeen, highest, lastSeen, up } = campaign;
  return {
    ...campaignJson(campaign),
    ...jsonFields(campaign, "name active"),
    sites_up: up,
    sites_down: down,
    reported: campaign.reported,
    severity: highest,
    first_seen: toIsoTime(firstSeen),
    last_seen: toIsoTime(lastSeen),
    protected_domains: campaign.protectedDomains,
  };
}

function threatJson(threat: CampaignThreat, campaign: Campaign): object {
  return {
    ...jsonFields(threat, "id domain protectedDomain status severity"),
    first_seen: toIsoTime(threat.firstSeen),
    reasons: tiesOf(threat, campaign),
  };
}

export const campaignsCommands: CommandGroup = {
  name: "campaigns",
  commands: [list, show],
};
