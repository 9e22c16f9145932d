import { asc, getTableColumns } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { hasValue, statement, valuesOf } from "../../platform/database/statement.ts";
import { badRequest, FieldError, notFound } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Actor } from "../audit/actor.ts";
import type { Needs } from "../audit/needs.ts";
import { savedViews } from "./tables.ts";

/** A view of the list of threats that a person saved. All accounts share the views. */
export type SavedView = Omit<typeof savedViews.$inferSelect, "foldedName">;

export type SavedViews = ReturnType<typeof createSavedViews>;

/** Maximum length of a name. */
export const viewNameCharactersMax = 40;
export const savedViewsMax = 30;
const queryCharactersMax = 4_000;

export function createSavedViews({ auditLog, clock, database }: Needs<"auditLog" | "clock" | "database">) {
  const statements = createStatements(database);

  function get(seq: number): SavedView {
    const view = statements.list.all().find((one) => one.seq === seq);
    if (view === undefined)
      throw notFound("There is no saved view with this number. It may have been deleted.");
    return view;
  }

  /** @param own number of the view that may have the name already */
  function validName(given: string, own?: number): { name: string; foldedName: string } {
    const name = given.trim().normalize("NFC");
    const length = [...name].length;
    if (length === 0 || length > viewNameCharactersMax || visible(name, name.length) !== name)
      throw new FieldError("name", `a name has 1 to ${viewNameCharactersMax} visible characters`);
    const foldedName = name.toLowerCase();
    const same = statements.byName.get({ foldedName });
    if (same !== undefined && same.seq !== own)
      throw new FieldError("name", `there is already a view named "${same.name}"; choose another name`);
    return { name, foldedName };
  }

  return {
    /** Returns the views in their order. */
    list: (): SavedView[] => statements.list.all(),
    /** @throws PublicError `not_found` */
    get,
    /**
     * Adds a view after the others.
     * @throws FieldError `name`: empty, too long, not visible or in use; PublicError `bad_request`: too many views
     */
    add: ({ name: given, query }: { name: string; query: string }, { by }: { by: Actor }): SavedView =>
      database.transaction(() => {
        const { name, foldedName } = validName(given);
        const views = statements.list.all();
        if (views.length >= savedViewsMax)
          throw badRequest(
            `there are already ${savedViewsMax} saved views, which is the maximum; delete one`,
          );
        if (query.length > queryCharactersMax)
          throw badRequest(`a view has at most ${queryCharactersMax} characters of filters; use fewer`);
        const position = 1 + Math.max(0, ...views.map((view) => view.position));
        const createdAt = clock.now();
        const added = statements.insert.get({ name, foldedName, query, position, createdAt })!;
        auditLog.record(by, "view.add", name, { query });
        return added;
      }),
    /** @throws FieldError `name`; PublicError `not_found` */
    rename: (seq: number, given: string, { by }: { by: Actor }) =>
      database.transaction(() => {
        const before = get(seq);
        const { name, foldedName } = validName(given, seq);
        if (name === before.name) return;
        statements.rename.run({ seq, name, foldedName });
        auditLog.record(by, "view.rename", name, { before: before.name });
      }),
    /** Moves a view one place toward the start; the first one stays. @throws PublicError `not_found` */
    moveUp: (seq: number) =>
      database.transaction(() => {
        get(seq);
        const views = statements.list.all();
        const index = views.findIndex((one) => one.seq === seq);
        const above = views[index - 1];
        if (above === undefined) return;
        statements.place.run({ seq, position: above.position });
        statements.place.run({ seq: above.seq, position: views[index]!.position });
      }),
    /** @throws PublicError `not_found` */
    remove: (seq: number, { by }: { by: Actor }): SavedView =>
      database.transaction(() => {
        const view = get(seq);
        statements.remove.run({ seq });
        auditLog.record(by, "view.remove", view.name, { query: view.query });
        return view;
      }),
  };
}

const { foldedName: _, ...shownColumns } = getTableColumns(savedViews);

function createStatements(database: Database) {
  const isView = hasValue(savedViews.seq);
  return {
    list: statement(database, (query) =>
      query.select(shownColumns).from(savedViews).orderBy(asc(savedViews.position), asc(savedViews.seq)),
    ),
    byName: statement(database, (query) =>
      query
        .select({ seq: savedViews.seq, name: savedViews.name })
        .from(savedViews)
        .where(hasValue(savedViews.foldedName)),
    ),
    insert: statement(database, (query) =>
      query
        .insert(savedViews)
        .values(valuesOf(savedViews, "name", "foldedName", "query", "position", "createdAt"))
        .returning(shownColumns),
    ),
    rename: statement(database, (query) =>
      query
        .update(savedViews)
        .set(valuesOf(savedViews, "name", "foldedName"))
        .where(isView),
    ),
    place: statement(database, (query) =>
      query.update(savedViews).set(valuesOf(savedViews, "position")).where(isView),
    ),
    remove: statement(database, (query) => query.delete(savedViews).where(isView)),
  };
}
