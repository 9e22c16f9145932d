import type { ComponentChildren } from "preact";
import type { Facts } from "../../../facts/enrichment/facts/facts.ts";
import { visualSimilarityText } from "../../../threats/threats/severity/phishing-page.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import type { Page } from "../../../facts/lookups/page/page-lookup.ts";
import { Time } from "../kit/components.tsx";
import { Text } from "../kit/inline.tsx";
import { threatPath } from "../kit/paths.ts";

export interface PagePictures {
  threat: Pick<Threat, "id" | "domain" | "protectedDomain" | "screenshotToken">;
  facts: Facts | undefined;
  /** Why there is no screenshot of the suspicious page; undefined if there is one. */
  whyMissing: string | undefined;
}

/** The page of a threat and the page that it may copy, side by side, as small pictures. */
export function PagePair({ threat, facts, whyMissing }: PagePictures) {
  const screenshot = facts?.screenshot;
  if (whyMissing !== undefined || screenshot === undefined)
    return (
      <p class="quiet s">
        <Text text={[whyMissing ?? "There is no screenshot.", withheldText(facts)].join(" ")} />
      </p>
    );
  const { at, kept, visualSimilarity } = screenshot;
  return (
    <div class="pair">
      <Figure
        path={`${threatPath(threat.id)}/thumbnail?v=${at}`}
        alt={`Screenshot of ${threat.domain}`}
        caption={
          <>
            <span>{kept === "blurred" ? "Look-alike (blurred)" : "Look-alike"}</span>
            <Time at={at} relative />
          </>
        }
      />
      {visualSimilarity === undefined ? null : (
        <Figure
          path={`${originalPath(threat.id)}/thumbnail`}
          alt={`Screenshot of ${threat.protectedDomain}`}
          caption={
            <>
              <span>Original</span>
              <span class="num">{visualSimilarityText(visualSimilarity)} alike</span>
            </>
          }
        />
      )}
    </div>
  );
}

/** Returns how much a page resembled the original whose screenshot must not be kept. Empty if there is a screenshot. */
export function withheldText(facts: Facts | undefined): string {
  const { deletedAt, hash, kept, visualSimilarity } = facts?.screenshot ?? {};
  if (kept !== "fingerprints" || deletedAt !== undefined || hash === undefined) return "";
  return visualSimilarity === undefined
    ? "There was no screenshot of the original to compare it with."
    : `It was ${visualSimilarityText(visualSimilarity)} like the original.`;
}

export function Figure({ path, alt, caption }: { path: string; alt: string; caption: ComponentChildren }) {
  return (
    <figure>
      <span class="shot">
        <img src={path} alt={alt} width="224" height="140" loading="lazy" />
      </span>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

export function originalPath(id: string): string {
  return `${threatPath(id)}/original`;
}

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
