import type { Entry } from "../../../access/entries/administration.ts";
import { FormButtons, FlashMessage } from "../kit/components.tsx";
import { attempt } from "../kit/fields.ts";
import { Button, Form, TextField } from "../kit/form.tsx";
import { page, redirect, type PageResult } from "../kit/page-result.ts";
import type { Context } from "../shell/router.ts";
import type { ServiceName } from "../shell/services.ts";
import type { EntryPages, FormState, Saved } from "./description.ts";

export function showEntryForm<E extends Entry, Name extends ServiceName, Settings extends object>(
  { form: description, listPage, noun, pathOf, short = noun }: EntryPages<E, Name, Settings>,
  context: Context<Name>,
  given: FormState<E> & { preview?: string },
): PageResult {
  const { form, entry, errors = {}, preview } = given;
  const state = { form, entry, errors };
  const isNew = entry === undefined;
  const title = isNew ? (description.addTitle?.(context, state) ?? `Add ${noun}`) : `Edit ${entry.name}`;
  const back = isNew ? (description.addCrumb ?? listPage) : { label: entry.name, path: pathOf(entry.id) };
  return page(
    { title, crumbs: [back], lead: description.lead?.(context, state), errors, class: "narrow" },
    <>
      {preview === undefined ? null : <FlashMessage flash={{ tone: "success", text: `${preview}.` }} />}
      {description.missing?.(context, state) ?? (
        <Form action={isNew ? pathOf("add") : `${back.path}/edit`} form={form} errors={errors}>
          {description.before?.(context, state)}
          {isNew ? <TextField label="Name" name="name" {...description.name} /> : null}
          {description.fields(context, state)}
          <FormButtons submit={isNew ? `Add ${short}` : "Save"} back={back.path}>
            {description.preview === undefined ? null : <Button label="Preview" name="preview" value="yes" />}
          </FormButtons>
        </Form>
      )}
    </>,
  );
}

/** Adds an entry, or changes `entry`, with what the form contains; shows it again if something is wrong. */
export async function saveEntry<E extends Entry, Name extends ServiceName, Settings extends object>(
  pages: EntryPages<E, Name, Settings>,
  context: Context<Name>,
  entry: E | undefined,
): Promise<PageResult> {
  const { form } = context;
  const { preview, read, wordErrors } = pages.form;
  const { settings, errors } = read(context, entry);
  if (Object.keys(errors).length > 0) return showEntryForm(pages, context, { form, entry, errors });
  if (preview !== undefined && form.has("preview"))
    return showEntryForm(pages, context, { form, entry, preview: preview(settings) });
  const name = (form.get("name") ?? "").trim();
  const saved = await attempt(() => (pages.save ?? saveWith(pages))(context, settings, { name, entry }));
  if (!saved.ok) {
    const worded = wordErrors?.(saved.errors, context, entry) ?? saved.errors;
    return showEntryForm(pages, context, { form, entry, errors: worded });
  }
  const { id, message } = saved.value;
  const usual = entry === undefined ? `${name} has been added.` : (pages.changed?.(entry) ?? "Saved.");
  return redirect(pages.pathOf(id), message ?? usual);
}

/** Saves an entry with the service, which validates the settings. */
function saveWith<E extends Entry, Name extends ServiceName, Settings extends object>({
  service,
}: EntryPages<E, Name, Settings>): Required<EntryPages<E, Name, Settings>>["save"] {
  return ({ by, services, write }, settings, { name, entry }) =>
    write<Saved>(() => {
      const { add, change } = service(services);
      const { id } =
        entry === undefined
          ? (add({ ...settings, name } as never, { by }) as E)
          : change(entry.id, settings as never, { by });
      return { id };
    });
}
