import { decodeHTML } from "entities/decode";
import { createElementText, createTextCollector } from "../markup/page-text.ts";
import type { FormField, PageForm, PageResource } from "./page-view.ts";

/** Parts of a page that its elements state. */
export class PageParts {
  language: string | undefined = undefined;
  siteName: string | undefined = undefined;
  canonical: string | undefined = undefined;
  headings: string[] = [];
  elements: string[] = [];
  links: string[] = [];
  linkTexts: { url: string; text: string }[] = [];
  resources: PageResource[] = [];
  forms: PageForm[] = [];
  fields: FormField[] = [];
  labels: string[] = [];
  /** Texts of buttons. */
  buttons: string[] = [];
  /** Target of `<meta http-equiv=refresh>`, if it redirects within a few seconds. */
  refresh: string | undefined = undefined;
  /** URLs of scripts and frames. */
  embedded: string[] = [];
  icons: { rel: string; href: string }[] = [];
  /** Pictures, those that are probably a logo first. */
  pictures: { role: "logo" | "picture"; url: string }[] = [];
  base: string | undefined = undefined;
  savedFrom: string | undefined = undefined;
}

/** Collects the parts of a page from the events of a parser, with a limit on each part. */
export type PageCollector = ReturnType<typeof createPageCollector>;

const textLengthMax = 100_000;
const scriptLengthMax = 200_000;
const titleLengthMax = 2_000;
const elementTextLengthMax = 300;
const headingsMax = 100;
const itemsMax = 500;

export function createPageCollector() {
  const parts = new PageParts();
  /** Takes the fields that are in no form. */
  const formless: PageForm = { action: "", method: "get", fields: [] };
  let scripts: string[] = [];
  let scriptLength = 0;
  const linked = new Set<string>();

  const shortText = (take: (text: string) => void) =>
    createElementText(elementTextLengthMax, (raw) => take(decodeHTML(raw).split(/\s+/).join(" ").trim()));
  const collector = {
    parts,
    /** Describes elements that the author of a page writes by hand. */
    structure: [] as string[],
    text: createTextCollector(textLengthMax),
    hidden: createTextCollector(textLengthMax),
    title: createTextCollector(titleLengthMax),
    hasTitle: false,
    /** Length of the visible text so far, with white space and character references. */
    visibleLength: 0,
    /** Part of it that styles conceal. */
    concealedLength: 0,
    label: createTextCollector(titleLengthMax),
    formless,
    linkAddress: "",
    heading: shortText((found) => {
      if (found !== "" && parts.headings.length < headingsMax) parts.headings.push(found);
    }),
    button: shortText((found) => {
      if (found !== "" && parts.buttons.length < itemsMax) parts.buttons.push(found);
    }),
    link: shortText((found) => {
      const url = collector.linkAddress;
      if (url === "" || linked.has(url) || linked.size >= itemsMax) return;
      linked.add(url);
      parts.linkTexts.push({ url, text: found });
    }),
    script: createElementText(scriptLengthMax, (found) => {
      if (scriptLength >= scriptLengthMax || scripts.length >= itemsMax) return;
      const kept = found.slice(0, scriptLengthMax - scriptLength);
      scriptLength += kept.length;
      if (kept.trim() !== "") scripts.push(kept);
    }),
    /** Ends the elements that are not closed. */
    finish() {
      for (const name of ["heading", "button", "link", "script"] as const) collector[name].end();
      if (formless.fields.length > 0) parts.forms.push(formless);
    },
    /** Returns the inline scripts since the last call. */
    takeScripts(): string[] {
      collector.script.end();
      const taken = scripts;
      scripts = [];
      return taken;
    },
  };
  return collector;
}
