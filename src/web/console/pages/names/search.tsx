import type { VNode } from "preact";
import {
  hitsMax,
  type NameSearch,
  type SearchTerms,
} from "../../../../engines/archive/search/name-searches.ts";
import { parseTextQuery } from "../../../../engines/archive/search/query.ts";
import type { ArchiveHit } from "../../../../engines/archive/search/search-folder.ts";
import { hostIn, readPastedName } from "../../../../engines/detection/names/pasted-name.ts";
import { bytesText } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped, sentence } from "../../../../platform/lib/wording.ts";
import { threatSources } from "../../../../platform/vocabulary/threats.ts";
import { FormError, Progress, Section, Note } from "../../kit/components.tsx";
import { inWords, Name } from "../../kit/inline.tsx";
import { formatDay, parseDay, withoutEmpty } from "../../kit/fields.ts";
import { choicesOf, Button, FilterForm, Select, TextField } from "../../kit/form.tsx";
import { fragment, page, redirect, refreshing, type PageResult } from "../../kit/page-result.ts";
import { nameResultsPath, namesPath } from "../../kit/paths.ts";
import { column, Empty, ListTable, type Column } from "../../kit/table.tsx";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { TypeName } from "../../threat-kit/threat-marks.tsx";
import type { Context, PageGroup } from "../../shell/router.ts";

const modes = [
  { value: "text", label: "contain this text" },
  { value: "like", label: "look like this domain" },
];
const sourceChoices = choicesOf(threatSources, inWords);

type NamesContext = Context<"archive" | "config" | "nameSearches">;

/** Terms of a search; undefined if none was entered. */
type ReadTerms = { terms: SearchTerms } | { error: string } | undefined;

async function searchNames(context: NamesContext): Promise<PageResult> {
  const { query, services } = context;
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(`${namesPath}?${short.toString()}`);
  const read = readTerms(context);
  const error = read !== undefined && "error" in read ? sentence(read.error) : undefined;
  const results = read === undefined || "error" in read ? null : await resultsOf(context, read.terms);
  const { enabled } = services.archive.status();
  return page(
    {
      title: "Names seen",
      lead: "Search every name that a source has delivered, including those that resemble no protected domain.",
    },
    <>
      {enabled ? null : (
        <Note tone="warn" title="No new names are stored">
          The archive is disabled in the configuration file (<code>archive.enabled</code>).
        </Note>
      )}
      <FormError message={error} />
      <FilterForm action={namesPath}>
        <Select label="Names that" name="mode" choices={modes} initial="text" />
        <TextField label="Text or domain" name="q" type="search" maxLength={2048} required />
        <Select label="Source" name="source" any="any source" choices={sourceChoices} />
        <TextField label="Seen since" name="since" type="date" />
        <Button label="Search" icon="search" variant="primary" />
      </FilterForm>
      {results ?? (error === undefined ? <Explanation /> : null)}
    </>,
    error === undefined ? {} : { status: 400 },
  );
}

function Explanation() {
  return (
    <Empty title="Search by text, or by look-alike">
      <p>
        A text finds the names that contain it, <code>login*</code> those that start with it, and{" "}
        <code>*.example.com</code> those that end with it. A look-alike search finds names that resemble a
        domain. The domain need not be protected. You can paste a link or an email address, also defanged.
      </p>
    </Empty>
  );
}

/** Serves the results of a search that is still running. */
async function showResults(context: NamesContext): Promise<PageResult> {
  const read = readTerms(context);
  if (read === undefined || "error" in read) return new Response(null, { status: 204 });
  return fragment(await resultsOf(context, read.terms));
}

