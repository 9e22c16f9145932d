import type { ComponentChildren, VNode } from "preact";
import { toIsoTime, toPlainTime, type Instant } from "../../lib/clock.ts";
import { grouped } from "../../lib/wording.ts";
import type { Severity, Status } from "../../vocabulary/threats.ts";
import { Button, Form, HiddenFields, PostButton } from "./form.tsx";
import { inWords } from "./labels.ts";
import { Text } from "./name.tsx";
import { usePage } from "./page-context.ts";
import type { Flash } from "./page-result.ts";

/** Head of a page: title, one-sentence description, and actions. */
export function PageHead({
  title,
  lead,
  back,
  children,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  back?: { label: string; path: string };
  /** Buttons and links beside the title. */
  children?: ComponentChildren;
}) {
  return (
    <header class="page-head">
      {back === undefined ? null : (
        <p class="back">
          <a href={back.path}>← {back.label}</a>
        </p>
      )}
      <div class="page-title">
        <h1>{title}</h1>
        {children === undefined ? null : <div class="actions">{children}</div>}
      </div>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
    </header>
  );
}

/** A link that looks like a button. Not rendered when the visitor's role does not allow its target. */
export function LinkButton({
  path,
  label,
  variant,
}: {
  path: string;
  label: string;
  variant?: "secondary" | "danger" | "outline";
}) {
  if (!usePage().mayOpen("GET", path)) return null;
  return (
    <a
      class={variant === "outline" ? "button outline" : "button"}
      href={path}
      data-variant={variant === "outline" ? undefined : variant}
    >
      {label}
    </a>
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

/** A list of names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type Tone = "neutral" | "good" | "warn" | "bad" | "critical";

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`mark ${tone}`}>{children}</span>;
}

const tones: Record<Severity | Status, Tone> = {
  low: "neutral",
  medium: "warn",
  high: "bad",
  active: "bad",
  resolved: "good",
  false_positive: "neutral",
};

/** Badge for a severity or status of a threat. */
export function StateBadge({ state }: { state: Severity | Status }) {
  return <Badge tone={tones[state]}>{inWords(state)}</Badge>;
}

/** A time in UTC, absolute or relative to now. */
export function Time({
  at,
  relative = false,
  seconds = false,
}: {
  at: Instant;
  /** Shows how long ago it was; "due" for a time that may lie ahead; "next" for a next step, which is never in the past. */
  relative?: boolean | "due" | "next";
  seconds?: boolean;
}) {
  const { now } = usePage();
  const text = relative === "due" ? relativeTime : relative === "next" ? relativeNext : relativeAge;
  const iso = toIsoTime(at);
  const plain = toPlainTime(at, { seconds });
  return (
    <time dateTime={iso} title={relative === false ? iso : plain}>
      {relative === false ? plain : text(at, now)}
    </time>
  );
}

const units: readonly [string, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/**
 * Formats the time of something that happened as `3 hours ago` or `now`. A time ahead counts as now: it was written
 * before the clock was set back.
 */
export function relativeAge(at: Instant, now: Instant): string {
  return relativeTime(Math.min(at, now), now);
}

/** Formats the time of a next step as `in 2 days` or `now`. A step whose time has come waits for a moment at most. */
export function relativeNext(at: Instant, now: Instant): string {
  return relativeTime(Math.max(at, now), now);
}

/** Formats a time as `3 hours ago`, `in 2 days`, or `now`. */
export function relativeTime(at: Instant, now: Instant): string {
  const distance = Math.abs(at - now);
  const unit = units.find(([, ms]) => distance >= ms);
  if (unit === undefined) return "now";
  const count = Math.floor(distance / unit[1]);
  const text = `${count} ${unit[0]}${count === 1 ? "" : "s"}`;
  return at <= now ? `${text} ago` : `in ${text}`;
}

/** A text with a button that copies it, where scripts are enabled. */
export function Copyable({ text, label, secret = false }: { text: string; label: string; secret?: boolean }) {
  return (
    <div class={secret ? "copyable secret" : "copyable"}>
      <code>{text}</code>
      <button type="button" class="outline small" data-copy={text} hidden aria-label={`Copy ${label}`}>
        Copy
      </button>
    </div>
  );
}

export function FlashMessage({ flash }: { flash: Flash }) {
  const { tone, text, action } = flash;
  return (
    <div class={`flash ${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <span class="flash-text">{text}</span>
      {action === undefined ? null : (
        <PostButton action={action.path} label={action.label} fields={action.fields} variant="outline" />
      )}
    </div>
  );
}

/** Error message above a form. */
export function FormError({ message }: { message: string | undefined }) {
  return message === undefined ? null : <FlashMessage flash={{ tone: "danger", text: message }} />;
}

/** Asks for confirmation of an action that cannot be undone; works without scripts. */
export function Confirm({
  title,
  children,
  action,
  button,
  back,
  fields = {},
}: {
  title: string;
  /** Describes the consequences. */
  children: ComponentChildren;
  action: string;
  button: string;
  back: string;
  fields?: Record<string, string | readonly string[]>;
}) {
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      <div class="prose">{children}</div>
      <Form action={action} class="actions">
        <HiddenFields fields={fields} />
        <Button label={button} variant="danger" />
        <LinkButton path={back} label="Cancel" variant="outline" />
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
      {entry.origin === "file" ? (
        <div>
          <Badge tone="neutral">configuration file</Badge>
        </div>
      ) : null}
    </>
  );
}

/** Marks an entry of the configuration file, which cannot be changed in the console. */
export function DeclaredMark({ where }: { where?: string }) {
  return (
    <span class="declared">
      <Badge tone="neutral">configuration file</Badge>{" "}
      <span class="hint">
        Declared{where === undefined ? "" : ` as ${where}`} in the configuration file. To change it, edit the
        file and restart.
      </span>
    </span>
  );
}

/** Progress bar with its numbers. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div class="progress">
      <progress value={Math.min(done, total)} max={Math.max(total, 1)} aria-label={label} />
      <span>
        {grouped(done)} of {grouped(total)} {label}
      </span>
    </div>
  );
}

/** A titled part of a page; `id` makes it a link target. */
export function Section({
  title,
  id,
  children,
}: {
  title: string;
  id?: string;
  children: ComponentChildren;
}): VNode {
  return (
    <section class="section" id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
