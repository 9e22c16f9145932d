import { defaultFilter, type List } from "../../../../response/outputs/block-lists/list.ts";
import { listPresentation } from "../../../../response/outputs/block-lists/presentation.ts";
import { FieldControls, formOfFields, readFormFields } from "../../entries/entry-fields.tsx";
import type { EntryPages } from "../../entries/description.ts";
import { editableEntry, EntryName, entryRoutes } from "../../entries/entry-pages.tsx";
import { Confirm } from "../../kit/components.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { listPath, listsPath as path } from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { enabledDomains } from "../../threat-kit/event-filter.tsx";
import { showList } from "./detail.tsx";
import { listLists } from "./list.tsx";

type Services = "domains" | "lists" | "publicUrl";

const { fields } = listPresentation;

const pages: EntryPages<List, Services> = {
  noun: "list",
  listPage: { label: "Block lists", path },
  pathOf: listPath,
  service: listPresentation.service,
  show: showList,
  form: {
    lead: () => "Threats that match are listed as soon as they do.",
    name: {
      required: true,
      maxLength: 64,
      placeholder: "block",
      autofocus: true,
      hint: "Part of the address: ASCII letters, digits, _ and -.",
    },
    newForm: () => formOfFields(fields, defaultFilter),
    formOf: (list) => formOfFields(fields, list),
    fields: ({ services }) => <FieldControls fields={fields} domains={enabledDomains(services.domains)} />,
    read: ({ form }) => readFormFields(fields, form),
  },
  changed: ({ name }) => `${name} has been changed.`,
  disabled: "is disabled: its addresses return 404. Resolvers continue to use what they have downloaded.",
  removing: (list) => (
    <>
      The addresses of <EntryName entry={list} /> will return 404. The threats stay as they are.
    </>
  ),
  remove: ({ by, services, write }, id) => write(() => services.lists.remove(id, { by })),
};

/** Integrations → Block lists. */
export const listPages: PageGroup = {
  nav: { section: "notify", label: "Block lists", icon: "list", path },
  routes: [
    { method: "GET", path, permission: "read", run: listLists },
    ...entryRoutes(pages),
    { method: "GET", path: `${listPath(":id")}/rotate`, permission: "administer", run: confirmRotation },
    { method: "POST", path: `${listPath(":id")}/rotate`, permission: "administer", run: rotateList },
  ],
};

function confirmRotation(context: Context<Services>): PageResult {
  const list = editableEntry(pages, context);
  return page(
    "Replace token",
    <Confirm
      title="Replace the token of this list?"
      action={`${listPath(list.id)}/rotate`}
      button="Replace token"
      back={listPath(list.id)}
    >
      <p>
        <EntryName entry={list} /> gets new addresses. The current ones return 404 at once: resolvers and
        firewalls have to be set to the new address.
      </p>
    </Confirm>,
  );
}

async function rotateList(context: Context<Services>): Promise<PageResult> {
  const { id, name } = editableEntry(pages, context);
  await context.write(() => context.services.lists.rotate(id, { by: context.by }));
  return redirect(listPath(id), `${name} has a new token. Its old addresses return 404.`);
}
