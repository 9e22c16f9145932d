import type { ComponentChildren } from "preact";
import { inWords } from "../../kit/labels.ts";
import { Icon } from "../../kit/icons.tsx";
import { HiddenFields } from "../../kit/form.tsx";
import { Name, Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { threatPath } from "../../kit/paths.ts";
import { ComparedName, compareNames } from "../../threat-kit/compared-name.tsx";
import { SeverityMark, StatusMark } from "../../threat-kit/severity.tsx";
import type { Command } from "./catalog.ts";
import type { Found } from "./search.ts";

interface ResultsProps {
  found: Found;
  keywordsOf: (protectedDomain: string) => readonly string[];
  /** Renders options of the command bar's list box, which the script moves through, instead of links and buttons. */
  asOptions: boolean;
}

/** Results of a search, in groups. Commands that the visitor's role does not allow are left out. */
export function Results({ found: { threats, groups }, keywordsOf, asOptions }: ResultsProps) {
  const { may, mayOpen } = usePage();
  const isAllowed = ({ path, fields, needs }: Command) =>
    (needs === undefined || may(needs)) && mayOpen(fields ? "POST" : "GET", path);
  const allowed = groups.map(({ title, max, commands }) => ({
    title,
    commands: firstOf(commands, max, isAllowed),
  }));
  const list = asOptions ? ({ role: "listbox", "aria-label": "Results" } as const) : {};
  return (
    <div id="command-results" {...list}>
      <Group title="Threats" asOptions={asOptions}>
        {threats.map((threat, index) => (
          <Item id={`command-threat-${index}`} path={threatPath(threat.id)} asOptions={asOptions}>
            <SeverityMark
              severity={threat.severity}
              verified={threat.verified}
              severityReasons={threat.severityReasons}
              word={false}
            />
            <ComparedName
              name={threat.domain}
              comparison={compareNames(
                threat.domain,
                threat.protectedDomain,
                keywordsOf(threat.protectedDomain),
              )}
            />
            <span class="faint hide-s">
              {inWords(threat.type)} of <Name name={threat.protectedDomain} />
            </span>
            <span class="push">
              <StatusMark status={threat.status} />
            </span>
          </Item>
        ))}
      </Group>
      {allowed.map(({ title, commands }, group) => (
        <Group title={title} asOptions={asOptions}>
          {commands.map((command, index) => (
            <Item id={`command-${group}-${index}`} {...command} asOptions={asOptions}>
              <Label {...command} />
            </Item>
          ))}
        </Group>
      ))}
    </div>
  );
}

/** Returns the first `max` items that are allowed; the rest, which can be thousands, are not checked. */
function firstOf<T>(items: readonly T[], max: number, isAllowed: (item: T) => boolean): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (found.length >= max) break;
    if (isAllowed(item)) found.push(item);
  }
  return found;
}

function Label({ label, icon, hint, keys }: Command) {
  return (
    <>
      <Icon name={icon} />
      <Text text={label} />
      {hint === undefined ? null : <span class="faint">{hint}</span>}
      {keys === undefined ? null : (
        <span class="push">
          <Keys keys={keys} />
        </span>
      )}
    </>
  );
}

/** Keys to press one after the other, such as `g t`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <>
      {keys.split(" ").map((key) => (
        <kbd>{key}</kbd>
      ))}
    </>
  );
}

function Group(props: { title: string; asOptions: boolean; children: readonly ComponentChildren[] }) {
  const { title, asOptions, children } = props;
  if (children.length === 0) return null;
  const id = `command-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <>
      <h2 id={id} role={asOptions ? "presentation" : undefined}>
        {title}
      </h2>
      <ul role={asOptions ? "group" : undefined} aria-labelledby={id}>
        {children}
      </ul>
    </>
  );
}

function Item(
  props: Pick<Command, "path" | "fields"> & { id: string; asOptions: boolean; children: ComponentChildren },
) {
  const { id, path, fields, asOptions, children } = props;
  const { csrfToken } = usePage();
  const option = asOptions ? ({ id, role: "option", tabIndex: -1, "aria-selected": "false" } as const) : {};
  return (
    <li role={asOptions ? "none" : undefined}>
      {fields === undefined ? (
        <a href={path} {...option}>
          {children}
        </a>
      ) : (
        <form method="post" action={path}>
          <HiddenFields fields={{ form_token: csrfToken, ...fields }} />
          <button type="submit" {...option}>
            {children}
          </button>
        </form>
      )}
    </li>
  );
}
