import { decodeHTML } from "entities/decode";
import { createElementText, createTextCollector } from "../markup/page-text.ts";
import { addHandlers, type CollectorState, type PageParts } from "./element-handlers.ts";
import type { PageForm } from "./page-view.ts";

/** Collects the parts of a page from the events of a parser, with a limit on each part. */
export type PageCollector = ReturnType<typeof createPageCollector>;

const textLengthMax = 100_000;
const scriptLengthMax = 200_000;
const titleLengthMax = 2_000;
const elementTextLengthMax = 300;
const headingsMax = 100;
const itemsMax = 500;

export function createPageCollector() {
  const parts = emptyParts();
  /** Describes elements that the author of a page writes by hand. */
  const structure: string[] = [];
  const text = createTextCollector(textLengthMax);
  const hidden = createTextCollector(textLengthMax);
  const title = createTextCollector(titleLengthMax);
  /** Takes the fields that are in no form. */
  const formless: PageForm = { action: "", method: "get", fields: [] };
  let scripts: string[] = [];
  let scriptLength = 0;
  const linked = new Set<string>();

  const shortText = (take: (text: string) => void) =>
    createElementText(elementTextLengthMax, (raw) => take(decodeHTML(raw).split(/\s+/).join(" ").trim()));
  const state: CollectorState = {
    parts,
    structure,
    text,
    hidden,
    title,
    hasTitle: false,
    visibleLength: 0,
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
      const url = state.linkAddress;
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
  };

  return {
    parts,
    structure,

    /** Length of the visible text so far, with white space and character references. */
    get visibleLength() {
      return state.visibleLength;
    },

    /** The same without text that styles of its elements conceal. */
    get shownLength() {
      return state.visibleLength - state.concealedLength;
    },

    /** Returns a parser for the next document or fragment of the page. */
    rewriter: () => addHandlers(new HTMLRewriter(), state),

    /** Ends the elements that are not closed. */
    finish() {
      for (const element of [state.heading, state.button, state.link, state.script]) element.end();
      if (formless.fields.length > 0) parts.forms.push(formless);
    },
    takeTitle: title.take,
    takeText: text.take,
    takeHiddenText: hidden.take,

    /** Returns the inline scripts since the last call. */
    takeScripts() {
      state.script.end();
      const taken = scripts;
      scripts = [];
      return taken;
    },
  };
}

function emptyParts(): PageParts {
  return {
    language: undefined,
    siteName: undefined,
    canonical: undefined,
    headings: [],
    elements: [],
    links: [],
    linkTexts: [],
    resources: [],
    forms: [],
    fields: [],
    labels: [],
    buttons: [],
    refresh: undefined,
    embedded: [],
    icons: [],
    pictures: [],
    base: undefined,
    savedFrom: undefined,
  };
}
