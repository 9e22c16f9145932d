import { FieldError, PublicError, notFound } from "../../../../platform/lib/errors.ts";
import { nextTime } from "../../../../platform/lib/schedule.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { grouped, sentence, counted } from "../../../../platform/lib/wording.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import { scansPath, startScanPath, newDomainPath, scanPath } from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { Card, LinkButton, Section, Time } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { splitList } from "../../kit/fields.ts";
import { choicesOf, Button, Form, Select } from "../../kit/form.tsx";
import { OnlyThese, readOnlyThese } from "../../kit/only-these.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, redirect, type PageResult, fragment } from "../../kit/page-result.ts";
import { column, Empty, PagedTable, type Column } from "../../kit/table.tsx";
import { createdPath } from "../../threat-kit/filters.ts";
import {
  NewThreats,
  scanCause,
  scanDuration,
  ScannedDomains,
  ScanPanel,
  ScanState,
  triggers,
  ScanProblem,
  ScanTimes,
} from "./panel.tsx";

/** Scans: list, start, watch, cancel. */
export const scanPages: PageGroup = {
  nav: { section: "main", label: "Scans", icon: "scan", path: scansPath },
  routes: [
    { method: "GET", path: scansPath, permission: "read", run: listScans },
    { method: "POST", path: startScanPath, permission: "scan", run: startScan },
    { method: "GET", path: `${scansPath}/:id`, permission: "read", run: showScan },
    { method: "GET", path: `${scansPath}/:id/panel`, permission: "read", run: showPanel },
    { method: "POST", path: `${scansPath}/:id/cancel`, permission: "scan", run: cancelScan },
  ],
};

const perPage = 25;
const causeCharactersMax = 90;
/** Maximum number of domains offered as checkboxes; for more, names are typed in. */
const checkboxesMax = 30;
const limits = [
  { value: "", label: "all, up to 20,000 per domain" },
  { value: "5000", label: "the 5,000 most likely per domain" },
  { value: "1000", label: "the 1,000 most likely per domain" },
  { value: "200", label: "the 200 most likely per domain" },
];

const columns: Column<Scan>[] = [
  column("Scan", "wide title", (scan) => (
    <>
      <a class="ink" href={scanPath(scan.id)}>
        <ScannedDomains scan={scan} namesMax={2} />
      </a>
      <p>
        <Time at={scan.startedAt} relative /> · {triggers[scan.trigger]}
      </p>
    </>
  )),
  column("State", "state", (scan) => {
    const cause = scanCause(scan);
    return (
      <>
        <ScanState scan={scan} />
        {cause === undefined ? null : <p class="hide-s">{visible(cause, causeCharactersMax)}</p>}
      </>
    );
  }),
  column("Checked", "number hidden", ({ candidates }) => grouped(candidates)),
  column("Exist", "number under", ({ resolving }) => (
    <>
      {grouped(resolving)}
      <span class="unit"> {resolving === 1 ? "look-alike exists" : "look-alikes exist"}</span>
    </>
  )),
  column("Unknown", "number hidden", ({ unknown }) => grouped(unknown)),
  column("Threats", "number hidden", ({ threatsFound }) => grouped(threatsFound)),
  column("New threats", "number end", (scan) => <NewThreats scan={scan} inTable />),
  column("Duration", "number hidden", scanDuration),
];

function listScans(context: Context<"config" | "domains" | "scans">): PageResult {
  const { services, now, may } = context;
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
    { title: "Scans", lead },
    <>
      {running === undefined ? (
        <StartForm names={names} />
      ) : (
        <ScanPanel scan={running.scan} progress={running} linked />
      )}
      <Section title="History" aside={<Help topic="unknown_look_alike" />}>
        <PagedTable
          caption="Scans, newest first"
          columns={columns}
          rowsIn={({ limit, offset }) => scans.list(limit, offset)}
          total={total}
          perPage={perPage}
          empty={
            may("scan")
              ? "No scans yet. Start one above, or set scan.schedule in the configuration."
              : "No scans yet. Analysts and administrators can start one."
          }
        />
      </Section>
    </>,
  );
}

function StartForm({ names }: { names: readonly string[] }) {
  if (!usePage().may("scan")) return null;
  if (names.length === 0)
    return (
      <Empty
        title="No protected domains yet"
        action={<LinkButton path={newDomainPath} label="Add domain" icon="plus" variant="primary" />}
      >
        A scan checks the look-alikes of protected domains.
      </Empty>
    );
  return (
    <Card title="Start a scan">
      <Form action={startScanPath} class="stack">
        {names.length === 1 ? null : (
          <OnlyThese
            label="Domains"
            name="domain"
            all={`All ${grouped(names.length)} protected domains`}
            choices={names.length > checkboxesMax ? undefined : choicesOf(names, (name) => visible(name))}
          >
            <textarea
              class="input"
              name="domain"
              rows={4}
              aria-label="Domains, one per line"
              placeholder="One per line"
            />
          </OnlyThese>
        )}
        <div class="line filters">
          <Select label="Look-alikes" name="limit" choices={limits} />
          <Button label="Start scan" icon="scan" variant="primary" />
        </div>
      </Form>
    </Card>
  );
}

async function startScan({ services, form, by }: Context<"scans">): Promise<PageResult> {
  const limit = limits.some(({ value }) => value !== "" && value === form.get("limit"))
    ? Number(form.get("limit"))
    : undefined;
  try {
    const domains = readOnlyThese(form, "domain", form.getAll("domain").flatMap(splitList));
    const { scan } = await services.scans.begin({ trigger: "console", by, domains, limit });
    return redirect(scanPath(scan.id));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const text =
      error instanceof FieldError ? "Choose at least one domain, or choose all." : sentence(error.message);
    return redirect(scansPath, { tone: "danger", text });
  }
}

function findScan({ services, params }: Context<"scans">): Scan {
  const scan = services.scans.get(params["id"]!);
  if (scan === undefined) throw notFound("There is no scan with this ID.");
  return scan;
}

/** Renders the live progress of a running scan: its row in the table lags behind. */
function panelOf(context: Context<"scans">) {
  const progress = context.services.scans.progress();
  const scan = findScan(context);
  const own = progress?.scan.id === scan.id ? progress : undefined;
  return <ScanPanel scan={own?.scan ?? scan} progress={own} />;
}

function showScan(context: Context<"auditLog" | "scans">): PageResult {
  const scan = findScan(context);
  const by = context.services.auditLog.actorOf("scan.start", { subject: scan.id });
  return page(
    {
      title: "Scan",
      heading: (
        <>
          Scan of <ScannedDomains scan={scan} namesMax={3} />
        </>
      ),
      crumbs: [{ label: "Scans", path: scansPath }],
      actions:
        scan.threatsCreated === 0 ? undefined : (
          <LinkButton
            path={createdPath({ scanSeq: scan.seq })}
            label={`Show ${counted(scan.threatsCreated, "new threat")}`}
            variant="primary"
          />
        ),
    },
    <>
      <ScanProblem scan={scan} />
      {panelOf(context)}
      <Card title="Details">
        <ScanTimes scan={scan} by={by} />
      </Card>
    </>,
  );
}

function showPanel(context: Context<"scans">): PageResult {
  return fragment(panelOf(context));
}

async function cancelScan(context: Context<"scans">): Promise<PageResult> {
  const { id } = findScan(context);
  const { services, by } = context;
  if (!(await context.write(() => services.scans.cancel(id, { by }))))
    return redirect(scanPath(id), { tone: "warning", text: "The scan had already finished." });
  return redirect(scanPath(id), "The scan stops within a second. Its results are kept.");
}
