import { badRequest, notFound } from "../../../lib/errors.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted } from "../../../lib/wording.ts";
import type { Honeytoken } from "../../../traps/honeytokens.ts";
import { documentFormats } from "../../../vocabulary/traps.ts";
import { download, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { Button, Choices, Form, PostButton, TextArea, TextField } from "../../kit/form.tsx";
import type { Hit } from "../../../traps/hits.ts";
import { Confirm, Copyable, Facts, LinkButton, PageHead, Section, Time } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { newTokenPath, tokenPath, tokensPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { type Column } from "../../kit/table.tsx";
import { createToken, newToken, noFields } from "./honeytoken-form.tsx";
import {
  ClassBadge,
  PlainHttpNote,
  shortCounts,
  StateOf,
  TrapList,
  UserAgent,
  visitPage,
  Visits,
} from "./trap-visits.tsx";

/** Honeytokens: addresses that nobody has a reason to ask for. */
export const tokenPages = pageGroup({
  nav: { section: "main", label: "Honeytokens", path: tokensPath },
  services: ["traps"],
  routes: [
    { method: "GET", path: tokensPath, permission: "read", run: showAll },
    { method: "GET", path: newTokenPath, permission: "administer", run: () => newToken(noFields) },
    { method: "POST", path: newTokenPath, permission: "administer", run: createToken },
    { method: "GET", path: `${tokensPath}/:id`, permission: "read", run: showOne },
    { method: "GET", path: `${tokensPath}/:id/document`, permission: "read", run: sendDocument },
    { method: "POST", path: `${tokensPath}/:id/state`, permission: "administer", run: setState },
    {
      method: "GET",
      path: `${tokensPath}/:id/visits/:seq`,
      permission: "read",
      run: (context) => visitPage(context, tokenOf(context), tokenPath(tokenOf(context).id)),
    },
    { method: "GET", path: `${tokensPath}/:id/rotate`, permission: "administer", run: askToRotate },
    { method: "POST", path: `${tokensPath}/:id/rotate`, permission: "administer", run: rotate },
    { method: "GET", path: `${tokensPath}/:id/remove`, permission: "administer", run: askToRemove },
    { method: "POST", path: `${tokensPath}/:id/remove`, permission: "administer", run: remove },
  ],
});

function tokenOf({ services, params }: Context<"traps">): Honeytoken {
  const token = services.traps.tokens.find(params["id"] ?? "");
  if (token === undefined) throw notFound("There is no such honeytoken.");
  return token;
}

const isExpired = ({ expiresAt }: Honeytoken, now: number) => expiresAt !== null && expiresAt <= now;

function showAll({ services: { traps }, now, query }: Context<"traps">): PageResult {
  const columns: Column<Honeytoken>[] = [
    {
      title: "Name",
      look: "wide",
      cell: (token) => (
        <a href={tokenPath(token.id)}>
          <Text text={token.name} />
        </a>
      ),
    },
    { title: "Kind", look: "tight", cell: ({ kind }) => kind },
    { title: "Memo", cell: ({ memo }) => <Text text={memo} charactersMax={120} /> },
    { title: "Visits", cell: ({ id }) => shortCounts(traps.hits.counts(id)) },
    { title: "Made", look: "tight", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: "State",
      look: "tight",
      cell: (token) => <StateOf enabled={token.enabled} expired={isExpired(token, now)} />,
    },
  ];
  return page(
    "Honeytokens",
    <>
      <PageHead
        title="Honeytokens"
        lead="Links, pictures and documents that nobody has a reason to open. Whoever does has been where they should not be."
      >
        <LinkButton path={newTokenPath} label="Make a honeytoken" />
      </PageHead>
      <TrapList
        caption="Honeytokens"
        columns={columns}
        traps={traps.tokens.list()}
        path={tokensPath}
        query={query}
        empty={
          <>
            No bait is laid out yet. <a href={newTokenPath}>Make a honeytoken</a> to begin.
          </>
        }
      />
    </>,
  );
}

const visitColumns: Column<Hit>[] = [
  { title: "Class", look: "tight", cell: (hit) => <ClassBadge hit={hit} /> },
  { title: "Client", look: "tight", cell: ({ ipAddress }) => ipAddress ?? "–" },
  { title: "User agent", look: "wide", cell: (hit) => <UserAgent hit={hit} /> },
  {
    title: "Page before",
    cell: ({ referrer }) => (referrer === null ? "–" : <Text text={referrer} charactersMax={100} />),
  },
];

function showOne(context: Context<"traps">): PageResult {
  const { services, now } = context;
  const { traps } = services;
  const token = tokenOf(context);
  const path = tokenPath(token.id);
  const url = traps.tokens.url(token, traps.publicUrl());
  return page(
    token.name,
    <>
      <PageHead title={<Text text={token.name} />} back={{ label: "Honeytokens", path: tokensPath }}>
        <PostButton
          action={`${path}/state`}
          label={token.enabled ? "Disable" : "Enable"}
          fields={{ enabled: token.enabled ? "no" : "yes" }}
        />
        <LinkButton path={`${path}/rotate`} label="Rotate" variant="outline" />
        <LinkButton path={`${path}/remove`} label="Remove" variant="danger" />
      </PageHead>
      <Facts
        facts={[
          ["Kind", token.kind],
          ["Where it lies", token.memo === "" ? "–" : <Text text={token.memo} charactersMax={1_000} />],
          ["Answers", answerText(token)],
          ["State", <StateOf enabled={token.enabled} expired={isExpired(token, now)} />],
          ["Expires", token.expiresAt === null ? "never" : <Time at={token.expiresAt} />],
          ["Made", <Time at={token.createdAt} />],
          ...(token.oldAddresses.length === 0
            ? []
            : [
                [
                  "Watched still",
                  counted(token.oldAddresses.length, "earlier address", "earlier addresses"),
                ] as const,
              ]),
        ]}
      />
      <Section title="Lay it out">
        <PlainHttpNote publicUrl={traps.publicUrl()} />
        <p>Whatever is written after the address, as in /salaries.xlsx, belongs to it as well.</p>
        <Copyable text={url} label="address" />
        {token.kind === "pixel" ? (
          <>
            <p>For a page or an HTML mail:</p>
            <Copyable text={`<img src="${url}" width="1" height="1" alt="">`} label="element" />
          </>
        ) : null}
        {token.kind === "document" ? <DocumentForm token={token} /> : null}
      </Section>
      <Visits context={context} trap={token} path={path} columns={visitColumns} />
    </>,
  );
}

function answerText({ kind, answer }: Honeytoken) {
  if (kind !== "url") return "a picture of one transparent pixel";
  if (answer.kind === "not_found") return "404, as if nothing were there";
  return answer.kind === "page" ? (
    <>
      a page: <Text text={answer.title} />
    </>
  ) : (
    <>
      a redirect to <Text text={answer.url} charactersMax={500} />
    </>
  );
}

/** A GET, for nothing changes. */
function DocumentForm({ token }: { token: Honeytoken }) {
  return (
    <form method="get" action={`${tokenPath(token.id)}/document`} class="narrow">
      <TextField label="Title" name="title" value={token.name} maxLength={200} />
      <TextArea label="Text" name="text" rows={3} maxLength={5_000} hint="What a reader of the bait sees." />
      <p class="actions">
        <Button label="Download as Word document" name="format" value="docx" />
        <Button label="Download as PDF" name="format" value="pdf" variant="secondary" />
      </p>
      <p class="hint">
        Word calls home once editing is enabled, LibreOffice as its settings for links allow. Acrobat asks the
        reader of a PDF first; most other viewers only follow a click on the page.
      </p>
    </form>
  );
}

async function sendDocument(context: Context<"traps">): Promise<PageResult> {
  const { query, services } = context;
  const token = tokenOf(context);
  const format = documentFormats.find((known) => known === query.get("format"));
  if (format === undefined || token.kind !== "document")
    throw badRequest("Only a honeytoken of kind document is written, to docx or pdf.");
  const title = (query.get("title") ?? token.name).slice(0, 200);
  const text = (query.get("text") ?? "").slice(0, 5_000);
  const bytes = await services.traps.document(token, format, { title, text });
  const { documentTypes } = await import("../../../traps/documents.ts");
  return download(`${title || token.name}.${format}`, documentTypes[format], bytes);
}

function setState(context: Context<"traps">): PageResult {
  const { services, form, by } = context;
  const enabled = form.get("enabled") === "yes";
  const token = services.traps.tokens.setEnabled(tokenOf(context).id, enabled, by);
  const outcome = enabled ? "is watched again" : "answers 404 and counts nothing from now on";
  return redirect(tokenPath(token.id), `${visible(token.name)} ${outcome}.`);
}

const oldAddressChoices = [
  { value: "yes", label: "is watched still", hint: "to see who kept it" },
  { value: "no", label: "answers 404 from now on", hint: "what has it has to be laid out anew" },
];

function askToRotate(context: Context<"traps">): PageResult {
  const token = tokenOf(context);
  const title = `Give ${visible(token.name)} a new address?`;
  const path = tokenPath(token.id);
  return page(
    title,
    <>
      <PageHead title={title} back={{ label: token.name, path }} />
      <Form action={`${path}/rotate`} class="narrow">
        <Choices label="The old one" name="watch_old" choices={oldAddressChoices} values={["yes"]} single />
        <p class="actions">
          <Button label="New address" />
          <LinkButton path={path} label="Cancel" variant="outline" />
        </p>
      </Form>
    </>,
  );
}

function rotate(context: Context<"traps">): PageResult {
  const watchOld = context.form.get("watch_old") === "yes";
  const token = context.services.traps.tokens.rotate(tokenOf(context).id, { watchOld }, context.by);
  const old = watchOld ? "The old one is watched still." : "The old one answers 404.";
  return redirect(tokenPath(token.id), `${visible(token.name)} has a new address. ${old}`);
}

function askToRemove(context: Context<"traps">): PageResult {
  const token = tokenOf(context);
  const title = `Remove ${visible(token.name)}?`;
  return page(
    title,
    <Confirm
      title={title}
      action={`${tokenPath(token.id)}/remove`}
      button="Remove"
      back={tokenPath(token.id)}
    >
      <p>Its addresses answer 404 from then on, and its visits are deleted. Events that were sent stay.</p>
    </Confirm>,
  );
}

function remove(context: Context<"traps">): PageResult {
  const { name } = context.services.traps.tokens.remove(tokenOf(context).id, context.by);
  return redirect(tokensPath, `${visible(name)} is removed.`);
}
