import { lazy } from "../../../platform/lib/startup.ts";
import { foldedWords } from "../../lookups/page/fold-text.ts";
import { asksFor } from "../../lookups/page/page-indicators.ts";
import type { PageForm, PageView } from "../../lookups/page/page-view.ts";
import requestedText from "./data/requested-data.txt" with { type: "text" };

/** Data that forms of kits request, from the most telling to the least. */
const requestedData = ["seed_phrase", "card", "identity", "code", "password", "account"] as const;
export type RequestedData = (typeof requestedData)[number];

interface Words {
  anywhere: string[];
  whole: Set<string>;
}

const lists = lazy(() => {
  const found = new Map<string, Words>();
  let section: Words = { anywhere: [], whole: new Set() };
  for (const line of requestedText.split("\n")) {
    const title = /^\[(\w+)\]$/.exec(line)?.[1];
    if (title !== undefined) found.set(title, (section = { anywhere: [], whole: new Set() }));
    else if (!line.startsWith("#"))
      for (const word of line.split(" ").filter((entry) => entry !== ""))
        if (word.startsWith("!")) section.whole.add(foldedWords(word).join(""));
        else section.anywhere.push(foldedWords(word).join(""));
  }
  return found;
});

const descriptionLengthMax = 80;
const fieldsMax = 100;
const typedInto = new Set(["text", "tel", "number", "password", "email", "search", "url", ""]);
/** Fields of one digit each, as forms for codes have them. */
const digitFieldsMin = 4;
/** Fields of one word each: seed phrases have 12 to 24. */
const seedFieldsMin = 12;

/**
 * Returns what a form requests. A password and a card are recognized by `asksFor`, as for the facts of a threat.
 * @param labels labels of the page, if they can only belong to this form.
 */
export function requestedBy(form: PageForm, labels: readonly string[]): RequestedData[] {
  const fields = form.fields.filter(({ type }) => type !== "hidden").slice(0, fieldsMax);
  const typed = fields.filter(({ type }) => typedInto.has(type));
  if (typed.length === 0) return [];
  const texts = [...typed.flatMap(({ descriptions }) => descriptions), ...labels]
    .filter((text) => text.length <= descriptionLengthMax)
    .map((text) => foldedWords(text));
  const describes = (section: string) => {
    const words = lists().get(section);
    return words !== undefined && texts.some((text) => matches(text, words));
  };
  const found: RequestedData[] = [];
  const same = typed.filter(({ type }) => type === "text" || type === "password").length;
  if (describes("seed_phrase") || (same >= seedFieldsMin && typed.length === same)) found.push("seed_phrase");
  if (asksFor("card", { fields: typed, labels: [...labels] })) found.push("card");
  if (describes("identity")) found.push("identity");
  const digits = typed.filter(({ descriptions }) =>
    descriptions.some((text) => /^\D{0,12}[1-8]$/.test(text)),
  );
  if (
    describes("code") ||
    typed.some(({ autocomplete }) => autocomplete.includes("one-time-code")) ||
    (digits.length >= digitFieldsMin && digits.length <= 8)
  )
    found.push("code");
  if (asksFor("password", { fields, labels: [...labels] })) found.push("password");
  if (
    describes("account") ||
    typed.some(({ type, autocomplete }) => type === "email" || /username|email/.test(autocomplete))
  )
    found.push("account");
  return found;
}

/** Labels belong to no form in a `PageView`: they count if the page has a single form with fields. */
export function labelsOfForms({ forms, labels }: PageView): readonly string[] {
  return forms.filter(({ fields }) => fields.some(({ type }) => typedInto.has(type))).length === 1
    ? labels
    : [];
}

function matches(words: readonly string[], { anywhere, whole }: Words): boolean {
  if (words.some((word) => whole.has(word))) return true;
  const joined = words.join("");
  return whole.has(joined) || anywhere.some((word) => joined.includes(word));
}
