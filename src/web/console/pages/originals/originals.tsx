import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import type { OriginalState } from "../../../../facts/inspection/originals/originals.ts";
import { originalRoles } from "../../../../facts/inspection/model/original.ts";
import { badRequest, notFound, PublicError } from "../../../../platform/lib/errors.ts";
import { domainsPath, domainPath, originalsPath } from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { Card, FormError, Note } from "../../kit/components.tsx";
import { choicesOf, Button, Form, PostButton, Select, TextField } from "../../kit/form.tsx";
import { Name } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { fragment, page, refreshing, type PageResult, redirect } from "../../kit/page-result.ts";
import { Empty } from "../../kit/table.tsx";
import { findDomain } from "../../threat-kit/domains.ts";
import words from "../../inspection-kit/original-words.json" with { type: "json" };
import { addLogo, removeLogo, sendLogo, LogosCard } from "./logos.tsx";
import { applySuggestion, showSuggestion, SuggestionsCard } from "./suggestions.tsx";
import { OriginalCard } from "./page-card.tsx";

const base = `${domainsPath}/:domain/originals`;

/** Pages of a protected domain that attackers are likely to copy, logos, and what they suggest. */
export const originalPages: PageGroup = {
  routes: [
    { method: "GET", path: base, permission: "read", run: (context) => originalsPage(context) },
    { method: "POST", path: base, permission: "administer", run: addOriginal },
    { method: "POST", path: `${base}/capture`, permission: "inspect", run: captureOriginals },
    { method: "POST", path: `${base}/remove`, permission: "administer", run: removeOriginal },
    { method: "POST", path: `${base}/versions`, permission: "administer", run: decideVersion },
    { method: "GET", path: `${base}/versions/:version`, permission: "read", run: sendVersion },
    { method: "POST", path: `${base}/logos`, permission: "administer", body: "upload", run: addLogo },
    { method: "POST", path: `${base}/logos/remove`, permission: "administer", run: removeLogo },
    { method: "GET", path: `${base}/logos/:logo`, permission: "read", run: sendLogo },
    { method: "GET", path: `${base}/suggestions`, permission: "read", run: showSuggestion },
    { method: "POST", path: `${base}/suggestions`, permission: "administer", run: applySuggestion },
  ],
};

type OriginalsContext = Context<"domains" | "originals">;

const roleChoices = choicesOf(originalRoles, (role) => words.roles[role]);

/** @param error what is wrong with the form that adds a page */
async function originalsPage(context: OriginalsContext, error?: string): Promise<PageResult> {
  const domain = findDomain(context);
  const { originals } = context.services;
  const { domain: name, enabled } = domain;
  const pages = originals.pages(domain);
  if (context.request.headers.has("x-fragment"))
    return fragment(<Pages domain={name} pages={pages} now={context.now} />);
  const suggestions = await originals.suggestions(domain);
  return page(
    {
      title: `Original pages of ${name}`,
      heading: (
        <>
          Original pages of <Name name={name} />
        </>
      ),
      crumbs: [
        { label: "Protected domains", path: domainsPath },
        { label: name, path: domainPath(name) },
      ],
      lead: "Pages that attackers are likely to copy. Inspected pages are compared with them. Each is captured once a day.",
      actions:
        enabled && originals.isEnabled ? (
          <PostButton action={`${originalsPath(name)}/capture`} label="Capture now" icon="image" />
        ) : null,
    },
    <>
      {originals.isEnabled ? null : (
        <Note tone="warn" title="No pages are captured">
          <code>lookups.enabled</code> is false in the configuration file. Pages are compared with the
          versions on record.
        </Note>
      )}
      <FormError message={error} />
      <div class="cols cols-main">
        <Pages domain={name} pages={pages} now={context.now} />
        <div class="stack">
          <SuggestionsCard domain={domain} suggestions={suggestions} />
          {enabled ? <AddPage domain={domain} form={error === undefined ? undefined : context.form} /> : null}
          <LogosCard domain={name} logos={originals.logos(domain)} />
        </div>
      </div>
    </>,
    error === undefined ? {} : { status: 400 },
  );
}

/** Refreshes itself while pages are being captured. */
function Pages({ domain, pages, now }: { domain: string; pages: readonly OriginalState[]; now: number }) {
  const isBusy = pages.some(({ isCapturing, original }) => isCapturing || isAwaited(original, now));
  return (
    <div class="stack" id="original-pages" {...refreshing(isBusy, originalsPath(domain), 2_000)}>
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

function AddPage({
  domain: { domain },
  form,
}: {
  domain: ProtectedDomain;
  form?: URLSearchParams | undefined;
}) {
  const action = originalsPath(domain);
  if (!usePage().mayOpen("POST", action)) return null;
  return (
    <Card title="Add a page">
      <Form action={action} form={form}>
        <TextField
          label="Address"
          name="address"
          maxLength={2_000}
          placeholder={`https://${domain}/login`}
          required
          hint="A page that discovery does not find, such as one for customers of one country."
        />
        <Select label="What it is" name="role" choices={roleChoices} initial={form ? undefined : "sign_in"} />
        <p class="line">
          <Button label="Add page" />
        </p>
      </Form>
    </Card>
  );
}

/** A screenshot of a version never changes. */
const screenshotMaxAgeSeconds = 86_400;

async function addOriginal(context: OriginalsContext): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const address = form.get("address") ?? "";
  const role = originalRoles.find((one) => one === form.get("role"));
  try {
    if (role === undefined) throw badRequest(`The role must be one of ${originalRoles.join(", ")}.`);
    await context.write(() => services.originals.add(domain, { address, role }, { by }));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return originalsPage(context, error.message);
  }
  const isCaptured = await services.originals.captureNow(domain);
  return redirect(
    originalsPath(domain.domain),
    isCaptured ? "Page added. It is being captured." : "Page added. It is captured when lookups are enabled.",
  );
}

async function removeOriginal(context: OriginalsContext): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const seq = Number(form.get("page"));
  await context.write(() => services.originals.remove(domain, seq, { by }));
  return redirect(
    originalsPath(domain.domain),
    "Page removed. It is not discovered again. To capture it again, add its address.",
  );
}

async function captureOriginals(context: OriginalsContext): Promise<PageResult> {
  const domain = findDomain(context);
  const path = originalsPath(domain.domain);
  if (await context.services.originals.captureNow(domain))
    return redirect(path, "The pages are being captured.");
  return redirect(path, {
    tone: "warning",
    text: "No page is captured, because lookups.enabled is false in the configuration file.",
  });
}

async function decideVersion(context: OriginalsContext): Promise<PageResult> {
  const { by, form, services } = context;
  const domain = findDomain(context);
  const version = Number(form.get("version"));
  const state = form.get("state");
  if (state !== "accepted" && state !== "rejected")
    throw badRequest("The state must be accepted or rejected.");
  await context.write(() => services.originals.decide(domain, version, state, { by }));
  return redirect(
    originalsPath(domain.domain),
    state === "accepted"
      ? "Pages are compared with this version from now on."
      : "Rejected. Pages are compared with the version before it, if there is one.",
  );
}

async function sendVersion(context: OriginalsContext): Promise<PageResult> {
  const domain = findDomain(context);
  const version = Number(context.params["version"]);
  const screenshot = await context.services.originals.screenshotOf(domain, version);
  if (screenshot === undefined) throw notFound("There is no screenshot for this version.");
  return new Response(screenshot.webp, {
    headers: {
      "content-type": "image/webp",
      "cache-control": `private, max-age=${screenshotMaxAgeSeconds}`,
    },
  });
}
