import type { ComponentChildren } from "preact";
import type { Severity } from "../../../platform/vocabulary/threats.ts";
import { PostButton } from "./form.tsx";
import { Icon, type IconName } from "./icons.tsx";

export type Tone = "neutral" | "good" | "warn" | "bad" | "live";

/** Classes of tags by tone, also for tags that are something else, such as the summary of an explanation. */
export const tagClasses = {
  neutral: "tag",
  good: "tag good",
  medium: "tag medium",
  high: "tag high",
  accent: "tag accent",
  dashed: "tag dashed",
} as const;

/** A short text beside a name: a reason, a count, an attribute. */
export function Tag(props: {
  tone?: keyof typeof tagClasses;
  icon?: IconName;
  title?: string;
  children: ComponentChildren;
}) {
  const { tone = "neutral", icon, title, children } = props;
  return (
    <span class={tagClasses[tone]} title={title}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </span>
  );
}

const stateClasses: Record<Tone, string> = {
  neutral: "state",
  good: "state good",
  warn: "state warn",
  bad: "state bad",
  live: "state live",
};

const stateIcons: Record<Tone, IconName> = {
  neutral: "not",
  good: "ok",
  warn: "warn",
  bad: "fail",
  live: "clock",
};

/** The state of something: a shape and a word. */
export function StateMark(props: { tone: Tone; icon?: IconName; children: ComponentChildren }) {
  const { tone, icon = stateIcons[tone], children } = props;
  return (
    <span class={stateClasses[tone]}>
      <Icon name={icon} />
      {children}
    </span>
  );
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

/** Outlines of the filled bars, and of those that are only a frame for them. */
const bars: Record<Severity, { on: string; off?: string }> = {
  high: { on: "M1.5 9.5h2v3h-2zm4.5-4h2v7h-2zm4.5-4h2v11h-2z" },
  medium: { on: "M1.5 9.5h2v3h-2zm4.5-4h2v7h-2z", off: "M10.5 1.5h2v11h-2z" },
  low: { on: "M1.5 9.5h2v3h-2z", off: "M6 5.5h2v7h-2zm4.5-4h2v11h-2z" },
};

/** The images of all marks. A page contains them once, because a list has a mark in every row. */
export function SeveritySymbols() {
  return (
    <svg hidden>
      {Object.entries(bars).map(([severity, { on, off }]) => (
        <symbol id={`sev-${severity}`}>
          <path d={on} />
          {off === undefined ? null : <path class="sev-off" d={off} />}
        </symbol>
      ))}
    </svg>
  );
}
