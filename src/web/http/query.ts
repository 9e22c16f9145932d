import { Type, type TSchema } from "@sinclair/typebox";
import { badRequest } from "../../platform/lib/errors.ts";
import { echoedMax, visible } from "../../platform/lib/safe-text.ts";
import { choice } from "../../platform/vocabulary/schemas.ts";

/** One parameter of a query. */
export interface QueryParameter<Value> {
  /** Describes the parameter in the OpenAPI document. */
  schema: TSchema;
  /** Describes the allowed values in an error message. */
  allowed: string;
  /** Whether a request without it is an error. */
  isRequired?: boolean;
  /** Value of an absent parameter. */
  absent: Value;
  /** @throws PublicError `bad_request` that names the parameter and what is allowed. */
  read(name: string, text: string): Value;
}

export type QueryParameters = Record<string, QueryParameter<unknown>>;
export type QueryValues<Parameters extends QueryParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends QueryParameter<infer Value> ? Value : never;
};

/** Returns a reader of a request's URL that throws PublicError `bad_request` for anything not declared. */
export function queryReader<Parameters extends QueryParameters>(
  parameters: Parameters,
): (url: string) => QueryValues<Parameters> {
  const entries = Object.entries(parameters);
  const known = new Map(entries);
  const absent = Object.fromEntries(entries.map(([name, parameter]) => [name, parameter.absent]));
  const hasRequired = entries.some(([, { isRequired }]) => isRequired === true);
  return (url) => {
    const texts = readQuery(url, known);
    if (texts.size === 0 && !hasRequired) return absent as QueryValues<Parameters>;
    const values = { ...absent };
    for (const [name, parameter] of entries) {
      const text = texts.get(name);
      if (text !== undefined) values[name] = parameter.read(name, text);
      else if (parameter.isRequired === true)
        throw badRequest(`${name} is missing; allowed: ${parameter.allowed}.`);
    }
    return values as QueryValues<Parameters>;
  };
}

/** A parameter whose value is any text. */
export function textParameter(description: string): QueryParameter<string | undefined> {
  return {
    schema: Type.String({ description }),
    allowed: "any text",
    absent: undefined,
    read: (_name, text) => text,
  };
}

/** A parameter whose value is one of a set. */
export function choiceParameter<const T extends string>(
  allowed: readonly T[],
  description: string,
): QueryParameter<T | undefined> {
  return {
    schema: choice(allowed, { description }),
    allowed: allowed.join(", "),
    absent: undefined,
    read(name, text) {
      const value = allowed.find((one) => one === text);
      if (value !== undefined) return value;
      throw badRequest(`${name} is "${visible(text, echoedMax)}"; allowed: ${allowed.join(", ")}.`);
    },
  };
}

/** A parameter that must be given and whose value is one of a set. */
export function requiredChoiceParameter<const T extends string>(
  allowed: readonly [T, ...T[]],
  description: string,
): QueryParameter<T> {
  const parameter = choiceParameter(allowed, description);
  // `absent` is never used.
  const [absent] = allowed;
  return {
    ...parameter,
    isRequired: true,
    absent,
    read: (name, text) => parameter.read(name, text) ?? absent,
  };
}

/** A parameter whose value is a whole number from 1 to `maximum`, in decimal digits. */
export function integerParameter({
  description,
  maximum,
  absent,
}: {
  description: string;
  maximum: number;
  absent: number;
}): QueryParameter<number> {
  const allowed = `a whole number from 1 to ${maximum}`;
  return {
    schema: Type.Integer({ minimum: 1, maximum, default: absent, description }),
    allowed,
    absent,
    // No sign, space, exponent, other base or other script's digits.
    read(name, text) {
      const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= 1 && value <= maximum) return value;
      throw badRequest(`${name} is "${visible(text, echoedMax)}"; allowed: ${allowed}.`);
    },
  };
}

const noValues: ReadonlyMap<string, string> = new Map();

/**
 * Reads the parameters of a query. Each may occur once, none may be empty, and none may be unknown. The usual
 * parsers drop what they do not understand and keep the first or the last of several, so they cannot be used.
 */
function readQuery(
  url: string,
  known: ReadonlyMap<string, QueryParameter<unknown>>,
): ReadonlyMap<string, string> {
  const start = url.indexOf("?");
  if (start === -1) return noValues;
  const values = new Map<string, string>();
  for (const pair of withoutFragment(url.slice(start + 1)).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), "A parameter's name");
    const parameter = known.get(name);
    if (parameter === undefined) throw unknownParameter(name, [...known.keys()]);
    const { allowed, isRequired } = parameter;
    if (values.has(name))
      throw badRequest(`${name} is given more than once; give it once. Allowed: ${allowed}.`);
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1), name);
    if (value === "") {
      const advice = isRequired === true ? "give it a value" : "give it a value or leave it out";
      throw badRequest(`${name} is empty; ${advice}. Allowed: ${allowed}.`);
    }
    values.set(name, value);
  }
  return values;
}

function unknownParameter(name: string, known: readonly string[]): Error {
  const allowed = known.length === 0 ? "there are none here" : `there are: ${known.join(", ")}`;
  return badRequest(`There is no parameter "${visible(name, echoedMax)}"; ${allowed}.`);
}

function withoutFragment(query: string): string {
  const hash = query.indexOf("#");
  return hash === -1 ? query : query.slice(0, hash);
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest(`${name} is not percent-encoded UTF-8: write a percent sign as %25.`);
  }
}
