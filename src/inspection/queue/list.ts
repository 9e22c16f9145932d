import type { Database } from "../../database/database.ts";
import type { InspectionFilter } from "../model/request.ts";

/** `total` is counted up to this number. */
export const listedMax = 10_000;
/** A text is searched for in the latest inspections only, because no index helps. */
const searchedMax = 20_000;

/** Returns the ids of one page, the newest request first. */
export function createInspectionList({ sqlite }: Pick<Database, "sqlite">) {
  return (filter: InspectionFilter, { page, perPage }: { page: number; perPage: number }) => {
    const { where, values } = conditionOf(filter);
    const ids = sqlite
      .query<{ id: string }, (string | number)[]>(
        `select id from inspections ${where} order by seq desc limit ? offset ?`,
      )
      .all(...values, perPage, Math.min(page - 1, listedMax) * perPage)
      .map(({ id }) => id);
    const { n } = sqlite
      .query<{ n: number }, (string | number)[]>(
        `select count(*) as n from (select 1 from inspections ${where} limit ${listedMax})`,
      )
      .get(...values)!;
    return { ids, total: n };
  };
}

function conditionOf({ imitates, protectedDomain, source, states, text }: InspectionFilter) {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...given: (string | number)[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (states !== undefined) add(`state in (${states.map(() => "?").join()})`, ...states);
  if (imitates === true) add("imitates = 1");
  if (imitates === false) add("imitates = 0");
  if (protectedDomain !== undefined) add("protected_domain = ?", protectedDomain);
  if (source !== undefined) add("source = ?", source);
  if (text !== undefined && text !== "")
    add(
      `seq > (select coalesce(max(seq), 0) from inspections) - ${searchedMax} and instr(address, ?) > 0`,
      text.toLowerCase(),
    );
  return { where: conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`, values };
}
