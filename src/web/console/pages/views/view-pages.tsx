import { viewNameCharactersMax, type SavedView } from "../../../../access/views/saved-views.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { Card, FormButtons, FormError } from "../../kit/components.tsx";
import { attempt, parseWholeNumber, type FieldErrors } from "../../kit/fields.ts";
import { Form, HiddenFields, PostButton, TextField } from "../../kit/form.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { newViewPath, savedViewPath, threatsPath } from "../../kit/paths.ts";
import type { Context, PageGroup } from "../../shell/router.ts";
import { listPath, readListRequest, type ListReader, activeFilters } from "../../threat-kit/filters.ts";

type ViewContext = Context<"savedViews">;

const toThreats = { label: "Threats", path: threatsPath };

function newView(context: ViewContext): PageResult {
  return showNewView(context, readListRequest(context.query, context).query);
}

async function saveView(context: ViewContext): Promise<PageResult> {
  const { services, form, by, write } = context;
  // An invalid query is never saved; the canonical one is.
  const { query } = readListRequest(new URLSearchParams(form.get("query") ?? ""), context);
  const name = form.get("name") ?? "";
  const saved = await attempt(() =>
    write(() => services.savedViews.add({ name, query: query.toString() }, { by })),
  );
  if (!saved.ok) return showNewView(context, query, form, { name: saved.message });
  return redirect(listPath(query), "View saved.");
}

function showNewView(
  reader: ListReader,
  query: URLSearchParams,
  form = new URLSearchParams(),
  errors?: FieldErrors,
): PageResult {
  return page(
    { title: "Save view", crumbs: [toThreats], errors },
    <div class="narrow">
      <Card>
        <Form action={newViewPath} class="stack" form={form} errors={errors}>
          <HiddenFields fields={{ query: query.toString() }} />
          <p class="quiet">The view becomes a tab for everybody. Filters: {describeView(query, reader)}.</p>
          <NameField />
          <FormButtons submit="Save view" back={listPath(query)} />
        </Form>
      </Card>
    </div>,
  );
}

function NameField() {
  return <TextField label="Name" name="name" maxLength={viewNameCharactersMax} required autofocus />;
}

function describeView(query: URLSearchParams, reader: ListReader): string {
  const text = query.get("q");
  const filters = activeFilters(query, readListRequest(query, reader).filter);
  return [
    ...(text === null ? [] : [`name contains ${visible(text, 60)}`]),
    ...(filters.length === 0
      ? ["any status"]
      : filters.map(({ label, value }) => `${lowered(label)} ${value}`)),
  ].join(", ");
}

function lowered(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

function findView({ services, params }: ViewContext): SavedView {
  const seq = parseWholeNumber(params["seq"]);
  if (seq === undefined) throw notFound("There is no saved view with this number.");
  return services.savedViews.get(seq);
}

function editView(context: ViewContext): PageResult {
  const view = findView(context);
  return showView(context, view, new URLSearchParams({ name: view.name }));
}

async function renameView(context: ViewContext): Promise<PageResult> {
  const { services, form, by, write } = context;
  const view = findView(context);
  const name = form.get("name") ?? "";
  const renamed = await attempt(() => write(() => services.savedViews.rename(view.seq, name, { by })));
  if (!renamed.ok) return showView(context, view, form, { name: renamed.message });
  return redirect(pathOf(view, context), "View renamed.");
}

async function moveView(context: ViewContext): Promise<PageResult> {
  const view = findView(context);
  await context.write(() => context.services.savedViews.moveUp(view.seq));
  return redirect(savedViewPath(view.seq), "View moved one place to the left.");
}

async function deleteView(context: ViewContext): Promise<PageResult> {
  const { seq } = findView(context);
  const { services, by, write } = context;
  const { name, query } = await write(() => services.savedViews.remove(seq, { by }));
  return redirect(threatsPath, {
    tone: "success",
    text: "View deleted.",
    action: { label: "Undo", path: newViewPath, fields: { name, query } },
  });
}

/** Returns the list with a view, or its page if its filters are no longer valid. */
function pathOf({ seq, query }: SavedView, reader: ListReader): string {
  return isValid(query, reader) ? listPath(new URLSearchParams(query)) : savedViewPath(seq);
}

function isValid(query: string, reader: ListReader): boolean {
  try {
    readListRequest(new URLSearchParams(query), reader);
    return true;
  } catch {
    return false;
  }
}

function showView(
  reader: ListReader,
  view: SavedView,
  form: URLSearchParams,
  errors?: FieldErrors,
): PageResult {
  const path = savedViewPath(view.seq);
  const isShown = isValid(view.query, reader);
  return page(
    { title: "Saved view", crumbs: [toThreats], errors },
    <>
      {isShown ? null : (
        <FormError message="The filters of this view are no longer valid, so it shows nothing. Delete it." />
      )}
      <div class="narrow">
        <Card
          footer={
            <div class="line">
              <PostButton action={`${path}/move`} label="Move left" small />
              <PostButton action={`${path}/delete`} label="Delete view" variant="danger" small />
            </div>
          }
        >
          <Form action={path} class="stack" form={form} errors={errors}>
            {isShown ? (
              <p class="quiet">Filters: {describeView(new URLSearchParams(view.query), reader)}.</p>
            ) : null}
            <NameField />
            <FormButtons submit="Rename" back={pathOf(view, reader)} />
          </Form>
        </Card>
      </div>
    </>,
  );
}

const view = savedViewPath(":seq");

/** Saved views of the list of threats. */
export const viewPages: PageGroup = {
  routes: [
    { method: "GET", path: newViewPath, permission: "decide", run: newView },
    { method: "POST", path: newViewPath, permission: "decide", run: saveView },
    { method: "GET", path: view, permission: "decide", run: editView },
    { method: "POST", path: view, permission: "decide", run: renameView },
    { method: "POST", path: `${view}/move`, permission: "decide", run: moveView },
    { method: "POST", path: `${view}/delete`, permission: "decide", run: deleteView },
  ],
};
