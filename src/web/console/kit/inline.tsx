import type { ComponentChildren } from "preact";
import { unicodeName } from "../../../engines/detection/names/name.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Role } from "../../../platform/vocabulary/permissions.ts";
import type { Severity, ThreatSource, ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { HostField } from "../../../threats/index/columns/hosts.ts";
import type { Indicator } from "../../../threats/threats/severity/indicators.ts";
import type icons from "./icons.json";
import labels from "./labels.json" with { type: "json" };
import { usePage } from "./page-context.ts";

/** Parts of a line: icons, names, texts, labels, tags and states. */

/** The icons of `icons.json`, without the mark of the product. */
export type IconName = Exclude<keyof typeof icons, "mark">;

/** An icon beside a text. It says nothing to assistive technology: a link or button without a text needs a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${usePage().iconsPath}#i-${name}`} />
    </svg>
  );
}

// A domain name has at most 253 characters; longer text is not a name and is truncated.
const nameCharactersMax = 260;

/**
 * A domain name as it looks (U-label), with its A-label form if that differs. Each form is isolated, so that
 * right-to-left letters reorder nothing around them, and hidden characters are escaped.
 */
export function Name({ name }: { name: string }) {
  const aLabel = visible(name, nameCharactersMax);
  const displayed = visible(unicodeName(name), nameCharactersMax);
  if (displayed === aLabel) return <bdi class="name">{displayed}</bdi>;
  return (
    <span class="name">
      <bdi>{displayed}</bdi>
      <ALabelBeside name={name} />
    </span>
  );
}

/** The A-label form, after the U-label form. */
export function ALabelBeside({ name }: { name: string }) {
  return (
    <>
      {" "}
      <bdi class="puny" dir="ltr">
        {visible(name, nameCharactersMax)}
      </bdi>
    </>
  );
}

/** Untrusted text: hidden characters are escaped, bidirectional text is isolated, and the length is limited. */
export function Text(props: {
  text: string | null | undefined;
  charactersMax?: number;
  /** Shown before the text. */
  prefix?: string;
  /** Shown in place of no text. */
  none?: string;
}) {
  const { text, charactersMax = 300, prefix, none } = props;
  if (text === null || text === undefined) return <>{none}</>;
  return (
    <>
      {prefix}
      <bdi class="text">{visible(text, charactersMax)}</bdi>
    </>
  );
}

/** Formats a value of the API for people: `false_positive` as `false positive`, `tld_squatting` as `TLD squatting`. */
export function inWords(value: string): string {
  return value.replaceAll("_", " ").replace(/^tld\b/, "TLD");
}

/** Descriptions of the types, for people who do not know the terms. */
export const typeDescriptions: Record<ThreatType, string> = labels.types;

/** Labels of who hosts a name. */
export const hostLabels: Record<HostField, string> = labels.hosts;

export const indicatorLabels: Record<Indicator, string> = labels.indicators;

/** Names of the sources of threats, for a sentence after "found by". */
export const sourceLabels: Record<ThreatSource, string> = labels.sources;

/** Describes what each role may do, for a sentence after the role. */
export const roleWords: Record<Role, string> = labels.roles;

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
export function Tag(props: { tone?: keyof typeof tagClasses; title?: string; children: ComponentChildren }) {
  const { tone = "neutral", title, children } = props;
  return (
    <span class={tagClasses[tone]} title={title}>
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
