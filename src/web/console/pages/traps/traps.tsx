import type { TrapKind } from "../../../../response/traps/kind.ts";
import { rotates, type TrapKindName } from "../../../../platform/vocabulary/traps.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import type { Trap } from "../../../../response/traps/trap.ts";
import type { VisitStore, VisitTotal } from "../../../../response/traps/visits/store.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import type { FieldValues, TrapField } from "../../../../response/traps/presentation.ts";
import { redirect, page, type PageResult } from "../../kit/page-result.ts";
import {
  formerTrapsPath,
  trapPath,
  trapsPath,
  visitPath,
  newTrapPath,
  newDomainPath,
} from "../../kit/paths.ts";
import type { PageGroup, Context, Route } from "../../shell/router.ts";
import { LinkButton, Time, FirstStep } from "../../kit/components.tsx";
import { Text } from "../../kit/inline.tsx";
import { column, ListTable, type Column, Empty } from "../../kit/table.tsx";
import { attempt, parseDay, splitList, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { choicesOf, Button, Choices, Form, Select, TextArea, TextField } from "../../kit/form.tsx";
import {
  confirmDeletion,
  confirmRotation,
  deleteTrap,
  rotateTrap,
  sendFile,
  setTrapState,
  showTrap,
} from "./detail.tsx";
import { showVisit, totalsTexts, StateOf, ValueOf, RowTimeline, timelineSince } from "./visits.tsx";

type Services = "domains" | "traps";
type Run = (context: Context<Services>, kind: TrapKind) => ReturnType<Route<Services>["run"]>;

/** Returns the pages for one kind of trap. */
export function trapPages(kind: TrapKind): PageGroup {
  const all = trapsPath(kind.name);
  const one = `${all}/:id`;
  const route = (
    [method, path]: [Route["method"], string],
    permission: Route["permission"],
    run: Run,
  ): Route<Services> => ({ method, path, permission, run: (context) => run(context, kind) });
  return {
    nav: { section: "traps", label: kind.presentation.title, icon: kind.presentation.icon, path: all },
    routes: [
      route(["GET", all], "read", listTraps),
      route(["GET", `${all}/new`], "administer", newTrap),
      route(["POST", `${all}/new`], "administer", createTrap),
      route(["GET", one], "read", showTrap),
      route(["GET", visitPath(one, ":seq")], "read", showVisit),
      route(["POST", `${one}/state`], "administer", setTrapState),
      route(["GET", `${one}/delete`], "administer", confirmDeletion),
      route(["POST", `${one}/delete`], "administer", deleteTrap),
      ...(rotates(kind.name)
        ? [
            route(["GET", `${one}/rotate`], "administer", confirmRotation),
            route(["POST", `${one}/rotate`], "administer", rotateTrap),
          ]
        : []),
      ...(kind.presentation.files === undefined ? [] : [route(["GET", `${one}/file`], "read", sendFile)]),
      ...kind.presentation.aliases.flatMap((alias) => formerRoutes(formerTrapsPath(alias), kind.name)),
    ],
  };
}

/** Redirects pages at a former address of the section. */
function formerRoutes(former: string, name: TrapKindName): Route<Services>[] {
  const redirectFrom = (path: string, to: (params: Record<string, string>) => string): Route<Services> => ({
    method: "GET",
    path,
    permission: "read",
    run: ({ params }) => redirect(to(params)),
  });
  const one = ({ id = "" }: Record<string, string>) => trapPath(name, encodeURIComponent(id));
  return [
    redirectFrom(former, () => trapsPath(name)),
    redirectFrom(`${former}/:id`, one),
    redirectFrom(visitPath(`${former}/:id`, ":seq"), (params) =>
      visitPath(one(params), Number(params["seq"])),
    ),
  ];
}

/** Longer names of traps wrap. */
const oneLineCharactersMax = 30;

function listTraps({ services: { traps }, now }: Context<"traps">, kind: TrapKind): PageResult {
  const { emptyList, lead, title } = kind.presentation;
  const all = traps.of(kind).list();
  const newPath = newTrapPath(kind.name);
  return page(
    {
      title,
      lead,
      actions: <LinkButton path={newPath} label={`Create ${kind.name}`} icon="plus" variant="primary" />,
    },
    <ListTable
      caption={title}
      columns={columnsOf(kind, all, { now, visits: traps.visits })}
      rows={all}
      empty={
        <>
          {emptyList}
          <FirstStep path={newPath} label={`Create a ${kind.name}`}>
            to begin.
          </FirstStep>
        </>
      }
    />,
  );
}

function columnsOf(
  kind: TrapKind,
  rows: readonly Trap[],
  { now, visits }: { now: number; visits: Pick<VisitStore, "timeline" | "totals"> },
): Column<Trap>[] {
  const { columns } = kind.presentation;
  const labels = rows.slice(0, 1).flatMap((trap) => columns(trap));
  return [
    column("Name", "title", ({ id, name }) => (
      <span class={name.length <= oneLineCharactersMax ? "tight" : undefined}>
        <a class="ink" href={trapPath(kind.name, id)}>
          <Text text={name} />
        </a>
      </span>
    )),
    column("State", "tight state", (trap) => <StateOf trap={trap} now={now} />),
    ...labels.map(({ label, value }, index) =>
      column<Trap>(label, index === 0 && "text" in value ? "tight hidden" : "hidden", (trap) => (
        <ValueOf value={columns(trap)[index]!.value} charactersMax={80} />
      )),
    ),
    column("Visits a day, 30 days", "hidden", ({ id }) => (
      <RowTimeline rows={visits.timeline(id, timelineSince(now, "row") - 1, dayMs)} />
    )),
    column("Visits", "under", ({ id }) => <VisitTotals totals={visits.totals(id)} />),
    column("Last visit", "number end", ({ id }) => <LastVisit totals={visits.totals(id)} />),
  ];
}

function VisitTotals({ totals }: { totals: readonly VisitTotal[] }) {
  const parts = totalsTexts(totals);
  if (parts.length === 0) return <span class="faint tight">none yet</span>;
  return (
    <>
      {parts.map((part, index) => (
        <>
          {index === 0 ? "" : ", "}
          <span class="tight">{part}</span>
        </>
      ))}
    </>
  );
}

function LastVisit({ totals }: { totals: readonly VisitTotal[] }) {
  if (totals.length === 0) return <span class="faint">–</span>;
  return <Time at={Math.max(...totals.map(({ lastAt }) => lastAt))} relative />;
}

type FormContext = Context<"domains" | "traps">;

function newTrap(context: FormContext, kind: TrapKind): PageResult {
  return formPage(context, kind, context.query);
}

async function createTrap(context: FormContext, kind: TrapKind): Promise<PageResult> {
  const { services, form, by } = context;
  const { create, fields, read } = kind.presentation;
  const given = (name: string) => (form.get(name) ?? "").trim();
  const created = await attempt(() => {
    const wanted = {
      ...read(valuesIn(fields, given)),
      memo: given("memo"),
      ...(given("name") === "" ? {} : { name: given("name") }),
    };
    return context.write(() => services.traps.of(kind).create(wanted, { by }));
  });
  if (!created.ok) return formPage(context, kind, form, { [wholeForm]: created.message });
  return redirect(trapPath(kind.name, created.value.id), create.done);
}

/** @throws PublicError `bad_request` */
function valuesIn(fields: readonly TrapField[], given: (name: string) => string): FieldValues {
  return Object.fromEntries(fields.map((field) => [field.name, valueIn(field, given(field.name))]));
}

/** A day that ends something includes the day itself. */
function valueIn({ type, label }: TrapField, text: string): FieldValues[string] {
  if (type === "hosts") return splitList(text);
  if (type !== "expiry" || text === "") return type === "expiry" ? undefined : text;
  const day = parseDay(text);
  if (day === undefined) throw badRequest(`${label} must be a day such as 2027-01-31.`);
  return day + dayMs;
}

function formPage(
  { services }: FormContext,
  kind: TrapKind,
  form: URLSearchParams,
  errors?: FieldErrors,
): PageResult {
  const { create, fields, texts, title: listTitle } = kind.presentation;
  const domains = services.domains
    .list()
    .filter(({ enabled }) => enabled)
    .map(({ domain }) => domain);
  const needsDomain = domains.length === 0 && fields.some(({ type }) => type === "protected_domain");
  return page(
    {
      title: `Create ${kind.name}`,
      crumbs: [{ label: listTitle, path: trapsPath(kind.name) }],
      lead: create.lead,
      errors,
    },
    needsDomain ? (
      <Empty
        title="No protected domains yet"
        action={<LinkButton path={newDomainPath} label="Add domain" icon="plus" variant="primary" />}
      >
        A {kind.name} belongs to a protected domain.
      </Empty>
    ) : (
      <Form action={newTrapPath(kind.name)} class="narrow trap-form" form={form}>
        {fields.slice(0, 1).map((field) => (
          <Control field={field} domains={domains} />
        ))}
        <TextField label="Name" name="name" maxLength={100} hint={texts.nameHint} />
        <TextField label="Memo" name="memo" maxLength={1_000} hint={texts.memoHint} />
        {fields.slice(1).map((field) => (
          <div class={field.only === undefined ? undefined : onlyClasses[field.only]}>
            <Control field={field} domains={domains} />
          </div>
        ))}
        <p class="line">
          <Button label={`Create ${kind.name}`} variant="primary" />
          <LinkButton path={trapsPath(kind.name)} label="Cancel" />
        </p>
      </Form>
    ),
  );
}

/** Hides fields that do not apply to what is chosen. */
const onlyClasses = { link: "only-link", page: "only-page", redirect: "only-redirect" } as const;

function Control({ field, domains }: { field: TrapField; domains: readonly string[] }) {
  const { label, name, hint, type } = field;
  const shared = { label, name, hint };
  if (type === "protected_domain") return <Select {...shared} choices={choicesOf(domains)} />;
  if (field.type === "choice")
    return <Choices {...shared} choices={field.choices} initial={field.choices[0]!.value} single />;
  const maxLength = "lengthMax" in field ? field.lengthMax : undefined;
  if (type === "hosts" || type === "multiline")
    return <TextArea {...shared} rows={3} maxLength={maxLength} />;
  if (type === "expiry") return <TextField {...shared} type="date" />;
  // Not of type "url": a browser does not submit a form with an invalid URL in a field that is hidden.
  const placeholder = type === "url" ? "https://" : undefined;
  return <TextField {...shared} maxLength={maxLength} placeholder={placeholder} />;
}
