import { FieldError, PublicError } from "../../../../platform/lib/errors.ts";
import { nextTime } from "../../../../platform/lib/schedule.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { grouped, sentence } from "../../../../platform/lib/wording.ts";
import type { Scan } from "../../../../intake/scans/tables.ts";
import { Card, LinkButton, PageHead, Section, Time } from "../../kit/components.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { splitList } from "../../kit/fields.ts";
import { Button, Form, Select } from "../../kit/form.tsx";
import { OnlyThese, readOnlyThese } from "../../kit/only-these.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { newDomainPath, scanPath, scansPath, startScanPath } from "../../kit/paths.ts";
import { column, Empty, PagedTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import {
  NewThreats,
  scanCause,
  scanDuration,
  ScannedDomains,
  ScanPanel,
  ScanState,
  triggers,
} from "./panel.tsx";

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
  column("State", "state", (scan) => (
    <>
      <ScanState scan={scan} />
      <Cause scan={scan} />
    </>
  )),
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

const causeCharactersMax = 90;

function Cause({ scan }: { scan: Scan }) {
  const cause = scanCause(scan);
  return cause === undefined ? null : <p class="hide-s">{visible(cause, causeCharactersMax)}</p>;
}

export function listScans(context: Context<"config" | "domains" | "scans">): PageResult {
  const { services, query, now, may } = context;
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
      <Section
        title="History"
        aside={
          <Help about="an unknown look-alike" manual="sources#scans">
            A name for which no resolver gave a usable DNS response. The next scan checks it again. Many of
            them mean that the scan may have missed threats.
          </Help>
        }
      >
        <PagedTable
          caption="Scans, newest first"
          columns={columns}
          rowsIn={({ limit, offset }) => scans.list(limit, offset)}
          total={total}
          perPage={perPage}
          path={scansPath}
          query={query}
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
            form={new URLSearchParams()}
            {...(names.length > checkboxesMax
              ? {}
              : { choices: names.map((name) => ({ value: name, label: visible(name) })) })}
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

export async function startScan({ services, form, by }: Context<"scans">): Promise<PageResult> {
  const limit = limits.some(({ value }) => value !== "" && value === form.get("limit"))
    ? Number(form.get("limit"))
    : undefined;
  let scan: Scan;
  try {
    const domains = readOnlyThese(form, "domain", form.getAll("domain").flatMap(splitList));
    ({ scan } = await services.scans.begin({ trigger: "console", by, domains, limit }));
  } catch (error) {
    if (error instanceof FieldError)
      return redirect(scansPath, { tone: "danger", text: "Choose at least one domain, or choose all." });
    if (!(error instanceof PublicError)) throw error;
    return redirect(scansPath, { tone: "danger", text: sentence(error.message) });
  }
  return redirect(scanPath(scan.id));
}
