import { FieldError } from "../../../platform/lib/errors.ts";
import type { Notice } from "../../content/notice.ts";
import { classifyStatus } from "../http/classify-response.ts";
import { bearer } from "../http/json-request.ts";
import type { NoticeChannelType } from "../http/notice-type.ts";
import { parseTemplate } from "./parse-template.ts";
import { plainText } from "../../content/plain-text.ts";

/** Sends JSON that a template defines, to any service that accepts a POST request. */
export const template: NoticeChannelType = {
  type: "template",
  label: "Template",
  // Not known for other services. Most accept more.
  ratePerSecond: 1,
  usesScreenshot: false,

  validate(target) {
    parseTemplate(target.template ?? "", templateValues);
    if (target.token !== null && Object.keys(target.headers).some((name) => /^authorization$/i.test(name)))
      throw new FieldError(
        "token",
        "token and a header Authorization exclude each other; remove one of them",
      );
    return target;
  },

  requests: ({ url, token, headers, template: text }, notice) => [
    {
      method: "POST",
      url: url ?? "",
      headers: { ...headers, ...bearer(token), "Content-Type": "application/json" },
      body: renderTemplate(text ?? "", notice),
    },
  ],

  classifyResponse: classifyStatus,
};

/** Fills in the values of a message. The result is always JSON. */
function renderTemplate(text: string, notice: Notice): string {
  const parts = parseTemplate(text, templateValues).map((part) => {
    if (typeof part === "string") return part;
    const value = templateValues[part.name]?.of(notice) ?? null;
    if (!part.inString) return JSON.stringify(value);
    return JSON.stringify(value === null ? "" : String(value)).slice(1, -1);
  });
  return parts.join("");
}

/** A value that a template can contain. */
interface TemplateValue {
  /** Whether it can be a part of a text; otherwise it is a list or an object. */
  text: boolean;
  /** Null: the message has none, which is an empty text inside of quotes. */
  of(notice: Notice): unknown;
}

const text = (of: TemplateValue["of"]): TemplateValue => ({ text: true, of });
const data = (of: TemplateValue["of"]): TemplateValue => ({ text: false, of });

/** Everything that a template can contain, by name. The manual describes each of them. */
export const templateValues: Readonly<Record<string, TemplateValue>> = {
  id: text(({ id }) => id),
  kind: text(({ kind }) => kind),
  at: text(({ at }) => at),
  tone: text(({ tone }) => tone),
  severity: text(({ tone }) => (tone === "good" || tone === "neutral" ? null : tone)),
  title: text(({ title }) => title),
  summary: text(({ summary }) => summary),
  text: text((notice) => plainText(notice)),
  more: text(({ more }) => more),
  url: text(({ links: [first] }) => first?.url ?? null),
  "threat.id": text(({ threat }) => threat?.id ?? null),
  "threat.status": text(({ threat }) => threat?.status ?? null),
  "condition.key": text(({ condition }) => condition?.key ?? null),
  "condition.phase": text(({ condition }) => condition?.phase ?? null),
  facts: data(({ facts }) => facts),
  items: data(({ items }) => items.map(({ domainInTitle: _domainInTitle, ...item }) => item)),
  links: data(({ links }) => links),
  threat: data(({ threat }) => threat),
  condition: data(({ condition }) => condition),
  notice: data((notice) => notice),
};
