import type { Page } from "../../../facts/lookups/page/page-lookup.ts";

type ShownTo = NonNullable<Page["shownTo"]>;

const visitors: Record<ShownTo, string> = {
  iphone: "an iPhone",
  android: "an Android phone that comes from a search engine",
  webmail: "a browser that comes from webmail",
};

/** Returns which visit was shown the content, and where it is from; undefined: the first one, as the server sent it. */
export function seenAs({ from, shownTo }: Pick<Page, "from" | "shownTo">): string | undefined {
  const texts = [
    ...(shownTo === undefined ? [] : [`only to ${visitors[shownTo]}, not to the first visit`]),
    ...(from === "scripts" ? ["from strings that its scripts decode"] : []),
    ...(from === "browser" ? ["as a browser renders it"] : []),
  ];
  return texts.length === 0 ? undefined : texts.join("; ");
}
