import { badRequest, PublicError } from "../../../../platform/lib/errors.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import type { ListToImport } from "../../../../intake/sources/imports/imports.ts";
import type { ListImport } from "../../../../intake/sources/imports/tables.ts";
import { looksLikeEmail } from "../../../../intake/sources/name-file-formats/email-head.ts";
import { listFormats } from "../../../../platform/vocabulary/lists.ts";
import { Card } from "../../kit/components.tsx";
import { choicesOf, Button, Form, Select, TextArea, TextField } from "../../kit/form.tsx";
import { Icon } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { orBackTo, redirect, type PageResult } from "../../kit/page-result.ts";
import { sourcesPath, importPath, importsPath } from "../../kit/paths.ts";
import formatLabels from "./list-formats.json" with { type: "json" };
import type { Context } from "../../shell/router.ts";

const fieldBytesMax = 16 * 1024;
const columnLengthMax = 200;
const nameLengthMax = 300;

const formatChoices = choicesOf(listFormats, (format) => formatLabels[format]);

/** Forms to upload a file or to type names. The fields precede the file in the form because the upload is streamed. */
export function ImportForms() {
  const { csrfToken, may } = usePage();
  if (!may("import")) return null;
  return (
    <div class="cols cols-2" id="import">
      <Card title="Import a file">
        <form method="post" action={importsPath} encType="multipart/form-data" data-upload="">
          <input type="hidden" name="form_token" value={csrfToken} />
          <details class="more">
            <summary>File format</summary>
            <div>
              <Select label="Format" name="format" choices={formatChoices} />
              <TextField
                label="Column"
                name="column"
                maxLength={200}
                hint="CSV: column name or number. JSON: field name, with dots for nested fields. Leave empty to use the default."
              />
            </div>
          </details>
          <div data-field="" class="drop">
            <Icon name="download" />
            <label for="file" class="strong">
              Choose a file, or drop it anywhere on this page
            </label>
            <input type="file" id="file" name="file" required aria-describedby="file-hint" />
            <p data-hint="" id="file-hint" class="hint">
              Up to 1 GiB, plain, gzip, Zstandard, or ZIP. The file is processed during the upload and not
              stored.
            </p>
          </div>
          <p class="error" role="alert" data-upload-error="" hidden></p>
          <p class="line">
            <Button label="Import file" />
          </p>
        </form>
      </Card>
      <Card title="Check names, links or an email">
        <Form action={`${importsPath}/names`}>
          <TextArea
            label="Names, links or an email"
            name="names"
            rows={6}
            hint="Names, links and email addresses, also defanged: hxxps://paypa1[.]com/login. Or one email with its header, as “Show original” displays it. For an email with attachments, import its .eml file."
          />
          <p class="line">
            <Button label="Check" />
          </p>
        </Form>
      </Card>
    </div>
  );
}

/** Responds after the whole file has been processed, because the browser is uploading until then. */
export async function importFile(context: Context<"imports">): Promise<PageResult> {
  const { request, services } = context;
  // The console's script reads the location from the body; it does not follow redirects.
  const isScript = request.headers.has("x-fragment");
  try {
    // Checked before reading, so that a file is not uploaded for nothing.
    if (services.imports.running() !== undefined)
      throw badRequest("Another list is being imported. Wait until it is done, or cancel it.");
    const { fields, file } = await context.readUpload({ fieldBytesMax });
    if (file === undefined) throw badRequest("choose a file first");
    const length = request.headers.get("content-length");
    const { seq } = await runImport(context, {
      name: file.name.slice(0, nameLengthMax),
      content: file.content,
      bytesTotal: length === null ? null : Number(length),
      ...readFormat(fields),
    });
    const path = importPath(seq);
    return isScript ? new Response(path) : redirect(path);
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const text = sentence(error.message);
    return isScript ? new Response(text, { status: 400 }) : redirect(sourcesPath, { tone: "danger", text });
  }
}

/** A link in Markdown also starts with a bracket. */
const jsonStart = /^\s*[[{]\s*["{[]/;

export async function importNames(context: Context<"imports">): Promise<PageResult> {
  const text = context.form.get("names") ?? "";
  const bytes = new TextEncoder().encode(text);
  return orBackTo(sourcesPath, async () => {
    if (bytes.every((byte) => byte <= 0x20)) throw badRequest("enter at least one name");
    const content = new Blob([bytes]).stream();
    const format = looksLikeEmail(text) ? "email" : jsonStart.test(text) ? "auto" : "lines";
    const list = { name: null, content, bytesTotal: bytes.length, format, column: "" } as const;
    return redirect(importPath((await runImport(context, list)).seq));
  });
}

async function runImport({ services, by }: Context<"imports">, list: ListToImport): Promise<ListImport> {
  const { ended } = await services.imports.begin(list, { by });
  return ended;
}

function readFormat(fields: ReadonlyMap<string, string>): Pick<ListToImport, "format" | "column"> {
  const format = listFormats.find((one) => one === (fields.get("format") ?? "auto"));
  if (format === undefined) throw badRequest(`the format must be one of ${listFormats.join(", ")}`);
  const column = fields.get("column") ?? "";
  if (column.length > columnLengthMax)
    throw badRequest(`the column must have at most ${columnLengthMax} characters`);
  return { format, column };
}
