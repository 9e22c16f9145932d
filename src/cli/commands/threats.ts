import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundleWithReport } from "../../response/cases/takedowns/files.ts";
import { gatherEvidence } from "../../response/evidence/evidence-bundle.ts";
import { messageOf, codeOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, type CommandDefinition, type CommandGroup, FailedError } from "../terminal/command.ts";
import { configFlag, jsonFlag, number } from "../terminal/flags.ts";
import { toListObject } from "../../threats/threats/api-object.ts";
import type { ListedThreat } from "../../threats/threats/store/queries.ts";
import { newestFirst, tableFilterOf } from "../../threats/index/filter.ts";
import type { Status } from "../../platform/vocabulary/threats.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { type Column, printJson, printRows, renderFacts, shortTime } from "../terminal/table.ts";
import { assignCommand, dueCommand, readIds } from "./threat-case.ts";
import { notesCommand, shownDomain, threatJson, threatRows } from "./threat-details.ts";
import { exportCommand } from "./threat-export.ts";
import { filterFlags, filterOf } from "./threat-filter.ts";
import { appCommand } from "../appliance/app-command.ts";

const evidenceCommand = appCommand({
  name: "evidence",
  arguments: "<id> <file>",
  flags: {},
  async run({ app: { threats, enrichment, eventLog, deliveries }, args, config: { takedown }, terminal }) {
    const [id = "", file = ""] = args;
    const target = resolve(file);
    const evidence = await gatherEvidence({ threats, enrichment, eventLog, deliveries: deliveries.log }, id);
    if (evidence === undefined) throw new FailedError(`there is no threat ${visible(id, 100)}`);
    try {
      // As private as the database.
      const bundle = bundleWithReport(evidence, { now: Date.now(), signature: takedown.signature });
      writeFileSync(target, bundle, { flag: "wx", mode: 0o600 });
    } catch (error) {
      const exists = codeOf(error) === "EEXIST";
      const why = exists ? "it already exists" : messageOf(error);
      throw new FailedError(`cannot write ${visible(target, 1_000)}: ${visible(why, 300)}`);
    }
    terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
  },
});

const rowsPerQuery = 1_000;

const columns: Column<ListedThreat>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "DOMAIN", cell: ({ domain }) => shownDomain(domain), elastic: true },
  { title: "PROTECTED DOMAIN", cell: ({ protectedDomain }) => protectedDomain, elastic: true },
  { title: "TYPE", cell: ({ type }) => type },
  { title: "STATUS", cell: ({ status }) => status },
  { title: "SEVERITY", cell: ({ severity }) => severity },
  { title: "SIMILARITY", cell: ({ similarity }) => similarity.toFixed(4), right: true },
  { title: "FIRST SEEN", cell: ({ firstSeen }) => shortTime(firstSeen) },
];

const list = appCommand({
  name: "list",
  flags: {
    ...filterFlags,
    limit: number("--limit <count>", { minimum: 1, maximum: 10_000_000, whole: true }, 50),
    json: jsonFlag,
  },
  async run({ app: { threats, threatIndex }, options, terminal, config: { server } }) {
    const { limit, json } = options;
    const filter = filterOf(options);
    const tableFilter = tableFilterOf(filter);
    const read = (page: number, perPage: number) =>
      tableFilter === undefined
        ? threatIndex().search(filter, newestFirst, { page, perPage })
        : threats.list(tableFilter, { page, perPage });
    const perPage = Math.min(limit, rowsPerQuery);
    const rows: ListedThreat[] = [];
    let total: number;
    let shown = 0;
    for (let page = 1; ; page++) {
      const result = await read(page, perPage);
      total = result.total;
      const part = result.threats.slice(0, limit - shown);
      shown += part.length;
      if (json) for (const threat of part) printJson(terminal.out, toListObject(threat, server.publicUrl));
      else rows.push(...part);
      if (part.length < perPage || shown >= limit) break;
    }
    if (json) return;
    printRows(terminal, rows, { columns, none: "no threats" });
    if (shown < total) terminal.err.write(`${shown} of ${total} threats; --limit ${total} lists all\n`);
  },
});

const show = appCommand({
  name: "show",
  arguments: "<id>",
  flags: { json: jsonFlag },
  run({ app: { cases, enrichment, threats }, args, options, terminal, config: { server } }) {
    const [id = ""] = args;
    const threat = threats.get(id);
    if (threat === undefined) throw new FailedError(`there is no threat ${visible(id, 100)}`);
    const known = enrichment.factsOf(id);
    const history = threats.history(id);
    const notes = threats.notes.list(id);
    const details = { threat, work: cases.of(id)!, known, history, notes, origins: threats.origins(id) };
    if (options.json) printJson(terminal.out, threatJson({ ...details, publicUrl: server.publicUrl }));
    else terminal.out.write(renderFacts(threatRows(details)));
  },
});

function triage(name: string, status: Status): CommandDefinition {
  return command({
    name,
    arguments: "<id...>",
    flags: { json: jsonFlag, config: configFlag },
    async run({ args, options, terminal }) {
      const ids = await readIds(args);
      await withAppliance({ terminal, options }, ({ threats }) => {
        const changes = threats.changeStatus(ids, status, { by: actorOfShell(terminal.env) });
        for (const change of changes) {
          const after = "status" in change ? change.status : undefined;
          if (options.json)
            printJson(terminal.out, { id: change.id, outcome: change.outcome, status: after });
          else terminal.out.write(`${visible(change.id, 100)}\t${change.outcome}\t${after ?? ""}\n`);
        }
        const missing = changes.filter(({ outcome }) => outcome === "not_found").length;
        if (missing > 0) throw new FailedError(`${missing} of ${changes.length} threats do not exist`);
      });
    },
  });
}

export const threatsCommands: CommandGroup = {
  name: "threats",
  commands: [
    list,
    exportCommand,
    show,
    triage("resolve", "resolved"),
    triage("false-positive", "false_positive"),
    triage("reactivate", "active"),
    assignCommand,
    dueCommand,
    notesCommand,
    evidenceCommand,
  ],
};
