import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import type { OriginalState } from "../../../../facts/inspection/originals/originals.ts";
import { originalRoles } from "../../../../facts/inspection/model/original.ts";
import { Card, FormError, PageHead } from "../../kit/components.tsx";
import { Button, Form, PostButton, Select, TextField } from "../../kit/form.tsx";
import { Note } from "../../kit/marks.tsx";
import { Name } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { fragment, page, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, originalsPath } from "../../kit/paths.ts";
import { Empty } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { findDomain } from "../domains/shared.ts";
import { LogosCard } from "./logos.tsx";
import { OriginalCard } from "./page-card.tsx";
import { SuggestionsCard } from "./suggestions.tsx";
import { roleNames } from "../../inspection-kit/original-words.ts";

export type OriginalsContext = Context<"domains" | "originals">;

/** Input of the form that adds a page, and what is wrong with it. */
export interface AddForm {
  address: string;
  role: string;
  error: string;
}

const roleChoices = originalRoles.map((role) => ({ value: role, label: roleNames[role] }));

export function showOriginals(context: OriginalsContext): Promise<PageResult> {
  return originalsPage(context);
}

/** @param form input that was rejected */
export async function originalsPage(context: OriginalsContext, form?: AddForm): Promise<PageResult> {
  const domain = findDomain(context);
  const { originals } = context.services;
  const { domain: name, enabled } = domain;
  const pages = originals.pages(domain);
  if (context.request.headers.has("x-fragment"))
    return fragment(<Pages domain={name} pages={pages} now={context.now} />);
  const suggestions = await originals.suggestions(domain);
  return page(
    `Original pages of ${name}`,
    <>
      <PageHead
        title={
          <>
            Original pages of <Name name={name} />
          </>
        }
        crumbs={[
          { label: "Protected domains", path: domainsPath },
          { label: name, path: domainPath(name) },
        ]}
        lead="Pages that attackers are likely to copy. Inspected pages are compared with them. Each is captured once a day."
      >
        {enabled && originals.isEnabled ? (
          <PostButton action={`${originalsPath(name)}/capture`} label="Capture now" icon="image" />
        ) : null}
      </PageHead>
      {originals.isEnabled ? null : (
        <Note tone="warn" title="No pages are captured">
          <code>lookups.enabled</code> is false in the configuration file. Pages are compared with the
          versions on record.
        </Note>
      )}
      <FormError message={form?.error} />
      <div class="cols cols-main">
        <Pages domain={name} pages={pages} now={context.now} />
        <div class="stack">
          <SuggestionsCard domain={domain} suggestions={suggestions} />
          {enabled ? <AddPage domain={domain} form={form} /> : null}
          <LogosCard domain={name} logos={originals.logos(domain)} />
        </div>
      </div>
    </>,
    form === undefined ? {} : { status: 400 },
  );
}

/** Refreshes itself while pages are being captured. */
function Pages({ domain, pages, now }: { domain: string; pages: readonly OriginalState[]; now: number }) {
  const isBusy = pages.some(({ isCapturing, original }) => isCapturing || isAwaited(original, now));
  const refresh = isBusy ? { "data-refresh": originalsPath(domain), "data-refresh-ms": "2000" } : {};
  return (
    <div class="stack" id="original-pages" {...refresh}>
      {pages.length === 0 ? (
        <Empty title="No pages yet">
          The home page is captured within a minute, and the pages to sign in and to pay that it links to.
        </Empty>
      ) : (
        pages.map((state) => <OriginalCard domain={domain} state={state} />)
      )}
    </div>
  );
}

/** Returns whether a page that was never captured is about to be. */
function isAwaited({ capturedAt, dueAt, problem }: OriginalState["original"], now: number): boolean {
  return capturedAt === null && problem === null && dueAt <= now;
}

function AddPage({ domain: { domain }, form }: { domain: ProtectedDomain; form: AddForm | undefined }) {
  const action = originalsPath(domain);
  if (!usePage().mayOpen("POST", action)) return null;
  return (
    <Card title="Add a page">
      <Form action={action}>
        <TextField
          label="Address"
          name="address"
          value={form?.address}
          maxLength={2_000}
          placeholder={`https://${domain}/login`}
          required
          hint="A page that discovery does not find, such as one for customers of one country."
        />
        <Select label="What it is" name="role" choices={roleChoices} value={form?.role ?? "sign_in"} />
        <p class="line">
          <Button label="Add page" />
        </p>
      </Form>
    </Card>
  );
}
