import { readProtectedDomain } from "../../../platform/config/fields/texts.ts";
import type { FilterConfig } from "../../../platform/config/sections/notifications.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { EventFilter } from "../../../threats/events/event-filter.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { counted } from "../../../platform/lib/wording.ts";
import { severities, threatSources, threatTypes } from "../../../platform/vocabulary/threats.ts";
import { splitList, type createFieldReader } from "../kit/fields.ts";
import type { HelpTopic } from "../kit/disclosure.tsx";
import { choicesOf, Checkbox, Select, type Choice, useForm } from "../kit/form.tsx";
import { OnlyThese, readOnlyThese } from "../kit/only-these.tsx";
import { inWords, sourceLabels, typeDescriptions } from "../kit/inline.tsx";

/** Filters of threats, in the forms of webhook endpoints and subscriptions. The fields are named like the settings. */

const severityChoices: Choice[] = severities.toReversed().map((severity) => ({
  value: severity,
  label: severity === "low" ? "low: every threat" : severity === "high" ? "high only" : "medium and high",
}));
const typeChoices = choicesOf(threatTypes, inWords, typeDescriptions);
const sourceChoices = choicesOf(threatSources, (source) => sourceLabels[source]);
/** Maximum number of items that the description of a filter names. */
const namedMax = 2;

/** @param props.domains names of the protected domains */
export function FilterFields({ domains }: { domains: readonly string[] }) {
  const { form, errors } = useForm();
  const further = ["types", "sources", "protected_domains"];
  return (
    <>
      <Select
        label="Minimum severity"
        name="min_severity"
        choices={severityChoices}
        initial="low"
        help="minimum_severity"
      />
      <Checkbox
        label="Only verified threats: the name is known to exist, or its page was seen"
        name="verified_only"
      />
      <details class="more" open={further.some((name) => form.has(name) || errors[name] !== undefined)}>
        <summary>Domains, types and sources</summary>
        <div>
          <ProtectedDomainsField name="protected_domains" domains={domains} />
          <OnlyThese label="Threat types" name="types" all="All types" choices={typeChoices} />
          <OnlyThese label="Found by" name="sources" all="All sources" choices={sourceChoices} />
        </div>
      </details>
    </>
  );
}

/** Returns the names of the protected domains that a filter can choose. */
export function enabledDomains(domains: Pick<ProtectedDomains, "list">): string[] {
  return domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
}

/** Returns the fields of the form that stand for a filter. */
export function filterFields(filter: EventFilter): [string, string][] {
  return [
    ["min_severity", filter.minSeverity],
    ...filter.protectedDomains.map((domain): [string, string] => ["protected_domains", domain]),
    ...filter.types.map((type): [string, string] => ["types", type]),
    ...filter.sources.map((source): [string, string] => ["sources", source]),
    ...(filter.verifiedOnly ? [["verified_only", "yes"] as [string, string]] : []),
  ];
}

/** Reads the filter from a form. */
export function readFilter(
  form: URLSearchParams,
  { field }: Pick<ReturnType<typeof createFieldReader>, "field">,
): FilterConfig {
  const names = form.getAll("protected_domains").flatMap(splitList);
  const severity = form.get("min_severity") ?? "low";
  return {
    minSeverity: field("min_severity", () => oneOf(severities, severity), "low"),
    protectedDomains: field(
      "protected_domains",
      () => [...new Set(readOnlyThese(form, "protected_domains", names).map(readName))],
      [],
    ),
    types: field("types", () => readOnlyThese(form, "types").map((type) => oneOf(threatTypes, type)), []),
    sources: field(
      "sources",
      () => readOnlyThese(form, "sources").map((one) => oneOf(threatSources, one)),
      [],
    ),
    verifiedOnly: form.get("verified_only") === "yes",
  };
}

/** @throws PublicError `bad_request` for a value that is not among the choices */
export function oneOf<T extends string>(choices: readonly T[], given: string): T {
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw badRequest(`choose one of ${choices.join(", ")}`);
  return found;
}

function readName(text: string): string {
  const result = readProtectedDomain(text);
  if ("value" in result) return result.value;
  throw badRequest(`${visible(text, 100)} is not a domain; enter ${result.allowed}`);
}

/** Returns the names and values of what a filter restricts. */
export function filterFacts(filter: EventFilter): [string, string][] {
  const facts: [string, string][] = [
    ["Minimum severity", filter.minSeverity === "low" ? "" : filter.minSeverity],
    ["Verified", filter.verifiedOnly ? "only verified threats" : ""],
    ["Protected domains", filter.protectedDomains.join(", ")],
    ["Threat types", filter.types.map(inWords).join(", ")],
    ["Found by", filter.sources.map((source) => sourceLabels[source]).join(", ")],
  ];
  return facts.filter(([, value]) => value !== "");
}

/** Describes a filter in short phrases, such as "at least high". Empty: it contains every threat. */
export function filterPhrases(filter: EventFilter): string[] {
  const { minSeverity, verifiedOnly } = filter;
  const named = (all: readonly string[], noun: string) =>
    all.length <= namedMax ? all.map(inWords).join(" and ") : counted(all.length, noun);
  const sources = filter.sources.map((source) => sourceLabels[source]);
  return [
    ...(minSeverity === "low" ? [] : [`at least ${minSeverity}`]),
    ...(verifiedOnly ? ["only verified"] : []),
    ...(filter.protectedDomains.length > 0
      ? [`of ${named(filter.protectedDomains, "protected domain")}`]
      : []),
    ...(filter.types.length > 0 ? [`only ${named(filter.types, "type")}`] : []),
    ...(sources.length > 0 ? [`found by ${named(sources, "source")}`] : []),
  ];
}

/** Maximum number of protected domains offered as checkboxes; for more, names are typed in. */
const checkboxesMax = 30;

/** Choice of all protected domains, or of some: checkboxes if they are few, and a field to type them in otherwise. */
export function ProtectedDomainsField(props: {
  name: string;
  /** Names that can be chosen. Other names in the form are kept. */
  domains: readonly string[];
  help?: HelpTopic | undefined;
}) {
  const { name, domains, help } = props;
  const { form, errors } = useForm();
  const error = errors[name];
  const values = form.getAll(name).flatMap(splitList);
  const offered = [...new Set([...domains, ...values])];
  const isTyped = error !== undefined || offered.length === 0 || offered.length > checkboxesMax;
  return (
    <OnlyThese
      label="Protected domains"
      name={name}
      all="All, including those that are added later"
      values={values}
      help={help}
      choices={isTyped ? undefined : choicesOf(offered, (domain) => visible(domain))}
    >
      <textarea
        class="input"
        name={name}
        rows={4}
        aria-label="Protected domains, one per line"
        placeholder="One per line"
        aria-invalid={error === undefined ? undefined : "true"}
      >
        {values.join("\n")}
      </textarea>
    </OnlyThese>
  );
}
