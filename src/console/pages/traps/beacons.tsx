import { notFound } from "../../../lib/errors.ts";
import { visible } from "../../../lib/safe-text.ts";
import type { Beacon } from "../../../traps/beacons.ts";
import type { Hit } from "../../../traps/hits.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { attempt, listIn } from "../../kit/fields.ts";
import { Button, Form, PostButton, Select, TextArea, TextField } from "../../kit/form.tsx";
import { Confirm, Copyable, Facts, LinkButton, PageHead, Refusal, Section, Time } from "../../kit/kit.tsx";
import { Name, Text } from "../../kit/name.tsx";
import { beaconPath, beaconsPath, newDomainPath, threatPath } from "../../kit/paths.ts";
import { pageGroup, type Context } from "../../shell/router.ts";
import { type Column } from "../../kit/table.tsx";
import {
  ClassBadge,
  PlainHttpNote,
  shortCounts,
  StateOf,
  TrapList,
  visitPage,
  Visits,
} from "./trap-visits.tsx";

const newPath = `${beaconsPath}/new`;

/** Beacons: pages of one's own that tell where they are shown. */
export const beaconPages = pageGroup({
  nav: { section: "main", label: "Beacons", path: beaconsPath },
  services: ["domains", "traps"],
  routes: [
    { method: "GET", path: beaconsPath, permission: "read", run: showAll },
    {
      method: "GET",
      path: newPath,
      permission: "administer",
      run: (context) => newBeacon(context, emptyFields),
    },
    { method: "POST", path: newPath, permission: "administer", run: create },
    { method: "GET", path: `${beaconsPath}/:id`, permission: "read", run: showOne },
    { method: "POST", path: `${beaconsPath}/:id/state`, permission: "administer", run: setState },
    {
      method: "GET",
      path: `${beaconsPath}/:id/visits/:seq`,
      permission: "read",
      run: (context) => visitPage(context, beaconOf(context), beaconPath(beaconOf(context).id)),
    },
    { method: "GET", path: `${beaconsPath}/:id/remove`, permission: "administer", run: askToRemove },
    { method: "POST", path: `${beaconsPath}/:id/remove`, permission: "administer", run: remove },
  ],
});

function beaconOf({ services, params }: Context<"traps">): Beacon {
  const beacon = services.traps.beacons.find(params["id"] ?? "");
  if (beacon === undefined) throw notFound("There is no such beacon.");
  return beacon;
}

function showAll({ services: { traps }, query }: Context<"traps">): PageResult {
  const columns: Column<Beacon>[] = [
    {
      title: "Name",
      look: "wide",
      cell: (beacon) => (
        <a href={beaconPath(beacon.id)}>
          <Text text={beacon.name} />
        </a>
      ),
    },
    { title: "Protected domain", cell: ({ protectedDomain }) => <Name name={protectedDomain} /> },
    { title: "Visits", cell: ({ id }) => shortCounts(traps.hits.counts(id)) },
    { title: "Made", look: "tight", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "State", look: "tight", cell: ({ enabled }) => <StateOf enabled={enabled} /> },
  ];
  return page(
    "Beacons",
    <>
      <PageHead
        title="Beacons"
        lead="A few bytes of script in your own pages, which tell when somebody shows a copy of them on a host of theirs."
      >
        <LinkButton path={newPath} label="Make a beacon" />
      </PageHead>
      <TrapList
        caption="Beacons"
        columns={columns}
        traps={traps.beacons.list()}
        path={beaconsPath}
        query={query}
        empty={
          <>
            No page has a beacon yet. <a href={newPath}>Make one</a> for your sign-in page to begin.
          </>
        }
      />
    </>,
  );
}

interface BeaconFields {
  domain: string;
  name: string;
  allow: string;
  memo: string;
}

const emptyFields: BeaconFields = { domain: "", name: "", allow: "", memo: "" };

function newBeacon(
  { services, query }: Context<"domains" | "traps">,
  fields: BeaconFields,
  fault?: string,
): PageResult {
  const domains = services.domains.list().filter(({ enabled }) => enabled);
  const title = "Make a beacon";
  return page(
    title,
    <>
      <PageHead
        title={title}
        back={{ label: "Beacons", path: beaconsPath }}
        lead="One for each page or site that you want to tell apart."
      />
      <Refusal message={fault} />
      {domains.length === 0 ? (
        <p>
          A beacon belongs to a protected domain. <a href={newDomainPath}>Protect a domain</a> first.
        </p>
      ) : (
        <Form action={newPath} class="narrow">
          <Select
            label="Protected domain"
            name="domain"
            value={fields.domain || (query.get("domain") ?? "")}
            choices={domains.map(({ domain }) => ({ value: domain, label: domain }))}
            hint="The page may be shown on this domain and every host below it."
          />
          <TextField
            label="Name"
            name="name"
            value={fields.name}
            maxLength={100}
            hint="To call it by, such as sign-in. Empty: the domain's."
          />
          <TextArea
            label="Further hosts that may show the page"
            name="allow"
            value={fields.allow}
            rows={3}
            hint="With all below them, one on each line. The domain's own names are allowed anyway."
          />
          <TextField label="Memo" name="memo" value={fields.memo} maxLength={1000} hint="What for." />
          <p class="actions">
            <Button label="Make it" />
          </p>
        </Form>
      )}
    </>,
    fault === undefined ? {} : { status: 400 },
  );
}

