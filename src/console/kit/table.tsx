import { grouped } from "../../lib/wording.ts";
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  title: ComponentChildren;
  cell: (row: Row) => ComponentChildren;
  /** `number`: aligned to the right; `wide`: takes the room that is left; `tight`: never wraps. */
  look?: "number" | "wide" | "tight";
}

/**
 * A table that scrolls in its own box where it is too wide; on a narrow screen each row becomes a block with
 * the titles beside the values. A table that is laid out as blocks is none for screen readers any more, hence
 * the roles.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  empty,
}: {
  /** What it holds; for those who cannot see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Shown when there are no rows. */
  empty: ComponentChildren;
}) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table class="stacks" role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, look }) => (
              <th scope="col" role="columnheader" class={look}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">
              {columns.map(({ title, cell, look }) => (
                <td role="cell" class={look} data-title={typeof title === "string" ? title : undefined}>
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

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** Links to the pages of a list. `path` keeps all other parameters of the address. */
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

/** The page number of an address: 1 where it says nothing sensible. */
export function pageNumber(query: URLSearchParams): number {
  const text = query.get("page") ?? "1";
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 1;
}