function readTerms({ query, services }: Pick<NamesContext, "query" | "services">): ReadTerms {
  const typed = query.get("q");
  if (typed === null) return undefined;
  const since = query.get("since") ?? "";
  const day = parseDay(since);
  if (since !== "" && day === undefined) return { error: "the day has the form 2026-01-31" };
  const source = threatSources.find((one) => one === query.get("source"));
  if (query.get("mode") !== "like") {
    // A pasted link or email address counts as its host.
    const parsed = parseTextQuery(hostIn(typed).host);
    return "error" in parsed ? parsed : { terms: { query: parsed, since: day, source } };
  }
  const domain = readPastedName(typed);
  if ("error" in domain)
    return { error: `"${visible(typed, 100)}" is not a domain name: it ${domain.error}` };
  const { minSimilarity } = services.config.detection;
  return {
    terms: { query: { kind: "look-alikes", domain: domain.name, minSimilarity }, since: day, source },
  };
}

/** Shows the results of a search. Refreshes itself until the search is complete. */
async function resultsOf({ query, services }: NamesContext, terms: SearchTerms): Promise<VNode> {
  const search = await services.nameSearches.search(terms);
  const isRunning = search === undefined || search.state === "running";
  return (
    <section
      id="results"
      aria-label="Results"
      {...refreshing(isRunning, `${nameResultsPath}?${query}`, 1_000)}
    >
      {search === undefined ? (
        <Empty>Other searches are running. This one begins when they are complete.</Empty>
      ) : (
        <FoundNames
          search={search}
          domain={terms.query.kind === "look-alikes" ? terms.query.domain : undefined}
          query={query}
        />
      )}
    </section>
  );
}

function FoundNames(props: {
  search: Readonly<NameSearch>;
  /** The domain whose look-alikes are searched; undefined for a text. */
  domain: string | undefined;
  query: URLSearchParams;
}) {
  const { search, domain, query } = props;
  const { state, hits, isLimited, names, namesTotal, damagedBytes, error } = search;
  const isRunning = state === "running";
  return (
    <Section title={isRunning ? "Names found so far" : counted(hits.length, "name")}>
      {isRunning ? <Progress done={names} total={namesTotal} label="names searched" /> : null}
      {error === null ? null : <FormError message={`The search failed: ${visible(error, 300)}`} />}
      {damagedBytes === 0 ? null : (
        <Note tone="warn">{bytesText(damagedBytes)} of the archive are damaged and were skipped.</Note>
      )}
      {isLimited ? (
        <p>
          These are the first {grouped(hitsMax)} names by day. Refine the search, or run{" "}
          <code>phishwatch search</code> for all.
        </p>
      ) : null}
      <ListTable
        caption="Names found, the earliest day first"
        columns={domain === undefined ? textColumns : lookAlikeColumns(domain)}
        rows={hits}
        path={namesPath}
        query={query}
        empty={isRunning ? "None yet." : "No stored name matches."}
      />
    </Section>
  );
}

const firstSeen: Column<ArchiveHit> = column("First seen", "tight under", ({ day }) => formatDay(day));
const foundIn: Column<ArchiveHit> = column("Source", "tight end", ({ source }) => inWords(source));

const textColumns: readonly Column<ArchiveHit>[] = [
  column("Name", "wide title", ({ name }) => <Name name={name} />),
  { ...firstSeen, fold: "state" },
  { ...foundIn, fold: "under" },
];

/** Marks how each name differs from the domain. */
function lookAlikeColumns(domain: string): readonly Column<ArchiveHit>[] {
  return [
    column("Name", "wide title", ({ name }) => <ComparedName domain={name} protectedDomain={domain} />),
    firstSeen,
    foundIn,
    column("Type", "tight hidden", ({ type }) => (type === null ? "" : <TypeName type={type} />)),
    column("Similarity", "number state", ({ similarity }) => similarity?.toFixed(2) ?? ""),
  ];
}

/** Search of all names that were seen. */
export const namePages: PageGroup = {
  nav: { section: "main", label: "Names seen", icon: "calendar", path: namesPath },
  routes: [
    { method: "GET", path: namesPath, permission: "read", run: searchNames },
    { method: "GET", path: nameResultsPath, permission: "read", run: showResults },
  ],
};
