import { readPastedName } from "../../../../engines/detection/names/pasted-name.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { bytesText, formatDuration } from "../../../../platform/lib/durations.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { RulePreview } from "../../../../operations/retention/retention.ts";
import { Section, Time, Separated } from "../../kit/components.tsx";
import { attempt, type FieldErrors } from "../../kit/fields.ts";
import { Button, Form, TextField } from "../../kit/form.tsx";
import { Name } from "../../kit/inline.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { threatPath, retentionPath as path } from "../../kit/paths.ts";
import { column, Table, type Column } from "../../kit/table.tsx";
import type { Context, PageGroup } from "../../shell/router.ts";

type RetentionContext = Context<"candidates" | "dataRetention">;

const nameCharactersMax = 253;

/** Preview of what the settings delete, and the names that stay deleted. */
async function showRetention(
  context: RetentionContext,
  rejected: { form?: URLSearchParams; errors?: FieldErrors } = {},
): Promise<PageResult> {
  const { dataRetention } = context.services;
  const rows = await dataRetention.previews();
  const names = dataRetention.deletedNames();
  return page(
    {
      title: "Retention",
      errors: rejected.errors,
      lead: (
        <>
          What <code>[retention]</code> deletes. A setting that is new or shorter deletes nothing in its first
          24 hours. See <a href="/docs/retention">the manual</a>, which says what stays.
        </>
      ),
    },
    <>
      <Table caption="Settings" columns={columns} rows={rows} empty="No settings." />
      <Section title="Deleted names">
        <p>
          {names === 0
            ? "No threat was deleted yet. The names of deleted threats are kept, so that lists do not record them again."
            : `${counted(names, "name is", "names are")} kept, so that lists do not record the deleted threats again.`}
        </p>
        {names === 0 || !context.may("administer") ? null : (
          <Form action={`${path}/restore`} class="stack" {...rejected}>
            <TextField label="Name of a deleted threat" name="name" maxLength={nameCharactersMax} required />
            <div class="line">
              <Button label="Record again" />
            </div>
          </Form>
        )}
      </Section>
    </>,
  );
}

/** Records a deleted name again, as a new threat. */
async function restoreName(context: RetentionContext): Promise<PageResult> {
  const { services, form, by } = context;
  const restored = await attempt(async () => {
    const read = readPastedName(form.get("name") ?? "");
    if ("error" in read) throw badRequest(`The name ${read.error}.`);
    const { name } = read;
    if ((await services.dataRetention.restore(name, by)).length === 0)
      throw badRequest(`No deleted threat is called ${visible(name, 100)}.`);
    return services.candidates.submit([name], { source: "submission" });
  });
  if (!restored.ok) return showRetention(context, { form, errors: { name: restored.message } });
  const [first] = restored.value.matches.flatMap(({ threats }) => threats);
  return first === undefined
    ? redirect(path, "The name may be recorded again. It resembles no protected domain at present.")
    : redirect(threatPath(first.threatId), "Recorded again.");
}

const columns: readonly Column<RulePreview>[] = [
  column("Setting", "wide title", ({ ageMs, rule }) => (
    <>
      <code>{rule}</code>
      <p>{ageMs === null ? "off" : formatDuration(ageMs)}</p>
    </>
  )),
  column("Deletes", "number state", ({ preview }) => (preview === undefined ? "" : grouped(preview.count))),
  column("Size, about", "number under", ({ preview }) =>
    preview === undefined ? "" : bytesText(preview.bytes),
  ),
  column("From", "under", ({ ageMs, deletesFrom }) =>
    ageMs === null ? (
      ""
    ) : deletesFrom === null ? (
      "24 hours after the server reads it"
    ) : (
      <Time at={deletesFrom} />
    ),
  ),
  column("Age", "under", ({ preview }) =>
    preview === undefined || preview.oldest === null || preview.newest === null ? (
      ""
    ) : (
      <>
        <Time at={preview.oldest} /> to <Time at={preview.newest} />
      </>
    ),
  ),
  column("For example", "under", ({ preview }) => (
    <Separated items={preview?.examples ?? []}>{(name) => <Name name={name} />}</Separated>
  )),
];

/** Settings → Retention. */
export const retentionPages: PageGroup = {
  nav: { section: "settings", label: "Retention", icon: "clock", path },
  routes: [
    { method: "GET", path, permission: "read", run: (context) => showRetention(context) },
    { method: "POST", path: `${path}/restore`, permission: "administer", run: restoreName },
  ],
};
