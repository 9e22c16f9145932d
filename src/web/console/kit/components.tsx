import type { ComponentChildren, VNode } from "preact";
import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { Button, ButtonContent, buttonClass, Form, PostButton, type ButtonLook } from "./form.tsx";
import { wholeForm, type FieldErrors } from "./fields.ts";
import { Icon, Tag, Text } from "./inline.tsx";
import { usePage } from "./page-context.ts";
import { relativeAge, relativeNext, relativeTime, shortAge } from "./times.ts";

interface PageHeadProps {
  title: ComponentChildren;
  /** Description in one sentence. */
  lead?: ComponentChildren;
  /** Pages above this one, outermost first. */
  crumbs?: readonly Crumb[] | undefined;
  /** Buttons and links beside the title, of which one at most is primary. */
  children?: ComponentChildren;
}

/** Head of a page: the way to it, title, description and actions. */
export function PageHead(props: PageHeadProps) {
  const { title, lead, crumbs = [], children } = props;
  return (
    <>
      {crumbs.length === 0 ? null : (
        <nav class="crumbs" aria-label="Pages above this one">
          {crumbs.map(({ label, path }, index) => (
            <>
              {index === 0 ? null : <Icon name="right" />}
              <a href={path}>{label}</a>
            </>
          ))}
        </nav>
      )}
      <header class="head">
        <div>
          <h1>{title}</h1>
          {lead === undefined ? null : <p class="lead">{lead}</p>}
        </div>
        {children === undefined ? null : <div class="line">{children}</div>}
      </header>
    </>
  );
}

/** Title and head of a page. */
export interface PageStart extends Omit<PageHeadProps, "title" | "children"> {
  /** Title of the document, and of the page unless it has a heading. */
  title: string;
  heading?: ComponentChildren;
  actions?: ComponentChildren;
  /** Errors of the form of the page. The one of the whole form is shown after the head. */
  errors?: FieldErrors | undefined;
  /** Class of an element around all of the page. */
  class?: "narrow" | "narrow stack";
}

/** A page with its head. */
export function HeadedPage({ start, children }: { start: PageStart; children: ComponentChildren }) {
  const { title, heading = title, lead, crumbs, actions, errors, class: className } = start;
  const all = (
    <>
      <PageHead title={heading} lead={lead} crumbs={crumbs}>
        {actions}
      </PageHead>
      <FormError message={errors?.[wholeForm]} />
      {children}
    </>
  );
  return className === undefined ? all : <div class={className}>{all}</div>;
}

export interface Crumb {
  label: string;
  path: string;
}

/** A link that looks like a button. Not rendered when the visitor's role does not allow its target. */
export function LinkButton(props: { path: string; label: string } & ButtonLook) {
  const { path, label, variant, small, icon, dataKey } = props;
  if (!usePage().mayOpen("GET", path)) return null;
  return (
    <a class={buttonClass({ variant, small })} href={path} data-key={dataKey} aria-keyshortcuts={dataKey}>
      <ButtonContent icon={icon} label={label} dataKey={dataKey} />
    </a>
  );
}

/** The next step after a text about an empty list. Not rendered when the visitor's role does not allow its target. */
export function FirstStep(props: {
  path: string;
  label: string;
  /** The rest of the sentence after the link. */
  children: ComponentChildren;
}) {
  const { path, label, children } = props;
  if (!usePage().mayOpen("GET", path)) return null;
  return (
    <>
      {" "}
      <a href={path}>{label}</a> {children}
    </>
  );
}

/** A further action after a text, separated by a dot. Not rendered when the visitor's role does not allow its target. */
export function ActionLink({ path, label }: { path: string; label: string }) {
  if (!usePage().mayOpen("GET", path)) return null;
  return (
    <>
      {" "}
      · <a href={path}>{label}</a>
    </>
  );
}

/** A name and its value. It is left out if it is false, or if it has no value. */
export type Fact = readonly [string, ComponentChildren] | false;

/** A list of names and values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const shown = facts.filter((fact) => fact !== false).filter(([, value]) => (value ?? null) !== null);
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Items in one line, with a separator between them. */
export function Separated<Item>(props: {
  items: readonly Item[];
  by?: string;
  children: (item: Item) => ComponentChildren;
}) {
  const { items, by = ", ", children } = props;
  return <>{items.map((item, index) => [index === 0 ? "" : by, children(item)])}</>;
}

const noteIcons = { good: "ok", warn: "warn", bad: "fail", info: "info" } as const;

