import type { ComponentChildren } from "preact";
import explanations from "./help.json" with { type: "json" };
import { Icon, type IconName } from "./inline.tsx";
import { usePage } from "./page-context.ts";

/** Further actions behind a button with three dots, as `<li>` elements. Destructive ones come last, with class `danger`. */
export function Menu({ children }: { children: ComponentChildren }) {
  return (
    <details class="opens">
      <summary class="btn plain square" aria-label="More actions" title="More actions">
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

/** An explanation: one sentence or a few. */
interface Explanation {
  /** Term or setting that is explained. */
  about: string;
  text: string;
  /** Path within the manual: `look-alikes#homograph`. */
  manual?: string | undefined;
}

/** Subject of an explanation: an entry of `help.json`, or a text that depends on the page. */
export type HelpTopic = keyof typeof explanations | Explanation;

/** Explanation behind an icon, with a link to the part of the manual that says more. */
export function Help({ topic }: { topic: HelpTopic }) {
  const { about, text, manual }: Explanation = typeof topic === "string" ? explanations[topic] : topic;
  return (
    <details class="opens help">
      <summary aria-label={`What is ${about}?`} title={`What is ${about}?`}>
        <Icon name="info" />
      </summary>
      <div class="menu">
        {text}
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
