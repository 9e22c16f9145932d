import { badRequest } from "../../../lib/errors.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { SearchFilter } from "../../../threat-index/search.ts";
import { sortedByNameMax } from "../../../threat-index/search.ts";
import { triageThreatsMax } from "../../../threats/triage.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { page, redirect, type PageResult, type Flash } from "../../kit/page-result.ts";
import type { Threats } from "../../../threats/threats.ts";
import { wholeNumber } from "../../kit/fields.ts";
import { Form, HiddenFields } from "../../kit/form.tsx";
import { FlashMessage, PageHead } from "../../kit/kit.tsx";
import { overviewPath, threatsPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { Empty, Pagination, pageNumber } from "../../kit/table.tsx";
import { KeyboardHelp, ReadyViews } from "./threat-list-parts.tsx";
import { ThreatFilterForm } from "./threat-filter-form.tsx";
import { listPath, readListRequest } from "./threat-filters.ts";
import { decisions } from "./threat-parts.tsx";
import { ThreatRows } from "./threat-rows.tsx";
import { undoFlash } from "./undo-flash.ts";
import { inWords } from "../../kit/labels.ts";

const perPage = 50;
const triagePath = `${threatsPath}/triage`;
const undoPath = `${threatsPath}/undo`;

/** All threats: found, looked at, decided upon. */
export const threatListPages = pageGroup({
  nav: { section: "main", label: "Threats", path: threatsPath },
  services: ["domains", "threats", "threatSearch"],
  routes: [
    { method: "GET", path: threatsPath, permission: "read", run: showList },
    { method: "POST", path: triagePath, permission: "decide", run: triage },
    { method: "POST", path: undoPath, permission: "decide", run: undo },
  ],
});

async function showList({
  services,
  query: given,
}: Context<"domains" | "threats" | "threatSearch">): Promise<PageResult> {
  const search = services.threatSearch();
  await search.prepare();
  const request = readListRequest(given);
  const { filter, order, query } = request;
  const number = pageNumber(given);
  const found = await search.search(filter, order, { page: number, perPage });
  const domains = services.domains.list();
  const keywords = new Map(domains.map((domain) => [domain.domain, domain.keywords]));
  const flash = actFlash(services.threats.triage.recent(), given.get("done"), query);
  return page(
    "Threats",
    <>
      <PageHead title="Threats">
        <KeyboardHelp />
      </PageHead>
      {flash === undefined ? null : <FlashMessage flash={flash} />}
      <ReadyViews query={query} />
      <ThreatFilterForm
        request={request}
        domains={domains.map(({ domain }) => domain)}
        facets={found.facets}
      />
      {found.sortedAsAsked ? null : (
        <p class="hint">
          Sorted by first seen: by name only {grouped(sortedByNameMax)} threats or fewer are. Narrow the list.
        </p>
      )}
      {found.threats.length === 0 ? (
        <NothingFound total={found.total} query={query} anywhere={services.threats.totals().length > 0} />
      ) : (
        <Form action={triagePath} id="triage">
          <HiddenFields fields={{ query: query.toString(), last_seq: String(found.lastSeq), at: "" }} />
          <Decisions filter={filter} total={found.total} shown={found.threats.length} />
          <ThreatRows
            threats={found.threats}
            keywordsOf={(domain) => keywords.get(domain) ?? []}
            query={query}
            order={order}
            showStatus={filter.status === undefined || order.key === "status_changed"}
          />
        </Form>
      )}
      <Pagination page={number} perPage={perPage} total={found.total} path={threatsPath} query={query} />
    </>,
  );
}

function NothingFound({
  total,
  query,
  anywhere,
}: {
  total: number;
  query: URLSearchParams;
  anywhere: boolean;
}) {
  if (total > 0)
    return (
      <Empty>
        The list is shorter. <a href={listPath(query)}>To its beginning</a>
      </Empty>
    );
  if (!anywhere)
    return (
      <Empty>
        No threat was found yet. A scan, a feed or the API brings them in:{" "}
        <a href={overviewPath}>what to do next</a>.
      </Empty>
    );
  if (query.size === 0) return <Empty>Everything is decided.</Empty>;
  return (
    <Empty>
      No threat is like that. <a href={threatsPath}>Everything that is to be decided</a>
    </Empty>
  );
}

/** What can be done with the threats that are chosen. */
function Decisions({ filter, total, shown }: { filter: SearchFilter; total: number; shown: number }) {
  const all = total > triageThreatsMax ? `the first ${grouped(triageThreatsMax)}` : "all";
  return (
    <div class="decisions">
      <span class="actions">
        {decisions
          .filter(({ status }) => status !== filter.status)
          .map(({ status, label, key }) => (
            <button type="submit" name="status" value={status} class="small outline" data-row-key={key}>
              {label}
            </button>
          ))}
      </span>
      {total > shown ? (
        <label>
          <input type="checkbox" name="all" value="yes" /> {all} of {grouped(total)} that match, on every page
        </label>
      ) : null}
    </div>
  );
}

async function triage({ services, form, by }: Context<"threats" | "threatSearch">): Promise<PageResult> {
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("no decision was made");
  const { filter, order, query } = readListRequest(new URLSearchParams(form.get("query") ?? ""));
  const search = services.threatSearch();
  const ids =
    form.get("all") === "yes"
      ? await search.ids(filter, order, { max: triageThreatsMax, lastSeq: lastSeqOf(form) })
      : form.getAll("id");
  if (ids.length === 0)
    return redirect(listPath(query), { tone: "warning", text: "No threat was chosen: tick some first." });
  const { act, changed, unchanged } = services.threats.triage.change(ids, status, { by });
  if (act === undefined) {
    const text = `Nothing was changed: ${counted(unchanged, "threat was", "threats were")} ${inWords(status)} already.`;
    return redirect(listPath(query), { tone: "warning", text });
  }
  // Who goes through the list with keys stays at the same place, where the next threat stands now.
  const at = /^\d{1,2}$/.test(form.get("at") ?? "") && changed === 1 ? `#row-${form.get("at")}` : "";
  return redirect(`${listPath(query, { done: String(act) })}${at}`);
}

function lastSeqOf(form: URLSearchParams): number {
  const seq = wholeNumber(form.get("last_seq"));
  if (seq === undefined) throw badRequest("the list was too old; load it again");
  return seq;
}

function undo({ services, form, by }: Context<"threats">): PageResult {
  const act = wholeNumber(form.get("act")) ?? 0;
  const { query } = readListRequest(new URLSearchParams(form.get("query") ?? ""));
  return redirect(listPath(query), undoFlash(services.threats.triage.undo(act, { by })));
}

/** Tells of an act for as long as its address is looked at, so that a reload does not take the undo away. */
function actFlash(
  recent: ReturnType<Threats["triage"]["recent"]>,
  done: string | null,
  query: URLSearchParams,
): Flash | undefined {
  const act = recent.find((one) => String(one.act) === done);
  if (act === undefined || act.undone) return undefined;
  return {
    tone: "success",
    text: `${counted(act.threats, "threat is", "threats are")} ${inWords(act.status)} now.`,
    action: { label: "Undo", path: undoPath, fields: { act: String(act.act), query: query.toString() } },
  };
}
