import type { Instant } from "../../platform/lib/clock.ts";
import type { VisitClass } from "../../platform/vocabulary/traps.ts";
import type { NewTrap, Trap, TrapLinks } from "./trap.ts";

/**
 * How commands and console pages present a kind of trap. They are generated from this: what all kinds share is
 * written once there, so a presentation contains only what differs.
 */
export interface TrapPresentation<Input extends NewTrap = NewTrap, Details = unknown> {
  /** Plural, as a title. */
  readonly title: string;
  /** Name of an icon. */
  readonly icon: "beacon" | "honey";
  /** Former names of the command and of the console's path, which keep working. */
  readonly aliases: readonly string[];
  /** Describes the kind in a list of commands. */
  readonly summary: string;
  /** Explains on the list page what the kind is for. */
  readonly lead: string;
  /** Says on the list page that there is none yet. */
  readonly emptyList: string;
  /** Name of a trap, for examples. */
  readonly exampleName: string;
  readonly texts: TrapTexts;
  readonly create: {
    readonly summary: string;
    readonly details: string;
    readonly examples: [command: string, does: string][];
    /** Explains in the console's form what to create a trap for. */
    readonly lead?: string;
    /** Message after the trap was created. */
    readonly done: string;
  };
  readonly fields: readonly TrapField[];
  /** Turns the values of `fields` into input. @throws PublicError `bad_request` */
  read(values: FieldValues): Input;
  /** Columns of lists, after the name. */
  columns(trap: Trap<Details>): LabeledValue[];
  /** Facts about one trap. */
  facts(trap: Trap<Details>): LabeledValue[];
  /** Returns the steps to deploy a trap. `create` prints the snippet of the first one. */
  deployment(trap: Trap<Details>, links: TrapLinks): DeploymentStep[];
  /** Fields of the JSON form that other kinds do not have. */
  json(trap: Trap<Details>, links: TrapLinks): Record<string, unknown>;
  /** Columns of visits that are worth showing for this kind. */
  readonly visitColumns: readonly VisitColumn[];
  /** Describes each class of visits that the kind knows. */
  readonly visitClasses: Partial<Record<VisitClass, string>>;
  /** Files that can be written for a trap; absent: none. */
  readonly files?: TrapFiles<Details>;
}

/** The part of a presentation that is text, from the file `presentation.json` of a kind. */
type PresentationTexts = Omit<
  TrapPresentation,
  "read" | "columns" | "facts" | "deployment" | "json" | "files"
> & {
  readonly fileTexts?: Pick<TrapFiles<unknown>, "formats" | "hint" | "notOffered">;
  /** Steps to deploy a trap, each without its snippet. */
  readonly steps: readonly Omit<DeploymentStep, "snippet">[];
};

/** The compiler does not know the texts of a file, of which some are choices. `kinds.test.ts` checks these. */
export const presentationTexts = (file: object) => file as PresentationTexts;

/** Sentences about effects that differ between kinds. */
export interface TrapTexts {
  nameHint: string;
  nameFlag: string;
  memoHint: string;
  memoFlag: string;
  /** Summary of the command that shows a trap. */
  show: string;
  /** Summary of the command that lists visits. */
  visits: string;
  /** Effect of enabling and disabling, as a clause after the name of the trap. */
  enabled: string;
  disabled: string;
  /** Title of the deployment steps that most do not need; absent: there are none. */
  advanced?: string;
  /** Effect of deletion, for the page that asks for confirmation. */
  deleting: string;
}

/** An input field: an argument or flag of the command, and a control of the console's form. */
export type TrapField = {
  name: string;
  label: string;
  hint?: string;
  /** How the command takes it: its argument, a flag in commander's form, or not at all. */
  command: { argument: string } | { flag: string; description: string } | null;
  /** Names of fields that cannot be given together with this one. */
  excludes?: readonly string[];
  /** Choice that needs the field; the console's form hides it for others. Absent: all choices. */
  only?: "link" | "page" | "redirect";
} & (
  | { type: "protected_domain" | "hosts" | "expiry" }
  | { type: "text" | "multiline" | "url"; lengthMax: number }
  | { type: "choice"; choices: readonly { value: string; label: string; hint?: string }[] }
);

/** Values by name of the field: text, hosts, or a time (`expiry`). Fields that are not given are absent. */
export type FieldValues = Readonly<Record<string, string | readonly string[] | Instant | undefined>>;

/** A fact, as data that command line and console format in their own way. */
export interface LabeledValue {
  label: string;
  value: { text: string | null } | { hosts: readonly string[] };
}

export interface DeploymentStep {
  text: string;
  snippet: string;
  /** Names the snippet, for the button that copies it. */
  label: string;
  /** `fact`: short enough to show among the facts. `advanced`: not needed by most. */
  level?: "fact" | "advanced";
}

/** Columns of visits beyond those that every kind has. */
export type VisitColumn = "page" | "threat" | "request" | "user_agent" | "referrer";

export interface TrapFiles<Details> {
  readonly formats: readonly { format: string; label: string; mediaType: string }[];
  /** Explains who requests the address when such a file is opened. */
  readonly hint: string;
  write(trap: Trap<Details>, links: TrapLinks, wanted: WantedFile): Promise<Uint8Array<ArrayBuffer>>;
  /** Whether files can be written for this trap; `notOffered` explains which traps have files. */
  offered(trap: Trap<Details>): boolean;
  readonly notOffered: string;
}

/** Visible content of a document. */
export interface DocumentText {
  title: string;
  /** One paragraph per line. */
  text: string;
}

export interface WantedFile extends DocumentText {
  format: string;
}
