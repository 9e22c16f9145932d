import { countryValue, emailValue, phoneValue, textValue } from "./registry-values.ts";
import { parseJson } from "../../../platform/lib/json.ts";

/** Maximum number of entities in one response, including nested ones; more than any registry sends. */
const entitiesMax = 64;
const entityDepthMax = 4;
const vcardPropertiesMax = 64;
const linksMax = 64;
const urlCharactersMax = 2_000;

export type Json = Record<string, unknown>;
export interface Entity {
  roles: string[];
  json: Json;
  /** Roles of the entities that contain this one. */
  within: string[];
}

/** `errorCode`: that of an RDAP error object (RFC 9083 §6). */
export interface UnreadableRdap {
  kind: "unreadable";
  reason: string;
  errorCode?: number | undefined;
}

/** Returns the JSON object that a response consists of, or why it describes nothing. */
export function readRdapObject(body: string): { json: Json } | UnreadableRdap {
  const json = parseJson(body);
  if (json === undefined)
    return { kind: "unreadable", reason: /^\s*</.test(body) ? "HTML instead of JSON" : "not JSON" };
  if (!isObject(json)) return { kind: "unreadable", reason: "not a JSON object" };
  const { errorCode: code, title } = json;
  if (code === undefined) return { json };
  const errorCode = typeof code === "number" ? code : undefined;
  const reason = `RDAP error ${errorCode ?? ""} ${textValue(title) ?? ""}`.trim();
  return { kind: "unreadable", reason, errorCode };
}

/**
 * Returns the URL of the first link with a relation (RFC 9083 §4.2) that can be requested.
 * @param type media type that the link must have if it states one; absent: any.
 */
export function linkTo(json: Json, relation: string, type?: string): string | undefined {
  for (const link of list(json["links"], linksMax)) {
    if (!isObject(link) || link["rel"] !== relation) continue;
    const { href, type: stated = type } = link;
    if (typeof href !== "string" || (type !== undefined && stated !== type)) continue;
    if (/^https?:/i.test(href) && href.length < urlCharactersMax && URL.canParse(href)) return href;
  }
  return undefined;
}

/** Returns the entities up to a limited depth and number, outer ones first. */
export function entitiesOf(json: Json): Entity[] {
  const found: Entity[] = [];
  let level: { owner: Json; within: string[] }[] = [{ owner: json, within: [] }];
  for (let depth = 0; depth < entityDepthMax; depth += 1) {
    const next: { owner: Json; within: string[] }[] = [];
    for (const { owner, within } of level) {
      for (const entity of list(owner["entities"], entitiesMax)) {
        if (found.length >= entitiesMax) return found;
        if (!isObject(entity)) continue;
        const roles = list(entity["roles"], 16).filter((role): role is string => typeof role === "string");
        found.push({ roles, json: entity, within });
        next.push({ owner: entity, within: [...within, ...roles] });
      }
    }
    level = next;
  }
  return found;
}

export interface Card {
  fullName?: string | undefined;
  organization?: string | undefined;
  country?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
}

/** Reads a jCard (RFC 7095): `["vcard", [[name, parameters, type, value…], …]]`. */
export function cardOf(entity: Entity | undefined): Card {
  const array = entity?.json["vcardArray"];
  const card: Card = {};
  if (!Array.isArray(array)) return card;
  for (const property of list(array[1], vcardPropertiesMax)) {
    if (!Array.isArray(property)) continue;
    const [name, parameters, , value] = property as unknown[];
    switch (typeof name === "string" ? name.toLowerCase() : "") {
      case "fn":
        card.fullName ??= textValue(value);
        break;
      case "org":
        card.organization ??= textValue(Array.isArray(value) ? value[0] : value);
        break;
      case "email":
        card.email ??= emailValue(value);
        break;
      case "tel":
        if (!isFax(parameters)) card.phone ??= phoneValue(value);
        break;
      case "adr":
        card.country ??= countryOf(parameters, value);
        break;
    }
  }
  return card;
}

function isFax(parameters: unknown): boolean {
  const type = isObject(parameters) ? parameters["type"] : undefined;
  return type === "fax" || (Array.isArray(type) && type.includes("fax"));
}

/** Reads the country from the parameter `cc` (RFC 8605), or from the seventh component of the address. */
function countryOf(parameters: unknown, value: unknown): string | undefined {
  const code = isObject(parameters) ? countryValue(parameters["cc"]) : undefined;
  return code ?? (Array.isArray(value) ? countryValue(value[6]) : undefined);
}

export function list(value: unknown, max: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