async function create(context: Context<"domains" | "traps">): Promise<PageResult> {
  const { services, form, by } = context;
  const text = (name: string) => (form.get(name) ?? "").trim();
  const fields = { domain: text("domain"), name: text("name"), allow: text("allow"), memo: text("memo") };
  const made = await attempt(() =>
    services.traps.beacons.create(
      {
        protectedDomain: fields.domain,
        allow: listIn(fields.allow),
        memo: fields.memo,
        ...(fields.name === "" ? {} : { name: fields.name }),
      },
      by,
    ),
  );
  if (!made.ok) return newBeacon(context, fields, made.message);
  return redirect(beaconPath(made.value.id), "Made. Put the script below into the page.");
}

const visitColumns: Column<Hit>[] = [
  { title: "Class", look: "tight", cell: (hit) => <ClassBadge hit={hit} /> },
  { title: "Page", look: "wide", cell: ({ url }) => <Text text={url} charactersMax={100} /> },
  { title: "Client", look: "tight", cell: ({ ipAddress }) => ipAddress ?? "–" },
  {
    title: "Threat",
    look: "tight",
    cell: ({ threatId }) => (threatId === null ? "–" : <a href={threatPath(threatId)}>show</a>),
  },
];

function showOne(context: Context<"traps">): PageResult {
  const { traps } = context.services;
  const beacon = beaconOf(context);
  const path = beaconPath(beacon.id);
  const { script, style, scriptHash } = traps.beacons.snippets(beacon, traps.publicUrl());
  return page(
    beacon.name,
    <>
      <PageHead title={<Text text={beacon.name} />} back={{ label: "Beacons", path: beaconsPath }}>
        <PostButton
          action={`${path}/state`}
          label={beacon.enabled ? "Disable" : "Enable"}
          fields={{ enabled: beacon.enabled ? "no" : "yes" }}
        />
        <LinkButton path={`${path}/remove`} label="Remove" variant="danger" />
      </PageHead>
      <Facts
        facts={[
          ["Protected domain", <Name name={beacon.protectedDomain} />],
          [
            "May be shown on",
            beacon.own.map((name, index) => [index === 0 ? "" : ", ", <Name name={name} />]),
          ],
          ["Memo", beacon.memo === "" ? "–" : <Text text={beacon.memo} charactersMax={1_000} />],
          ["State", <StateOf enabled={beacon.enabled} />],
          ["Made", <Time at={beacon.createdAt} />],
        ]}
      />
      <Section title="Put this into the page">
        <PlainHttpNote publicUrl={traps.publicUrl()} />
        <p>Anywhere in it. It asks for nothing on your own hosts, sets no cookie and holds nothing up.</p>
        <Copyable text={script} label="script" />
        <details>
          <summary>With a Content-Security-Policy, or without a script</summary>
          <p>A policy of the page has to let the script through by its hash:</p>
          <Copyable text={`script-src ${scriptHash}`} label="policy" />
          <p>
            Where scripts are not wanted, a background picture that is asked for at each view, also by your
            own visitors. It knows the page by the Referer alone:
          </p>
          <Copyable text={style} label="element" />
        </details>
      </Section>
      <Visits context={context} trap={beacon} path={path} columns={visitColumns} />
    </>,
  );
}

function setState(context: Context<"traps">): PageResult {
  const { services, form, by } = context;
  const enabled = form.get("enabled") === "yes";
  const beacon = services.traps.beacons.setEnabled(beaconOf(context).id, enabled, by);
  const outcome = enabled ? "reports again" : "reports nothing any more; its address answers 404";
  return redirect(beaconPath(beacon.id), `${visible(beacon.name)} ${outcome}.`);
}

function askToRemove(context: Context<"traps">): PageResult {
  const beacon = beaconOf(context);
  const title = `Remove ${visible(beacon.name)}?`;
  return page(
    title,
    <Confirm
      title={title}
      action={`${beaconPath(beacon.id)}/remove`}
      button="Remove"
      back={beaconPath(beacon.id)}
    >
      <p>
        Its address answers 404 from then on, and what it has seen is deleted. Threats and events that came of
        it stay.
      </p>
    </Confirm>,
  );
}

function remove(context: Context<"traps">): PageResult {
  const { name } = context.services.traps.beacons.remove(beaconOf(context).id, context.by);
  return redirect(beaconsPath, `${visible(name)} is removed.`);
}
