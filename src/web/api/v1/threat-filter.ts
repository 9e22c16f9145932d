import { Type } from "@sinclair/typebox";
import type { ApiKey } from "../../../access/keys/keys.ts";
import { requireDomain } from "../../../access/keys/permissions.ts";
import { normalizeHostName } from "../../../engines/detection/names/name.ts";
import { choiceParameter, type QueryParameter, type QueryValues } from "../../http/query.ts";
import { fromRfc3339, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { echoedMax, visible } from "../../../platform/lib/safe-text.ts";
import type { SearchFilter } from "../../../threats/index/filter.ts";
import {
  nameQueryCharactersMax,
  parseNameQuery,
  type NameQuery,
} from "../../../threats/index/columns/name-query.ts";
import { severities, statuses, threatSources, threatTypes } from "../../../platform/vocabulary/threats.ts";

/** A protected domain in U-label or A-label form, normalized to the latter. */
const domainParameter: QueryParameter<string | undefined> = {
  schema: Type.String({ description: "Only threats to this protected domain, in U-label or A-label form." }),
  allowed: "a domain name, such as example.com",
  absent: undefined,
  read(_name, text) {
    const result = normalizeHostName(text);
    if ("name" in result) return result.name;
    // No single label is protected, so it matches nothing, like any other unknown domain.
    const label = normalizeHostName(`${text}.invalid`);
    if (!text.includes(".") && "name" in label) return label.name.slice(0, -".invalid".length);
    throw badRequest(`domain is not a domain name: it ${result.error}.`);
  },
};

const nameParameter: QueryParameter<NameQuery | undefined> = {
  schema: Type.String({
    maxLength: nameQueryCharactersMax,
    description:
      "Only threats whose name contains this text, in U-label or A-label form; `pay*` matches the beginning. In a URL or an email address, also a defanged one (`hxxps://examp1e-bank[.]com/login`), the host counts. A homograph also matches the letters that it looks like.",
  }),
  allowed: `part of a name, of at most ${nameQueryCharactersMax} characters`,
  absent: undefined,
  read(name, text) {
    if (text.length > nameQueryCharactersMax)
      throw badRequest(`${name} is longer than ${nameQueryCharactersMax} characters; send part of a name.`);
    const query = parseNameQuery(text);
    if (query !== undefined) return query;
    throw badRequest(`${name} is "${visible(text, echoedMax)}", which contains no part of a name.`);
  },
};

const sinceParameter: QueryParameter<Instant | undefined> = {
  schema: Type.String({
    format: "date-time",
    description:
      "Only threats that were created or changed at this time or later (status, severity, facts, case, first seen): RFC 3339 with seconds and a time zone.",
  }),
  allowed: "a time, such as 2026-01-15T12:00:00Z",
  absent: undefined,
  read(name, text) {
    const instant = fromRfc3339(text);
    if (instant !== undefined) return instant;
    // In a query, a plus sign stands for a space.
    const hint = / \d\d:\d\d$/.test(text) ? "; write the plus sign of its time zone as %2B" : "";
    throw badRequest(
      `${name} is "${visible(text, echoedMax)}"; allowed: RFC 3339 with seconds and a time zone, such as 2026-01-15T12:00:00Z${hint}.`,
    );
  },
};

const similarityAllowed = "a number from 0 to 1 with at most four decimal places";
const similarityParameter: QueryParameter<number | undefined> = {
  schema: Type.Number({ minimum: 0, maximum: 1, description: "Only threats with at least this similarity." }),
  allowed: similarityAllowed,
  absent: undefined,
  read(name, text) {
    const value = /^[01](\.[0-9]{1,4})?$/.test(text) ? Number(text) : Number.NaN;
    if (value <= 1) return value;
    throw badRequest(`${name} is "${visible(text, echoedMax)}"; allowed: ${similarityAllowed}.`);
  },
};

/** Parameters that select threats, wherever threats are listed. */
export const filterParameters = {
  domain: domainParameter,
  status: choiceParameter(statuses, "Only threats with this status."),
  severity: choiceParameter(severities, "Only threats with this severity."),
  type: choiceParameter(threatTypes, "Only threats of this type."),
  source: choiceParameter(threatSources, "Only threats that were detected this way."),
  q: nameParameter,
  since: sinceParameter,
  min_similarity: similarityParameter,
};

/** @throws PublicError `forbidden` if the key is restricted to other protected domains than the named one. */
export function filterOf(
  { domain, q, since, min_similarity: minSimilarity, ...kinds }: QueryValues<typeof filterParameters>,
  key: ApiKey,
): SearchFilter {
  if (domain !== undefined) requireDomain(key, domain);
  return {
    ...kinds,
    protectedDomain: domain,
    within: key.domains.length === 0 ? undefined : key.domains,
    text: q,
    changedSince: since,
    minSimilarity,
  };
}
