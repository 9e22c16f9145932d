import type { ComponentChildren } from "preact";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { usePage } from "./page-context.ts";

/** `number`: right-aligned; `wide`: takes the remaining width; `tight`: never wraps. */
type Layout = "number" | "wide" | "tight";

/**
 * Place on narrow screens, where a row has two lines: `title` and `state` on the first, `under` and `end` on the second;
 * `hidden` is left out.
 */
type Fold = "title" | "state" | "under" | "end" | "hidden";

export interface Column<Row> {
  title: ComponentChildren;
  cell: (row: Row) => ComponentChildren;
  layout?: Layout | undefined;
  fold: Fold;
}

/** Returns a column; `place` is its place on narrow screens, after its layout if it has one: `number end`. */
export function column<Row>(
  title: ComponentChildren,
  place: Fold | `${Layout} ${Fold}`,
  cell: (row: Row) => ComponentChildren,
): Column<Row> {
  const [fold, layout] = place.split(" ").toReversed() as [Fold, Layout?];
  return { title, cell, layout, fold };
}

interface TableProps<Row> {
  /** Description for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Shown in place of an empty table; absent: the table is shown only with rows. */
  empty?: ComponentChildren;
}

/**
 * A table that scrolls horizontally if it is too wide. On narrow screens a row has two lines; the explicit roles keep it
 * a table for screen readers in that layout.
 */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const classes = columns.map(({ layout, fold }) =>
    layout === undefined ? foldClasses[fold] : `${layoutClasses[layout]} ${foldClasses[fold]}`,
  );
  return (
    <div class="card flush scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class="fold" role="table">
        <caption class="vh">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title }, index) => (
              <th scope="col" role="columnheader" class={classes[index]}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">
              {columns.map(({ cell }, index) => (
                <td role="cell" class={classes[index]}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A list. */
export function List(props: {
  items: readonly ComponentChildren[];
  class?: string;
  ordered?: boolean;
  /** Number of items that are shown. Default: all. */
  max?: number;
  /** Names the others. */
  others?: string;
}) {
  const { items, class: className, ordered = false, max = items.length, others = "more" } = props;
  const Element = ordered ? "ol" : "ul";
  return (
    <Element class={className}>
      {items.slice(0, max).map((item) => (
        <li>{item}</li>
      ))}
      {items.length > max ? (
        <li>
          and {items.length - max} {others}
        </li>
      ) : null}
    </Element>
  );
}

/** A number of a table with its unit, which is shown where the column has no heading. Zero is quiet. */
export function Amount(props: {
  count: number;
  unit: string;
  /** Plural. */
  units?: string;
  /** Page that lists what is counted. */
  path?: string;
}) {
  const { count, unit, units = `${unit}s`, path } = props;
  const text: ComponentChildren = (
    <>
      {grouped(count)}
      <span class="unit"> {count === 1 ? unit : units}</span>
    </>
  );
  if (count === 0) return <span class="faint">{text}</span>;
  return path === undefined ? <>{text}</> : <a href={path}>{text}</a>;
}

const layoutClasses = { number: "r", wide: "grow", tight: "tight" } as const;
const foldClasses = {
  title: "on-title",
  state: "on-state",
  under: "on-under",
  end: "on-end",
  hidden: "wide-only",
} as const;

/** A range of rows that one page of a list shows. */
interface RowRange {
  limit: number;
  offset: number;
}

const rowsPerPage = 50;

/** A table that shows one page of its rows, with links to the other pages if there are any. */
export function PagedTable<Row>(
  props: Omit<TableProps<Row>, "rows"> & {
    /** Returns the rows of a page. */
    rowsIn: (range: RowRange) => readonly Row[];
    total: number;
    perPage?: number;
    /** Address of the list. Default: the address of the page. */
    path?: string;
    query?: URLSearchParams;
    /** Parameter of the address that holds the number of the page; each list of a page has its own. */
    parameter?: string;
  },
) {
  const page = usePage();
  const { rowsIn, total, perPage = rowsPerPage, parameter = "page", ...table } = props;
  const { path = page.path, query = page.query } = props;
  const number = pageNumber(query, parameter);
  const pages = { page: number, perPage, total, path, query, parameter };
  if (isPastEnd(pages)) return <PastEnd {...pages} />;
  return (
    <>
      <Table {...table} rows={rowsIn({ limit: perPage, offset: (number - 1) * perPage })} />
      {total <= perPage ? null : <Pagination {...pages} />}
    </>
  );
}

/** The same for rows that are in memory. */
export function ListTable<Row>({
  rows,
  ...table
}: TableProps<Row> & Omit<Parameters<typeof PagedTable<Row>>[0], "rowsIn" | "total">) {
  return (
    <PagedTable
      {...table}
      rowsIn={({ limit, offset }) => rows.slice(offset, offset + limit)}
      total={rows.length}
    />
  );
}

/** Shown in place of a list that has no entries: what belongs here, and the next step. */
export function Empty(props: { title?: string; children: ComponentChildren; action?: ComponentChildren }) {
  const { title, children, action } = props;
  return (
    <div class="empty">
      {title === undefined ? null : <h2>{title}</h2>}
      <div>{children}</div>
      {action}
    </div>
  );
}

/** A page of a list, by its address. */
interface PageOfList {
  page: number;
  perPage: number;
  total: number;
  path: string;
  query: URLSearchParams;
  parameter?: string;
}

const lastPage = ({ perPage, total }: PageOfList) => Math.max(1, Math.ceil(total / perPage));

function pathOfPage({ path, query, parameter = "page" }: PageOfList, number: number): string {
  const next = new URLSearchParams(query);
  next.set(parameter, String(number));
  return `${path}?${next}`;
}

/** Returns whether the list has rows, but none on this page: the list has become shorter, or the address is wrong. */
export function isPastEnd(given: PageOfList): boolean {
  return given.total > 0 && given.page > lastPage(given);
}

/** Shown in place of a page that `isPastEnd`. */
export function PastEnd(given: PageOfList) {
  const last = lastPage(given);
  return (
    <Empty>
      There is no page {grouped(given.page)}: the list has {counted(last, "page")}.{" "}
      <a href={pathOfPage(given, last)}>Go to the last page</a>
    </Empty>
  );
}

/** Links to the pages of a list, keeping all other parameters of the query. */
export function Pagination(given: PageOfList) {
  const { page, perPage, total } = given;
  const last = lastPage(given);
  const to = (number: number) => pathOfPage(given, number);
  const from = total === 0 ? 0 : (page - 1) * perPage + 1;
  const until = Math.min(total, page * perPage);
  return (
    <nav class="pagination" aria-label="Pages">
      <span>
        {grouped(from)}–{grouped(until)} of {grouped(total)}
      </span>
      <span class="line">
        {page > 1 ? (
          <a class="btn small" href={to(page - 1)} rel="prev">
            Previous
          </a>
        ) : null}
        {page < last ? (
          <a class="btn small" href={to(page + 1)} rel="next">
            Next
          </a>
        ) : null}
      </span>
    </nav>
  );
}

/** Returns the page number in a query; 1 if it is missing or invalid. */
export function pageNumber(query: URLSearchParams, parameter = "page"): number {
  const text = query.get(parameter) ?? "1";
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 1;
}
