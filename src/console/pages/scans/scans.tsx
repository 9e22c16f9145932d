import { nextTime } from "../../../lib/schedule.ts";
import { notFound, PublicError } from "../../../lib/errors.ts";
import { grouped, sentence } from "../../../lib/wording.ts";
import type { Scan } from "../../../scans/tables.ts";
import { fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { listIn } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextField } from "../../kit/form.tsx";
import { PageHead, Section, Time } from "../../kit/kit.tsx";
import { newDomainPath, scanPath, scansPath, startScanPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { scanDuration, ScannedDomains, ScanPanel, ScanState, ScanTimes, triggers } from "./scan-panel.tsx";
import { pageNumber, Pagination, Table, type Column } from "../../kit/table.tsx";

const perPage = 25;
/** More boxes than these are no help to anybody: names are typed in then. */
const boxesMax = 30;
const limits = [
  { value: "", label: "all, up to 20,000 of each domain" },
  { value: "5000", label: "the 5,000 most likely of each" },
  { value: "1000", label: "the 1,000 most likely of each" },
  { value: "200", label: "the 200 most likely of each" },
];

const columns: Column<Scan>[] = [
  {
    title: "Begun",
    look: "tight",
    cell: (scan) => (
      <a href={scanPath(scan.id)}>
        <Time at={scan.startedAt} />
      </a>
    ),
  },
  { title: "Domains", look: "wide", cell: (scan) => <ScannedDomains scan={scan} namesMax={3} /> },
  { title: "By", look: "tight", cell: ({ trigger }) => triggers[trigger] },
  { title: "State", cell: (scan) => <ScanState scan={scan} /> },
  { title: "Looked up", look: "number", cell: ({ candidates }) => grouped(candidates) },
  { title: "Exist", look: "number", cell: ({ resolving }) => grouped(resolving) },
  { title: "Threats", look: "number", cell: ({ threatsFound }) => grouped(threatsFound) },
  { title: "New", look: "number", cell: ({ threatsCreated }) => grouped(threatsCreated) },
  { title: "Took", look: "tight", cell: scanDuration },
];

/** Scans: what runs, starting one, and what was. */
export const scanPages = pageGroup({
  nav: { section: "main", label: "Scans", path: scansPath },
  services: ["config", "domains", "scans"],
  routes: [
    { method: "GET", path: scansPath, permission: "read", run: showAll },
    { method: "POST", path: startScanPath, permission: "scan", run: start },
    { method: "GET", path: `${scansPath}/:id`, permission: "read", run: showOne },
    { method: "GET", path: `${scansPath}/:id/panel`, permission: "read", run: showPanel },
    { method: "POST", path: `${scansPath}/:id/cancel`, permission: "scan", run: cancel },
  ],
});

function showAll({ services, query, now }: Context<"config" | "domains" | "scans">): PageResult {
  const { scans, domains, config } = services;
  const running = scans.progress();
  const shown = pageNumber(query);
  const total = scans.totals().byStatus.reduce((sum, one) => sum + one.total, 0);
  const names = domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  const { schedule } = config.scan;
  const next = schedule === null ? null : nextTime(schedule, now);
  const lead = (
    <>
      A scan makes the look-alikes of your domains and looks up which of them exist.{" "}
      {next === null ? (
        <>
          None is scheduled (<code>scan.schedule</code>).
        </>
      ) : (
        <>
          The next one by schedule begins <Time at={next} relative />.
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
        <ScanPanel scan={running.scan} progress={running} />
      )}
      <Section title="History">
        <Table
          caption="Scans, newest first"
          columns={columns}
          rows={scans.list(perPage, (shown - 1) * perPage)}
          empty="No scan has run yet."
        />
        {total > perPage ? (
          <Pagination page={shown} perPage={perPage} total={total} path={scansPath} query={query} />
        ) : null}
      </Section>
    </>,
  );
}

function StartForm({ names }: { names: readonly string[] }) {
  if (names.length === 0)
    return (
      <div class="empty">
        There is no protected domain to scan for. <a href={newDomainPath}>Add one</a> first.
      </div>
    );
  const all = "None chosen: all of them.";
  return (
    <section class="card panel" aria-label="Start a scan">
      <Form action={startScanPath}>
        {names.length === 1 ? null : names.length <= boxesMax ? (
          <Choices
            label="Domains"
            name="domain"
            choices={names.map((name) => ({ value: name, label: name }))}
            values={[]}
            hint={all}
          />
        ) : (
          <TextField label="Domains" name="domain" hint={`Names with blanks between them. ${all}`} />
        )}
        <div class="filters">
          <Select label="Look-alikes" name="limit" choices={limits} />
          <Button label="Start a scan" />
        </div>
      </Form>
    </section>
  );
}

function start({ services, form, by }: Context<"scans">): PageResult {
  const domains = form.getAll("domain").flatMap(listIn);
  const limit = limits.some(({ value }) => value !== "" && value === form.get("limit"))
    ? Number(form.get("limit"))
    : undefined;
  let scan: Scan;
  try {
    ({ scan } = services.scans.begin({ trigger: "console", by, domains, limit }));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return redirect(scansPath, { tone: "danger", text: sentence(error.message) });
  }
  return redirect(scanPath(scan.id));
}

function find({ services, params }: Context<"scans">): Scan {
  const scan = services.scans.get(params["id"]!);
  if (scan === undefined) throw notFound("There is no scan with this identifier.");
  return scan;
}

/** As it stands now: the table lags behind. */
function panelOf(context: Context<"scans">) {
  const progress = context.services.scans.progress();
  const scan = find(context);
  const own = progress?.scan.id === scan.id ? progress : undefined;
  return <ScanPanel scan={own?.scan ?? scan} progress={own} />;
}

function showOne(context: Context<"scans">): PageResult {
  const scan = find(context);
  return page(
    "Scan",
    <>
      <PageHead
        title={
          <>
            Scan of <ScannedDomains scan={scan} namesMax={3} />
          </>
        }
        back={{ label: "Scans", path: scansPath }}
      />
      {panelOf(context)}
      <Section title="When and by whom">
        <ScanTimes scan={scan} />
      </Section>
    </>,
  );
}

function showPanel(context: Context<"scans">): PageResult {
  return fragment(panelOf(context));
}

function cancel(context: Context<"scans">): PageResult {
  const { id } = find(context);
  const { services, by } = context;
  if (!services.scans.cancel(id, by))
    return redirect(scanPath(id), { tone: "warning", text: "The scan had ended before." });
  return redirect(scanPath(id), "The scan ends within a second; what it found stays.");
}