/** A message on a page: what happened or what is wrong, and what to do about it. */
export function Note(props: {
  tone: keyof typeof noteIcons;
  title?: ComponentChildren;
  role?: "alert" | "status";
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  const { tone, title, role, children, action } = props;
  return (
    <div class={`note ${tone}`} role={role}>
      <Icon name={noteIcons[tone]} />
      <div>
        {title === undefined ? null : <b>{title}</b>}
        {children === undefined ? null : <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}

/** A message that is shown once, on the next page. */
export interface Flash {
  tone: "success" | "warning" | "danger";
  text: string;
  /** Buttons beside the message, such as Undo. */
  action?: FlashAction | readonly FlashAction[];
}

/** A button that posts these fields to `path`. */
export interface FlashAction {
  label: string;
  path: string;
  fields: Record<string, string | readonly string[]>;
}

const flashTones = { success: "good", warning: "warn", danger: "bad" } as const;

export function FlashMessage({ flash }: { flash: Flash }) {
  const { tone, text, action } = flash;
  return (
    <Note
      tone={flashTones[tone]}
      role={tone === "danger" ? "alert" : "status"}
      action={action === undefined ? undefined : <FlashActions action={action} />}
    >
      {text}
    </Note>
  );
}

/** The buttons of a message. */
export function FlashActions({ action = [] }: Pick<Flash, "action">) {
  return (
    <>
      {[action].flat().map(({ path, label, fields }) => (
        <PostButton action={path} label={label} fields={fields} small />
      ))}
    </>
  );
}

/** A time, absolute in the reader's time zone or relative to now; the title has both UTC and the reader's time zone. */
export function Time(props: {
  /** Without it, nothing is rendered. */
  at: Instant | null | undefined;
  /** Text before the time, such as a comma. */
  prefix?: string;
  /**
   * Shows how long ago it was; "short" for rows (`5 h`); "today" with the time of day if it was today; "due" for a time
   * that may lie ahead; "next" for a next step, which is never in the past.
   */
  relative?: boolean | "short" | "today" | "due" | "next";
  seconds?: boolean;
}) {
  const { at, prefix, relative = false, seconds = false } = props;
  const { now, reader } = usePage();
  const { times } = reader;
  if (at === null || at === undefined) return null;
  const isClock = relative === "today" && times.plain(at).slice(0, 10) === times.plain(now).slice(0, 10);
  const relativeText = () => relativeTexts[String(relative)]!(at, now);
  return (
    <>
      {prefix}
      <time dateTime={toIsoTime(at)} title={times.both(at)}>
        {isClock ? times.clock(at) : relative === false ? times.plain(at, { seconds }) : relativeText()}
      </time>
    </>
  );
}

const relativeTexts: Record<string, (at: Instant, now: Instant) => string> = {
  true: relativeAge,
  short: shortAge,
  today: relativeAge,
  due: relativeTime,
  next: relativeNext,
};

/** A text with a button that copies it, where scripts are enabled. */
export function Copyable({ text, label, secret = false }: { text: string; label: string; secret?: boolean }) {
  return (
    <div class={secret ? "copyable secret" : "copyable"}>
      <code>{text}</code>
      <button type="button" class="btn small" data-copy={text} hidden aria-label={`Copy ${label}`}>
        Copy
      </button>
    </div>
  );
}

/** The buttons at the end of a form: submit, further ones, and cancel. */
export function FormButtons(props: { submit: string; back: string; children?: ComponentChildren }) {
  const { submit, back, children } = props;
  return (
    <div class="line">
      <Button label={submit} variant="primary" />
      {children}
      <LinkButton path={back} label="Cancel" variant="plain" />
    </div>
  );
}

/** Error message above a form. */
export function FormError({ message }: { message: string | undefined }) {
  return message === undefined ? null : <FlashMessage flash={{ tone: "danger", text: message }} />;
}

/** Asks for confirmation of an action that cannot be undone; works without scripts. */
export function Confirm(props: {
  title: string;
  /** Describes the consequences. */
  children: ComponentChildren;
  action: string;
  button: string;
  back: string;
}) {
  const { title, children, action, button, back } = props;
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      <div class="prose">{children}</div>
      <Form action={action} class="line">
        <Button label={button} variant="sure" />
        <LinkButton path={back} label="Cancel" />
      </Form>
    </section>
  );
}

/** Name of an entry with a link to its page, and a mark if it is from the configuration file. */
export function EntryLink({ path, entry }: { path: string; entry: { name: string; origin: string } }) {
  return (
    <>
      <a href={path}>
        <Text text={entry.name} />
      </a>
      {entry.origin === "file" ? <p>configuration file</p> : null}
    </>
  );
}

/** Marks an entry of the configuration file, which cannot be changed in the console. */
export function DeclaredMark({ where }: { where?: string }) {
  return (
    <span class="declared">
      <Tag>configuration file</Tag>{" "}
      <span class="hint">
        Declared{where === undefined ? "" : ` as ${where}`} in the configuration file. To change it, edit the
        file.
      </span>
    </span>
  );
}

/** Progress bar with its numbers. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div class="progress">
      <progress class="meter" value={Math.min(done, total)} max={Math.max(total, 1)} aria-label={label} />
      <span>
        {grouped(done)} of {grouped(total)} {label}
      </span>
    </div>
  );
}

/** A titled part of a page; `id` makes it a link target. */
export function Card(props: {
  title?: ComponentChildren;
  id?: string;
  /** A link or a remark beside the title. */
  aside?: ComponentChildren;
  /** The content reaches the border: a table, a list of rows. */
  flush?: boolean;
  children: ComponentChildren;
  footer?: ComponentChildren;
}): VNode {
  const { title, id, aside, flush = false, children, footer } = props;
  return (
    <section class={flush ? "card flush" : "card"} id={id}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      {children}
      {footer === undefined ? null : <footer>{footer}</footer>}
    </section>
  );
}

/** A titled part of a page without a frame of its own. */
export function Section(props: {
  title: string;
  id?: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}): VNode {
  const { title, id, aside, children } = props;
  return (
    <section class="section" id={id}>
      <header class="card-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
