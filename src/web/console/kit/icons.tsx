import { usePage } from "./page-context.ts";

/** Symbols of `shell/icons.svg`. */
export const iconNames = [
  "overview",
  "threat",
  "takedown",
  "domain",
  "scan",
  "source",
  "beacon",
  "honey",
  "bell",
  "endpoint",
  "list",
  "key",
  "people",
  "system",
  "history",
  "search",
  "plus",
  "check",
  "x",
  "right",
  "down",
  "up",
  "out",
  "copy",
  "dots",
  "warn",
  "fail",
  "info",
  "ok",
  "lock",
  "mail",
  "calendar",
  "image",
  "certificate",
  "note",
  "send",
  "undo",
  "pause",
  "clock",
  "filter",
  "group",
  "grid",
  "theme",
  "download",
  "active",
  "not",
  "site-unregistered",
  "site-registered",
  "site-parked",
  "site-up",
  "site-blocked",
  "site-down",
  "site-back",
] as const;

export type IconName = (typeof iconNames)[number];

/** An icon beside a text. It says nothing to assistive technology: a link or button without a text needs a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${usePage().iconsPath}#i-${name}`} />
    </svg>
  );
}
