import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons.tsx";
import { usePage } from "./page-context.ts";

/** Further actions behind a button with three dots, as `<li>` elements. Destructive ones come last, with class `danger`. */
export function Menu({ label = "More actions", children }: { label?: string; children: ComponentChildren }) {
  return (
    <details class="opens">
      <summary class="btn plain square" aria-label={label} title={label}>
        <Icon name="dots" />
      </summary>
      <ul class="menu">{children}</ul>
    </details>
  );
}

/** An action of a menu that opens a page. Not rendered when the visitor's role does not allow its target. */
export function MenuLink(props: {
  path: string;
  label: string;
  icon?: IconName;
  /** Whether it destroys something. */
  danger?: boolean;
}) {
  const { path, label, icon, danger = false } = props;
  if (!usePage().mayOpen("GET", path)) return null;
  return (
    <li>
      <a href={path} class={danger ? "danger" : undefined}>
        {icon === undefined ? null : <Icon name={icon} />}
        {label}
      </a>
    </li>
  );
}

/** Explanation behind an icon: one sentence, and the part of the manual that says more. */
export function Help(props: {
  /** Term or setting that is explained. */
  about: string;
  children: ComponentChildren;
  /** Path within the manual: `look-alikes#homograph`. */
  manual?: string;
}) {
  const { about, children, manual } = props;
  return (
    <details class="opens help">
      <summary aria-label={`What is ${about}?`} title={`What is ${about}?`}>
        <Icon name="info" />
      </summary>
      <div class="menu">
        {children}
        {manual === undefined ? null : (
          <>
            {" "}
            <a href={`/docs/${manual}`}>Manual</a>
          </>
        )}
      </div>
    </details>
  );
}
