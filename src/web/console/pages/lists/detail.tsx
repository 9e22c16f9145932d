import { grouped } from "../../../../platform/lib/wording.ts";
import { formatDuration } from "../../../../platform/lib/durations.ts";
import { listAddress, type List, type ListContent } from "../../../../response/outputs/block-lists/list.ts";
import { blockListFormatHints, blockListFormats } from "../../../../platform/vocabulary/lists.ts";
import type { EntryWords } from "../../entries/description.ts";
import { DeclaredNote, EntryHead } from "../../entries/entry-pages.tsx";
import { Card, Copyable, Facts, Section, Time } from "../../kit/components.tsx";
import { MenuLink } from "../../kit/disclosure.tsx";
import { inWords, Name, Text } from "../../kit/inline.tsx";
import { page } from "../../kit/page-result.ts";
import { listPath } from "../../kit/paths.ts";
import { column, Table, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { TypeName, SeverityMark } from "../../threat-kit/threat-marks.tsx";
import { LastDownload, ListState } from "./list.tsx";

/** Names that the page shows of the list. */
const namesShown = 20;
const allowedShown = 10;

export async function showList(
  { may, services }: Context<"domains" | "lists" | "publicUrl">,
  list: List,
  words: EntryWords,
) {
  const content = await services.lists.content(list);
  return page(
    list.name,
    <>
      <EntryHead
        entry={list}
        words={words}
        menu={
          list.origin === "file" ? null : (
            <MenuLink path={`${listPath(list.id)}/rotate`} label="Replace token" />
          )
        }
      />
      <DeclaredNote entry={list} where="[[lists]]" />
      <Card>
        <Facts facts={factsOf(list, content)} />
      </Card>
      {may("administer") ? (
        <Addresses list={list} publicUrl={services.publicUrl()} />
      ) : (
        <p class="hint">Only administrators see the addresses of the list, because they contain its token.</p>
      )}
      <Names
        content={content}
        keywords={new Map(services.domains.list().map((one) => [one.domain, one.keywords]))}
      />
    </>,
  );
}

function factsOf(list: List, { changedAt, rows }: ListContent): Parameters<typeof Facts>[0]["facts"] {
  const { maxAgeMs, minSeverity, protectedDomains, statuses, verifiedOnly } = list;
  return [
    ["State", <ListState list={list} />],
    ["Names", grouped(rows.length)],
    ["Last change", <Time at={changedAt} relative />],
    ["Last download", <LastDownload list={list} />],
    ["Statuses", statuses.map(inWords).join(", ")],
    ["Minimum severity", minSeverity],
    ["Verified", verifiedOnly ? "only verified threats" : "all threats"],
    [
      "Protected domains",
      protectedDomains.length === 0 ? (
        "all"
      ) : (
        <Text text={protectedDomains.join(", ")} charactersMax={2_000} />
      ),
    ],
    [
      "Listed for",
      maxAgeMs === null ? "always" : `${formatDuration(maxAgeMs)} after a threat was first seen`,
    ],
  ];
}

function Addresses({ list, publicUrl }: { list: List; publicUrl: string }) {
  return (
    <Section title="Addresses">
      <p>
        Anyone who has an address can download the list. See <a href="/docs/block-lists">Block lists</a> for
        the setup of resolvers and firewalls.
      </p>
      <dl class="facts">
        {blockListFormats.map((format) => (
          <div>
            <dt>{format}</dt>
            <dd>
              <Copyable text={listAddress(list, format, publicUrl)} label={`address for ${format}`} />
              <span class="hint">{blockListFormatHints[format]}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Names({
  content: { allowed, rows },
  keywords,
}: {
  content: ListContent;
  /** Brand keywords by protected domain. */
  keywords: ReadonlyMap<string, readonly string[]>;
}) {
  return (
    <Section title="Names">
      <Table
        caption="First names of the list"
        columns={nameColumns(keywords)}
        rows={rows.slice(0, namesShown)}
        empty="No threats match the filter of this list. An empty list is valid: nothing is blocked."
      />
      {rows.length > namesShown ? (
        <p class="after">
          The first {namesShown} of {grouped(rows.length)} names.
        </p>
      ) : null}
      {allowed.length === 0 ? null : (
        <p class="after">
          Stays reachable below a listed name: <Text text={allowed.slice(0, allowedShown).join(", ")} />
          {allowed.length > allowedShown ? ` and ${grouped(allowed.length - allowedShown)} more` : ""}.
        </p>
      )}
    </Section>
  );
}

function nameColumns(
  keywords: ReadonlyMap<string, readonly string[]>,
): readonly Column<ListContent["rows"][number]>[] {
  return [
    column("Name", "wide title", ({ name, protectedDomains: [first] }) =>
      first === undefined ? (
        <Name name={name} />
      ) : (
        <ComparedName domain={name} protectedDomain={first} keywords={keywords.get(first)} />
      ),
    ),
    column("Protected domain", "under", ({ protectedDomains }) => (
      <Text text={protectedDomains.join(", ")} />
    )),
    column("Type", "hidden", ({ type }) => <TypeName type={type} />),
    column("Severity", "tight state", ({ severity }) => <SeverityMark severity={severity} />),
    column("First seen", "tight end", ({ firstSeen }) => <Time at={firstSeen} relative />),
  ];
}
