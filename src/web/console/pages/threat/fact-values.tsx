import type { ComponentChildren } from "preact";
import type { Facts } from "../../../../facts/enrichment/facts/facts.ts";
import type { EnabledLookups } from "../../../../facts/enrichment/plan.ts";
import type { HostField } from "../../../../threats/index/columns/hosts.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import { Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { hostParameters, listPath } from "../../threat-kit/filters.ts";

export type Row = readonly [string, ComponentChildren];

export interface FactsProps {
  threat: Threat;
  facts: Facts | undefined;
  enabledLookups: Pick<EnabledLookups, "names" | "registration">;
}

/** Number of entries of a list that are shown. */
export const listedMax = 6;
export const listedCharactersMax = 120;
const valueCharactersMax = 160;

/** Explains why a fact is missing: its lookup is disabled, has not run yet, or failed. */
export function whyUnknown(isEnabled: boolean, failure: string | undefined, off: string): ComponentChildren {
  if (!isEnabled) return `Not looked up: ${off} in the configuration.`;
  if (failure === undefined) return "Not looked up yet.";
  return (
    <>
      Lookup failed: <Text text={failure} />.
    </>
  );
}

export function Absent({ why }: { why: ComponentChildren }) {
  return <p class="quiet s">{why}</p>;
}

export function Failed({ why }: { why: string | undefined }) {
  if (why === undefined) return null;
  return (
    <p class="faint xs">
      The last lookup failed, so these facts are from an earlier one: <Text text={why} />.
    </p>
  );
}

export function Texts({ texts, none }: { texts: readonly string[]; none: string }) {
  if (texts.length === 0) return <>{none}</>;
  const more = texts.length - listedMax;
  return (
    <ul class="plain">
      {texts.slice(0, listedMax).map((text) => (
        <li>
          <Text text={text} charactersMax={listedCharactersMax} />
        </li>
      ))}
      {more > 0 ? <li>and {more} more</li> : null}
    </ul>
  );
}

/** A time, with how long ago it was. */
function When({ at }: { at: number }) {
  return (
    <>
      <Time at={at} />,{" "}
      <span class="faint">
        <Time at={at} relative="due" />
      </span>
    </>
  );
}

/** A host with a link to the threats that share it. */
export function sharedHost(name: string, field: HostField, host: string | null): Row[] {
  if (host === null) return [];
  if (host.length > valueCharactersMax)
    return [[name, <Text text={host} charactersMax={valueCharactersMax} />]];
  const view = new URLSearchParams({ status: "all", [hostParameters[field]]: host });
  const link = (
    <a href={listPath(view)} title="Show all threats that share it">
      <Text text={host} charactersMax={valueCharactersMax} />
    </a>
  );
  return [[name, link]];
}

export function optional(name: string, text: string | undefined): Row[] {
  return text === undefined ? [] : [[name, <Text text={text} />]];
}

/** Renders a value of registration data or a certificate; times with how long ago they were. */
export function factValue(value: unknown): ComponentChildren {
  if (Array.isArray(value)) return <Texts texts={value.map(String)} none="none" />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? <Text text={text} charactersMax={valueCharactersMax} /> : <When at={at} />;
}
