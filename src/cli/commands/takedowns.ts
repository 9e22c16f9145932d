import { jsonFields } from "../../platform/lib/key-names.ts";
import { reportJson, reportViews, type ListedReport } from "../../response/cases/takedowns/lists.ts";
import type { Takedown } from "../../response/cases/takedowns/report.ts";
import type { TakedownFigures, TakedownStatistics } from "../../response/cases/takedowns/statistics.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { type CommandGroup } from "../terminal/command.ts";
import { choice, jsonFlag, number } from "../terminal/flags.ts";
import { printJson, printList, printRows, renderFacts, shortTime, type Column } from "../terminal/table.ts";
import { shownDomain } from "./threat-details.ts";
import { appCommand } from "../appliance/app-command.ts";

const nameCharactersMax = 60;

const reportColumns: Column<ListedReport>[] = [
  { title: "REFERENCE", cell: ({ report }) => report.reference },
  { title: "REPORTED", cell: ({ report }) => shortTime(report.createdAt) },
  { title: "THREAT", cell: ({ takedowns }) => namesOf(takedowns), elastic: true },
  {
    title: "RECIPIENT",
    cell: ({ report }) => visible(report.recipient.name, nameCharactersMax),
    elastic: true,
  },
  { title: "DELIVERY", cell: ({ report }) => report.delivery ?? report.method },
  { title: "DOWN", cell: ({ takedowns }) => `${countDown(takedowns)}/${takedowns.length}`, right: true },
  { title: "NEXT", cell: ({ next }) => next },
];

const list = appCommand({
  name: "list",
  flags: {
    show: choice("--show <view>", reportViews, "all"),
    limit: number("--limit <count>", { minimum: 1, maximum: 10_000, whole: true }, 100),
    json: jsonFlag,
  },
  run({ app: { takedowns }, options, terminal }) {
    const { json, limit, show } = options;
    const { reports, total } = takedowns.list(show, { limit, offset: 0 });
    printList({ options, terminal }, reports, {
      columns: reportColumns,
      none: "no reports",
      json: listedJson,
    });
    if (!json && reports.length < total)
      terminal.err.write(`${reports.length} of ${total} reports; use --limit\n`);
  },
});

const figureColumns: Column<TakedownFigures & { group: string }>[] = [
  { title: "GROUP", cell: ({ group }) => group },
  {
    title: "NAME",
    cell: ({ name }) => (name === null ? "-" : visible(name, nameCharactersMax)),
    elastic: true,
  },
  { title: "REPORTED", cell: ({ reported }) => String(reported), right: true },
  { title: "DOWN", cell: ({ down }) => String(down), right: true },
  { title: "MEDIAN", cell: ({ medianMs }) => (medianMs === null ? "-" : spanText(medianMs)), right: true },
  { title: "OPEN", cell: ({ open }) => String(open), right: true },
  { title: "CAME BACK", cell: ({ cameBack }) => String(cameBack), right: true },
];

const stats = appCommand({
  name: "stats",
  flags: { json: jsonFlag },
  run({ app: { takedowns }, options, terminal }) {
    const statistics = takedowns.statistics();
    if (options.json) printJson(terminal.out, statisticsJson(statistics));
    else {
      const { total } = statistics;
      terminal.out.write(
        renderFacts([
          ["sites reported", total.reported],
          ["went down", total.down],
          ["median time to down", total.medianMs === null ? "-" : spanText(total.medianMs)],
          ["open", total.open],
          ["came back", total.cameBack],
        ]),
      );
      if (total.reported > 0)
        printRows(terminal, groupsOf(statistics), { columns: figureColumns, none: "no reports" });
    }
  },
});

function groupsOf({ hosters, protectedDomains, registrars }: TakedownStatistics) {
  return [
    ...registrars.map((one) => ({ ...one, group: "registrar" })),
    ...hosters.map((one) => ({ ...one, group: "hosting provider" })),
    ...protectedDomains.map((one) => ({ ...one, group: "protected domain" })),
  ];
}

function listedJson({ next, report, takedowns }: ListedReport): object {
  return { ...reportJson(report, undefined), next, threats: takedowns.map(takedownJson) };
}

function takedownJson(takedown: Takedown): object {
  const { countedFrom, downAt } = takedown;
  return {
    ...jsonFields(takedown, "threatId domain reportedAt siteState outcome downAt downState"),
    ms_to_down: downAt === null || countedFrom === null ? null : downAt - countedFrom,
  };
}

function statisticsJson({ hosters, protectedDomains, registrars, slowest, total }: TakedownStatistics) {
  return {
    total: figuresJson(total),
    registrars: registrars.map(figuresJson),
    hosters: hosters.map(figuresJson),
    protected_domains: protectedDomains.map(figuresJson),
    slowest: slowest.map((one) => ({ ...takedownJson(one), waiting_since: toIsoTime(one.waitingSince) })),
  };
}

function figuresJson(figures: TakedownFigures): object {
  return jsonFields(figures, "name reported down medianMs open cameBack");
}

function namesOf(takedowns: readonly Takedown[]): string {
  const [first] = takedowns;
  if (first === undefined) return "-";
  const more = takedowns.length - 1;
  return more === 0 ? shownDomain(first.domain) : `${shownDomain(first.domain)} and ${more} more`;
}

function countDown(takedowns: readonly Takedown[]): number {
  return takedowns.filter(({ outcome }) => outcome === "down").length;
}

export const takedownsCommands: CommandGroup = {
  name: "takedowns",
  commands: [list, stats],
};
