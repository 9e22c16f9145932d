import { type TokenAnswer } from "../../../traps/values.ts";
import { tokenKinds } from "../../../vocabulary/traps.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { attempt, dayIn } from "../../kit/fields.ts";
import { Button, Choices, Form, TextArea, TextField } from "../../kit/form.tsx";
import { PageHead, Refusal } from "../../kit/kit.tsx";
import { newTokenPath, tokenPath, tokensPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";

export const noFields = {
  kind: "url",
  name: "",
  memo: "",
  answer: "not_found",
  title: "",
  text: "",
  redirect: "",
  expires: "",
};
type TokenFields = typeof noFields;

const kinds = [
  { value: "url", label: "Link", hint: "an address in a wiki, a mail, a file of passwords" },
  { value: "pixel", label: "Picture", hint: "one transparent pixel, for pages and HTML mails" },
  { value: "document", label: "Document", hint: "a Word document or PDF that calls home when it is opened" },
];
const answers = [
  { value: "not_found", label: "404, as if nothing were there" },
  { value: "page", label: "A page" },
  { value: "redirect", label: "A redirect" },
];

export function newToken(fields: TokenFields, fault?: string): PageResult {
  const title = "Make a honeytoken";
  return page(
    title,
    <>
      <PageHead title={title} back={{ label: "Honeytokens", path: tokensPath }} />
      <Refusal message={fault} />
      <Form action={newTokenPath} class="narrow">
        <Choices label="Kind" name="kind" choices={kinds} values={[fields.kind]} single />
        <TextField
          label="Name"
          name="name"
          value={fields.name}
          maxLength={100}
          hint="To call it by. Empty: the kind's."
        />
        <TextField
          label="Memo"
          name="memo"
          value={fields.memo}
          maxLength={1000}
          hint="Where the bait lies, for whoever gets the alarm."
        />
        <TextField
          label="Expires"
          name="expires"
          type="date"
          value={fields.expires}
          hint="At the beginning of that day, UTC. Empty: never."
        />
        <Choices label="A link answers" name="answer" choices={answers} values={[fields.answer]} single />
        <TextField label="Title of the page" name="title" value={fields.title} maxLength={200} />
        <TextArea label="Text of the page" name="text" value={fields.text} rows={3} maxLength={5_000} />
        <TextField
          label="Address of the redirect"
          name="redirect"
          type="url"
          value={fields.redirect}
          maxLength={2_000}
          placeholder="https://"
        />
        <p class="actions">
          <Button label="Make it" />
        </p>
      </Form>
    </>,
    fault === undefined ? {} : { status: 400 },
  );
}

export async function createToken({ services, form, by }: Context<"traps">): Promise<PageResult> {
  const fields: TokenFields = { ...noFields };
  for (const name of Object.keys(noFields) as (keyof TokenFields)[])
    fields[name] = (form.get(name) ?? "").trim();
  const expiresAt = dayIn(fields.expires);
  const kind = tokenKinds.find((known) => known === fields.kind);
  if (kind === undefined) return newToken(fields, "Choose a kind.");
  if (fields.expires !== "" && expiresAt === undefined)
    return newToken(fields, "The day of expiry is written as 2027-01-31.");
  const made = await attempt(() =>
    services.traps.tokens.create(
      {
        kind,
        memo: fields.memo,
        // What a link answers is asked for whatever the kind: the form works without script.
        ...(kind === "url" ? { answer: answerOf(fields) } : {}),
        ...(fields.name === "" ? {} : { name: fields.name }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
      by,
    ),
  );
  if (!made.ok) return newToken(fields, made.message);
  return redirect(tokenPath(made.value.id), "Made. Lay it out where only an intruder would find it.");
}

function answerOf({ answer, title, text, redirect: url }: TokenFields): TokenAnswer {
  if (answer === "page") return { kind: "page", title, text };
  return answer === "redirect" ? { kind: "redirect", url } : { kind: "not_found" };
}
