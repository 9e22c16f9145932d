import type { ComponentChildren } from "preact";
import { grouped } from "../../lib/wording.ts";

export interface Column<Row> {
  title: ComponentChildren;
  cell: (row: Row) => ComponentChildren;
  /** `number`: right-aligned; `wide`: takes the remaining width; `tight`: never wraps. */
  layout?: "number" | "wide" | "tight";
}

interface TableProps<Row> {
  /** Description for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Shown in place of an empty table. */
  empty: ComponentChildren;
}

/**
 * A table that scrolls horizontally if it is too wide. On narrow screens each row becomes a block with titles
 * beside the values; the explicit roles keep it a table for screen readers in that layout.
 */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table class="stacks" role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, layout }) => (
              <th scope="col" role="columnheader" class={layout}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">
              {columns.map(({ title, cell, layout }) => (
                <td role="cell" class={layout} data-title={typeof title === "string" ? title : undefined}>
                  <div class="cell">{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A range of rows that one page of a list shows. */
export interface RowRange {
  limit: number;
  offset: number;
}

/** A table that shows one page of its rows, with links to the other pages if there are any. */
export function PagedTable<Row>({
  rowsIn,
  total,
  perPage,
  path,
  query,
  ...table
}: Omit<TableProps<Row>, "rows"> & {
  /** Returns the rows of a page. */
  rowsIn: (range: RowRange) => readonly Row[];
  total: number;
  perPage: number;
  path: string;
  query: URLSearchParams;
}) {
  const number = pageNumber(query);
  return (
    <>
      <Table {...table} rows={rowsIn({ limit: perPage, offset: (number - 1) * perPage })} />
      {total <= perPage ? null : (
        <Pagination page={number} perPage={perPage} total={total} path={path} query={query} />
      )}
    </>
  );
}

/** Returns the `rowsIn` of a list that is in memory. */
export function pagesOf<Row>(rows: readonly Row[]): (range: RowRange) => readonly Row[] {
  return ({ limit, offset }) => rows.slice(offset, offset + limit);
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** Links to the pages of a list, keeping all other parameters of the query. */
export function Pagination({
  page,
  perPage,
  total,
  path,
  query,
}: {
  page: number;
  perPage: number;
  total: number;
  path: string;
  query: URLSearchParams;
}) {
  const last = Math.max(1, Math.ceil(total / perPage));
  const to = (number: number) => {
    const next = new URLSearchParams(query);
    next.set("page", String(number));
    return `${path}?${next}`;
  };
  const from = total === 0 ? 0 : (page - 1) * perPage + 1;
  const until = Math.min(total, page * perPage);
  return (
    <nav class="pagination" aria-label="Pages">
      <span>
        {from <= until ? `${grouped(from)}–${grouped(until)} of ` : ""}
        {grouped(total)}
      </span>
      <span class="actions">
        {page > 1 ? (
          <a class="button outline small" href={to(page - 1)} rel="prev">
            Previous
          </a>
        ) : null}
        {page < last ? (
          <a class="button outline small" href={to(page + 1)} rel="next">
            Next
          </a>
        ) : null}
      </span>
    </nav>
  );
}

/** Returns the page number in a query; 1 if it is missing or invalid. */
export function pageNumber(query: URLSearchParams): number {
  const text = query.get("page") ?? "1";
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 1;
}
