/**
 * Kinds of traps, as stored: the prefix of their identifiers, the first part of the names of their audit actions, and
 * whether a trap of the kind can be given a new address.
 */
const kinds = {
  beacon: { idPrefix: "bcn", audit: "beacon", rotates: false },
  honeytoken: { idPrefix: "tok", audit: "token", rotates: true },
} as const;
export type TrapKindName = keyof typeof kinds;
export const trapKindNames = Object.keys(kinds) as TrapKindName[];

type AuditedChange = "create" | "enable" | "disable" | "rotate" | "remove";
export type TrapAuditAction = `${(typeof kinds)[TrapKindName]["audit"]}.${AuditedChange}`;

export function trapAuditAction(kind: TrapKindName, change: AuditedChange): TrapAuditAction {
  return `${kinds[kind].audit}.${change}`;
}

export function trapIdPrefix(kind: TrapKindName): string {
  return kinds[kind].idPrefix;
}

export function rotates(kind: TrapKindName): boolean {
  return kinds[kind].rotates;
}

/**
 * How a class of visits is handled:
 * - `threat` raises an alert and records the visited host as a threat,
 * - `alert` raises an alert,
 * - `quiet` is recorded and raises an alert only if `traps.alarm_classes` lists the class,
 * - `counted` is only counted: the owner's own visitors are not recorded one by one.
 */
type VisitRule = "threat" | "alert" | "quiet" | "counted";

/** Where a page that carries a beacon was shown. */
const placeRules = {
  /** On a host that is neither protected nor allowed. */
  foreign: "threat",
  /** On the protected domain, on a host below it, or on an allowed one. */
  own: "counted",
  /** The request for the style sheet did not say where it came from. */
  unknown: "counted",
  /** The owner's page, shown by a translation service. */
  translation_proxy: "quiet",
  web_archive: "quiet",
  search_cache: "quiet",
  /** A saved copy, opened from a disk. */
  local_file: "quiet",
  /** A URL without a host: `data:`, `about:`, `blob:`, a browser extension. */
  no_host: "quiet",
  /** `localhost`, a private address, or a name that does not exist in public DNS. */
  local_network: "quiet",
} as const satisfies Record<string, VisitRule>;
export type PlaceClass = keyof typeof placeRules;

/** Who opened a honeytoken. */
const visitorRules = {
  visit: "alert",
  /** A messenger or social network that renders a preview of a posted link. */
  link_preview: "quiet",
  /** A mail filter that opens links before the recipient does. */
  mail_scanner: "quiet",
} as const satisfies Record<string, VisitRule>;
export type VisitorClass = keyof typeof visitorRules;

export type VisitClass = PlaceClass | VisitorClass;
export const visitRules: Record<VisitClass, VisitRule> = { ...placeRules, ...visitorRules };

export const visitClasses = Object.keys(visitRules) as VisitClass[];
/** Classes that raise an alert only if `traps.alarm_classes` lists them. */
export const quietClasses = visitClasses.filter((name) => visitRules[name] === "quiet");

/** Whether visits of this class always raise an alert. */
export function alwaysAlerts(name: VisitClass): boolean {
  return visitRules[name] === "threat" || visitRules[name] === "alert";
}

/** Forms of a honeytoken. */
export const honeytokenKinds = ["url", "pixel", "document"] as const;
export type HoneytokenKind = (typeof honeytokenKinds)[number];
