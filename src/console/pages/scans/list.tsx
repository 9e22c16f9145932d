import { PublicError } from "../../../lib/errors.ts";
import { nextTime } from "../../../lib/schedule.ts";
import { grouped, sentence } from "../../../lib/wording.ts";
import type { Scan } from "../../../scans/tables.ts";
import { PageHead, Section, Time } from "../../kit/components.tsx";
import { splitList } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextField } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { newDomainPath, scanPath, scansPath, startScanPath } from "../../kit/paths.ts";
import { PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { scanDuration, ScannedDomains, ScanPanel, ScanState, triggers, UnknownCount } from "./panel.tsx";

const perPage = 25;
/** Maximum number of domains offered as checkboxes; for more, names are typed in. */
const checkboxesMax = 30;
const limits = [
  { value: "", label: "all, up to 20,000 per domain" },
  { value: "5000", label: "the 5,000 most likely per domain" },
  { value: "1000", label: "the 1,000 most likely per domain" },
  { value: "200", label: "the 200 most likely per domain" },
];

const columns: Column<Scan>[] = [
  {
    title: "Started",
    layout: "tight",
    cell: (scan) => (
      <>
        <a href={scanPath(scan.id)}>
          <Time at={scan.startedAt} />
        </a>
        <br />
        <span class="hint">{triggers[scan.trigger]}</span>
      </>
    ),
  },
  { title: "Domains", layout: "wide", cell: (scan) => <ScannedDomains scan={scan} namesMax={3} /> },
  { title: "State", layout: "tight", cell: (scan) => <ScanState scan={scan} /> },
  { title: "Checked", layout: "number", cell: ({ candidates }) => grouped(candidates) },
  { title: "Exist", layout: "number", cell: ({ resolving }) => grouped(resolving) },
  { title: "Unknown", layout: "number", cell: (scan) => <UnknownCount scan={scan} /> },
  { title: "Threats", layout: "number", cell: ({ threatsFound }) => grouped(threatsFound) },
  { title: "New", layout: "number", cell: ({ threatsCreated }) => grouped(threatsCreated) },
  { title: "Duration", layout: "tight", cell: scanDuration },
];

export function listScans({ services, query, now }: Context<"config" | "domains" | "scans">): PageResult {
  const { scans, domains, config } = services;
  const running = scans.progress();
  const total = scans.totals().byStatus.reduce((sum, one) => sum + one.total, 0);
  const names = domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  const { schedule } = config.scan;
  const next = schedule === null ? null : nextTime(schedule, now);
  const lead = (
    <>
      A scan generates look-alikes of your domains and checks in DNS which of them exist.{" "}
      {next === null ? (
        <>
          No scan is scheduled (<code>scan.schedule</code>).
        </>
      ) : (
        <>
          The next scheduled scan starts <Time at={next} relative="next" />.
        </>
      )}
    </>
  );
  return page(
    "Scans",
    <>
      <PageHead title="Scans" lead={lead} />
      {running === undefined ? (
        <StartForm names={names} />
      ) : (
        <ScanPanel scan={running.scan} progress={running} linked />
      )}
      <Section title="History">
        <PagedTable
          caption="Scans, newest first"
          columns={columns}
          rowsIn={({ limit, offset }) => scans.list(limit, offset)}
          total={total}
          perPage={perPage}
          path={scansPath}
          query={query}
          empty="No scans yet. Start one above, or set scan.schedule in the configuration."
        />
      </Section>
    </>,
  );
}

function StartForm({ names }: { names: readonly string[] }) {
  if (!usePage().may("scan")) return null;
  if (names.length === 0)
    return (
      <div class="empty">
        No domain to scan for. <a href={newDomainPath}>Protect a domain</a> first.
      </div>
    );
  const allHint = "Leave empty to scan for all domains.";
  return (
    <section class="card panel" aria-label="Start scan">
      <Form action={startScanPath}>
        {names.length === 1 ? null : names.length <= checkboxesMax ? (
          <Choices
            label="Domains"
            name="domain"
            choices={names.map((name) => ({ value: name, label: name }))}
            values={[]}
            hint={allHint}
          />
        ) : (
          <TextField label="Domains" name="domain" hint={`Names separated by spaces. ${allHint}`} />
        )}
        <div class="line filters">
          <Select label="Look-alikes" name="limit" choices={limits} />
          <Button label="Start scan" />
        </div>
      </Form>
    </section>
  );
}

export async function startScan({ services, form, by }: Context<"scans">): Promise<PageResult> {
  const domains = form.getAll("domain").flatMap(splitList);
  const limit = limits.some(({ value }) => value !== "" && value === form.get("limit"))
    ? Number(form.get("limit"))
    : undefined;
  let scan: Scan;
  try {
    ({ scan } = await services.scans.begin({ trigger: "console", by, domains, limit }));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return redirect(scansPath, { tone: "danger", text: sentence(error.message) });
  }
  return redirect(scanPath(scan.id));
}
