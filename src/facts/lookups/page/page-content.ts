import { decodeHTML } from "entities/decode";
import type { Turns } from "../../../platform/network/turns.ts";
import { decodeScripts } from "../markup/decode-scripts.ts";
import { createSvgFinder } from "../markup/inline-svg.ts";
import { addHandlers } from "./element-handlers.ts";
import { createPageCollector, type PageCollector } from "./page-collector.ts";
import { mapText, markupPieces } from "../markup/page-text.ts";

/** Content of a page. All of it is untrusted text of the page's author; addresses are as written. */
export type PageContent = Awaited<ReturnType<typeof readPage>>;

/** A page with fewer of them resembles many others. */
const structuralElementsMin = 6;
const scriptRedirectsMax = 50;
const scriptHashesMax = 100;
const scriptAddressesMax = 200;
/** A shorter script, without white space, is found in many pages. */
const hashedScriptLengthMin = 60;
/** Scripts write markup whose scripts write markup. */
const decodingsMax = 3;
/** Text length up to which a page shows nothing of its own, so that all strings of its scripts are considered. */
const thinTextLengthMax = 200;

/**
 * Reads HTML with Bun's streaming parser, then the HTML in strings that its scripts decode. Each part of the content has
 * a limit. Other work runs in between.
 * @param pieces the page, in pieces that are parsed at once.
 */
export async function readPage(pieces: Iterable<string>, turns: Turns) {
  const collector = createPageCollector();
  const svgs = createSvgFinder();
  const readPieces = (source: Iterable<string>) => transformInPieces(collector, svgs, source, turns);
  const isCut = await readPieces(pieces);
  const { structure } = collector;
  const structureHash =
    structure.length >= structuralElementsMin ? Bun.hash(structure.join("\n")).toString(16) : undefined;
  const scripts = collector.takeScripts();
  const decodedScripts: string[] = [];
  let isDecoded = false;
  let latest = scripts;
  for (let round = 0; round < decodingsMax && latest.length > 0; round += 1) {
    const isThin = collector.visibleLength <= thinTextLengthMax && collector.parts.fields.length === 0;
    const decoded = await decodeScripts(latest, { isThin, turns });
    if (decoded.length === 0) break;
    isDecoded = true;
    for (const markup of decoded) await readPieces(markupPieces(markup));
    latest = collector.takeScripts();
    decodedScripts.push(...latest);
  }

  collector.finish();
  const visibleText = await mapText(collector.text.take(), (piece) => joined(decodeHTML(piece)), turns);
  const allScripts = [...scripts, ...decodedScripts].join("\n");
  const hiddenText = await mapText(collector.hidden.take(), joined, turns);
  return {
    ...collector.parts,
    /** Text of the first `<title>`, with entities decoded and white space collapsed. */
    title: joined(decodeHTML(collector.title.take())),
    /** Visible text, meta descriptions and alternative texts. */
    text: `${visibleText} ${hiddenText}`,
    /** Length of the visible part of `text`. */
    visibleLength: visibleText.length,
    /** Length of the visible text without what styles conceal, with white space and character references. */
    shownLength: Math.min(collector.visibleLength - collector.concealedLength, visibleText.length),
    /** URLs to which scripts redirect. */
    scriptRedirects: scriptTargets(allScripts),
    /** Whether there is any inline script. */
    scripted: scripts.some((script) => script.trim() !== ""),
    /** Hashes of inline scripts of some length, without white space. */
    scriptHashes: hashesOf(scripts),
    /** Absolute addresses in inline scripts and in what they decode. */
    scriptAddresses: addressesIn(allScripts),
    /** `<svg>` elements, as written. */
    svgs: svgs.found(),
    /** Whether the page has so much markup that its end was not read. */
    isCut,
    /** Whether part of the content is from strings that scripts decode. */
    isDecoded,
    /** Hash of the page's forms, fields, pictures and scripts in their order; undefined if it has few of them. */
    structure: structureHash,
  };
}

/** Returns whether the page was cut, because it has too much markup. */
async function transformInPieces(
  collector: PageCollector,
  svgs: { add(piece: string): void },
  pieces: Iterable<string>,
  turns: Turns,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.iterator]();
  const meter = createMarkupMeter();
  let isCut = false;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await turns.next();
      const { done, value } = iterator.next();
      if (done === true) return controller.close();
      isCut = !meter.add(value);
      svgs.add(value);
      controller.enqueue(encoder.encode(value));
      if (isCut) controller.close();
    },
  });
  const output = addHandlers(new HTMLRewriter(), collector).transform(new Response(stream)).body!.getReader();
  while (!(await output.read()).done);
  return isCut;
}

function hashesOf(scripts: readonly string[]): string[] {
  return scripts
    .map((script) => script.replace(/\s+/g, ""))
    .filter((script) => script.length >= hashedScriptLengthMin)
    .slice(0, scriptHashesMax)
    .map((script) => new Bun.CryptoHasher("sha256").update(script).digest("hex").slice(0, 16));
}

function addressesIn(script: string): string[] {
  const found = script
    .replaceAll("\\/", "/")
    .matchAll(/\bhttps?:\/\/[^\s"'`<>\\)]{4,500}/gi)
    .take(scriptAddressesMax)
    .map(([address]) => address);
  return [...new Set(found)];
}

function scriptTargets(source: string): string[] {
  const script = source.replace(
    /\batob\(\s{0,9}(["'`])([A-Za-z0-9+/=]{4,2000})\1\s{0,9}\)/g,
    (call, quote, text) => {
      const decoded = Buffer.from(text, "base64").toString("latin1");
      return /^[!#-&(-_a-~]+$/.test(decoded) ? quote + decoded + quote : call;
    },
  );
  const assigned = /\blocation(?:\.href)?\s{0,9}=\s{0,9}(["'`])([^"'`\s]{1,2000})\1/g;
  const called = /\blocation\.(?:replace|assign)\(\s{0,9}(["'`])([^"'`\s]{1,2000})\1/g;
  const targetsOf = (pattern: RegExp) => script.matchAll(pattern).take(scriptRedirectsMax).toArray();
  const targets = [...targetsOf(assigned), ...targetsOf(called)].map((match) => match[2]!);
  return targets.slice(0, scriptRedirectsMax);
}

function joined(text: string): string {
  return text.split(/\s+/).join(" ").trim();
}

const tagsMax = 12_000;
/** Number of characters that can separate attributes within one tag. An embedded image contains many slashes. */
const separatorsMax = 20_000;

const separators = new Set([..." \t\n\r\f\"'/"].map((character) => character.charCodeAt(0)));
const lessThan = 60;
const greaterThan = 62;

/**
 * Counts markup, for which the parser needs memory: about 200 bytes for each element that is not closed, and 50 for
 * each attribute of a tag. Pages that people use have far less of both.
 */
function createMarkupMeter() {
  let tags = 0;
  let separatorsInTag = 0;
  let isInTag = false;
  return {
    /** Counts the next piece of a page. Returns false once there is too much. */
    add(piece: string) {
      for (let index = 0; index < piece.length; index += 1) {
        const code = piece.charCodeAt(index);
        if (code === lessThan) {
          tags += 1;
          // Inside a tag, it is part of an attribute.
          if (!isInTag) separatorsInTag = 0;
          isInTag = true;
        } else if (code === greaterThan) {
          isInTag = false;
        } else if (isInTag && separators.has(code)) {
          separatorsInTag += 1;
          if (separatorsInTag > separatorsMax) return false;
        }
      }
      return tags <= tagsMax;
    },
  };
}
