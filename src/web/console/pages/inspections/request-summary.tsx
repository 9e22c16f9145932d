import type { ComponentChildren } from "preact";
import type { Inspection } from "../../../../facts/inspection/inspections.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, ended, grouped } from "../../../../platform/lib/wording.ts";
import { formNames } from "../../../../intake/sources/entries/interpretation.ts";
import type { EntryForm } from "../../../../platform/vocabulary/lists.ts";
import { Card } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { inspectionPath } from "../../kit/paths.ts";
import { column, Table } from "../../kit/table.tsx";
import { Address } from "../../inspection-kit/verdict.tsx";
import { OutcomeMark } from "./outcome.tsx";

/** Name under which a request leaves what became of it for the list. */
export const requestedName = "inspections requested";

/** Outcome of the addresses that a person entered. */
export interface RequestedAddresses {
  /** The first addresses, with how each was read. */
  items: RequestedItem[];
  /** Numbers of addresses, and of lines in which none was found. */
  counts: { requested: number; waiting: number; known: number; refused: number; rejected: number };
  /** The first lines in which no address was found. */
  rejected: { text: string; why: string }[];
  /** Number of new threats by their names. */
  created: number;
  /** Ids of the first and the last inspection that was queued; undefined: none was. */
  first: string | undefined;
  last: string | undefined;
}

export interface RequestedItem {
  text: string;
  form: EntryForm;
  /** Address that is opened; null: none. */
  address: string | null;
  what: "queued" | "known" | "refused" | "not_opened";
  reason: string | null;
  inspectionId: string | null;
}

/** A longer list is folded: the results are of more interest. */
const unfoldedMax = 10;

/** How each entered line was read, and whether its page is opened. */
export function RequestSummary({
  requested: { items, counts, rejected, created },
  find,
}: {
  requested: RequestedAddresses;
  find: (id: string) => Inspection | undefined;
}) {
  const addresses = counts.requested + counts.waiting + counts.known + counts.refused;
  return (
    <Card title="How it was read" flush>
      {addresses + counts.rejected <= unfoldedMax ? null : <p class="remark">{sumUp(counts)}</p>}
      <Folded
        title={
          items.length < addresses
            ? `How the first ${counted(items.length, "address was", "addresses were")} read`
            : "How each address was read"
        }
        length={items.length}
      >
        <ReadTable items={items} find={find} />
      </Folded>
      {rejected.length === 0 ? null : (
        <Folded title={`Lines that were not read: ${grouped(counts.rejected)}`} length={rejected.length}>
          <ul class="remark">
            {rejected.map(({ text, why }) => (
              <li>
                Not read: <Text text={text} charactersMax={80} /> {ended(visible(why, 200))}
              </li>
            ))}
            {counts.rejected > rejected.length ? (
              <li>and {counted(counts.rejected - rejected.length, "more line", "more lines")}</li>
            ) : null}
          </ul>
        </Folded>
      )}
      {created === 0 ? null : (
        <p class="remark">
          {counted(
            created,
            "name resembles a protected domain and is a new threat",
            "names resemble a protected domain and are new threats",
          )}
          .
        </p>
      )}
    </Card>
  );
}

function Folded({ title, length, children }: { title: string; length: number; children: ComponentChildren }) {
  if (length <= unfoldedMax) return children;
  return (
    <details class="more remark">
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Returns the numbers in a sentence. */
function sumUp({ requested, waiting, known, refused, rejected }: RequestedAddresses["counts"]): string {
  const parts = [
    `${counted(requested, "address is", "addresses are")} inspected`,
    ...(waiting === 0 ? [] : [`${grouped(waiting)} already waited`]),
    ...(known === 0 ? [] : [`${grouped(known)} had been within the last hour`]),
    ...(refused === 0 ? [] : [`${grouped(refused)} cannot be`]),
    ...(rejected === 0 ? [] : [`${counted(rejected, "line was", "lines were")} not read`]),
  ];
  return `${parts.join(", ")}.`;
}

function ReadTable(props: { items: readonly RequestedItem[]; find: (id: string) => Inspection | undefined }) {
  const { items, find } = props;
  return (
    <Table<RequestedItem>
      caption="How each entered address was read"
      columns={[
        column("Entered", "wide title", ({ text }) => <Text text={text} charactersMax={120} />),
        column("Read as", "tight under", ({ form }) => formNames[form]),
        column("Address", "hidden", ({ address }) => (address === null ? "" : <Address address={address} />)),
        column("Inspection", "state", (item) => <ItemState item={item} find={find} />),
      ]}
      rows={items}
      empty="No address was found."
    />
  );
}

function ItemState(props: { item: RequestedItem; find: (id: string) => Inspection | undefined }) {
  const { item, find } = props;
  const { what, reason, inspectionId } = item;
  switch (what) {
    case "queued":
      return <a href={inspectionPath(inspectionId!)}>requested</a>;
    case "known": {
      const inspection = find(inspectionId!);
      return (
        <>
          {inspection === undefined ? null : <OutcomeMark inspection={inspection} />}
          <p>
            <a href={inspectionPath(inspectionId!)}>inspected within the last hour</a>
          </p>
        </>
      );
    }
    case "refused":
    case "not_opened":
      return (
        <>
          It <Text text={reason ?? "is not opened"} charactersMax={200} />
        </>
      );
  }
}
