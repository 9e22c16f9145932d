import type { Notice } from "../../content/notice.ts";
import { plainText } from "../../content/plain-text.ts";

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
