import type { ComponentChildren } from "preact";
import type { Entry } from "../../../access/entries/administration.ts";
import { isDeclared, isUndeclared } from "../../../platform/config/declared.ts";
import { badRequest, notFound } from "../../../platform/lib/errors.ts";
import { Confirm, DeclaredMark, LinkButton, PageHead } from "../kit/components.tsx";
import { Menu, MenuLink } from "../kit/disclosure.tsx";
import { PostButton } from "../kit/form.tsx";
import { Text } from "../kit/inline.tsx";
import { page, redirect, type PageResult } from "../kit/page-result.ts";
import type { Context, Route } from "../shell/router.ts";
import type { ServiceName } from "../shell/services.ts";
import type { EntryPages, EntryWords } from "./description.ts";
import { saveEntry, showEntryForm } from "./entry-form.tsx";

/** Returns the routes of one kind of entries, without their list. */
export function entryRoutes<E extends Entry, Name extends ServiceName, Settings extends object>(
  pages: EntryPages<E, Name, Settings>,
): Route<Name>[] {
  const { form } = pages;
  const addPath = pages.pathOf("add");
  const one = pages.pathOf(":id");
  const change = (
    method: Route["method"],
    path: string,
    run: (context: Context<Name>) => PageResult | Promise<PageResult>,
  ): Route<Name> => ({ method, path, permission: "administer", run });
  return [
    change(
      "GET",
      addPath,
      (context) =>
        pages.chooseFirst?.(context) ?? showEntryForm(pages, context, { form: form.newForm(context) }),
    ),
    change("POST", addPath, (context) => saveEntry(pages, context, undefined)),
    {
      method: "GET",
      path: one,
      permission: "read",
      run: (context) => pages.show(context, entryOf(pages, context), pages),
    },
    change("GET", `${one}/edit`, (context) => {
      const entry = editableEntry(pages, context);
      return showEntryForm(pages, context, { form: form.formOf(entry), entry });
    }),
    change("POST", `${one}/edit`, (context) => saveEntry(pages, context, editableEntry(pages, context))),
    change("POST", `${one}/enable`, (context) => switchEntry(pages, context, "enable")),
    change("POST", `${one}/disable`, (context) => switchEntry(pages, context, "disable")),
    change("GET", `${one}/remove`, (context) => askToRemove(pages, editableEntry(pages, context))),
    change("POST", `${one}/remove`, (context) => removeEntry(pages, context)),
  ];
}

/** Returns the entry of the address. @throws PublicError `not_found` */
export function entryOf<E extends Entry, Name extends ServiceName>(
  { noun, service }: Pick<EntryPages<E, Name>, "noun" | "service">,
  { params, services }: Context<Name>,
): E {
  const id = params["id"]!;
  const found = service(services).find(id);
  // An address has the identifier, never the name.
  if (found?.id !== id) throw notFound(`There is no ${noun} with this ID.`);
  return found;
}

/** Returns the entry of the address. @throws PublicError `bad_request` if the configuration file declares it */
export function editableEntry<E extends Entry, Name extends ServiceName>(
  pages: Pick<EntryPages<E, Name>, "noun" | "service" | "short">,
  context: Context<Name>,
): E {
  const entry = entryOf(pages, context);
  if (isDeclared(entry))
    throw badRequest(
      `This ${pages.short ?? pages.noun} is declared in the configuration file. Change it there.`,
    );
  return entry;
}

async function switchEntry<E extends Entry, Name extends ServiceName, Settings extends object>(
  pages: EntryPages<E, Name, Settings>,
  context: Context<Name>,
  change: "enable" | "disable",
): Promise<PageResult> {
  const service = pages.service(context.services);
  const { id } = entryOf(pages, context);
  const switched = await context.write<Entry>(() => service[change](id, { by: context.by }));
  const { name } = switched;
  if (change === "disable") return redirect(pages.pathOf(id), `${name} ${pages.disabled}`);
  return redirect(pages.pathOf(id), pages.enabled?.(context, switched as E) ?? `${name} is enabled.`);
}

function askToRemove<E extends Entry>(
  { noun, pathOf, removing, short = noun }: EntryWords & { removing(entry: E): ComponentChildren },
  entry: E,
): PageResult {
  const path = pathOf(entry.id);
  return page(
    `Remove ${noun}`,
    <Confirm title={`Remove this ${noun}?`} action={`${path}/remove`} button={`Remove ${short}`} back={path}>
      <p>{removing(entry)}</p>
    </Confirm>,
  );
}

async function removeEntry<E extends Entry, Name extends ServiceName, Settings extends object>(
  pages: EntryPages<E, Name, Settings>,
  context: Context<Name>,
): Promise<PageResult> {
  const { id, name } = editableEntry(pages, context);
  if (pages.remove !== undefined) await pages.remove(context, id);
  else await pages.service(context.services).remove(id, { by: context.by });
  return redirect(pages.listPage.path, `${name} has been removed.`);
}

/** Name of an entry in a sentence about it. */
export function EntryName({ entry: { name } }: { entry: { name: string } }) {
  return (
    <strong>
      <Text text={name} />
    </strong>
  );
}

/** Head of the page of one entry, with what can be done with it, and a remark if it is from the configuration file. */
export function EntryHead(props: {
  entry: Entry;
  words: EntryWords;
  lead?: ComponentChildren;
  /** Action before the usual ones. With it, there is no button that enables: a note on the page has it. */
  first?: ComponentChildren;
  /** Items of the menu before the removal; with `first` for declared entries, too. */
  menu?: ComponentChildren;
}) {
  const { entry, words, lead, first, menu } = props;
  const { listPage, noun, pathOf, short = noun } = words;
  const path = pathOf(entry.id);
  const declared = isDeclared(entry);
  const edit = entry.origin === "file" ? null : <LinkButton path={`${path}/edit`} label="Edit" />;
  const disable =
    isUndeclared(entry) || !entry.enabled ? null : (
      <PostButton action={`${path}/disable`} label="Disable" icon="pause" />
    );
  const enable =
    isUndeclared(entry) || entry.enabled ? null : (
      <PostButton action={`${path}/enable`} label="Enable" variant="primary" />
    );
  return (
    <PageHead title={<Text text={entry.name} />} crumbs={[listPage]} lead={lead}>
      {first === undefined ? (disable ?? enable) : first}
      {edit}
      {first === undefined ? null : disable}
      {declared && first === undefined ? null : (
        <Menu>
          {menu}
          {declared ? null : <MenuLink path={`${path}/remove`} label={`Remove ${short}`} danger />}
        </Menu>
      )}
    </PageHead>
  );
}

/** Remark on the page of an entry of the configuration file. @param where its table there */
export function DeclaredNote({ entry, where }: { entry: Entry; where?: string | undefined }) {
  return isDeclared(entry) ? (
    <p>
      <DeclaredMark where={where} />
    </p>
  ) : null;
}
