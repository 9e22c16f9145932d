import type { ComponentChildren } from "preact";
import type { Facts } from "../../../enrichment/facts/facts.ts";
import { looksLikeOriginal } from "../../../threats/phishing-page.ts";
import type { Threat } from "../../../threats/queries.ts";
import { Time } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";

/** The suspicious page beside the one that it may imitate. */
export function Pictures({
  threat: { id, domain, protectedDomain, screenshotToken },
  facts,
  capture,
  original,
  originalPath,
}: {
  threat: Threat;
  facts: Facts | undefined;
  capture: { webp: Uint8Array } | { why: string };
  /** Whether there is a picture of the protected domain's page. */
  original: boolean;
  originalPath: string;
}) {
  const likeness = facts?.screenshot?.visualSimilarity;
  const at = facts?.screenshot?.at;
  return (
    <>
      {likeness === undefined ? null : (
        <p>
          They look alike to {Math.round(likeness * 100)} %
          {looksLikeOriginal({ visualSimilarity: likeness })
            ? ": as a copy does."
            : ": less than a copy would."}
        </p>
      )}
      <div class="pictures">
        <Picture
          label={
            <>
              <Text text={domain} charactersMax={60} />
              {at === undefined ? null : (
                <>
                  {" "}
                  · <Time at={at} />
                </>
              )}
            </>
          }
          path={`/screenshots/${id}/${screenshotToken}`}
          alt={`The page of ${domain}`}
          why={"why" in capture ? <Text text={capture.why} /> : undefined}
        />
        <Picture
          label={<Text text={protectedDomain} charactersMax={60} />}
          path={originalPath}
          alt={`The page of ${protectedDomain}`}
          why={original ? undefined : whyNoOriginal(facts)}
        />
      </div>
    </>
  );
}

function whyNoOriginal(facts: Facts | undefined): string {
  if (facts?.screenshot === undefined) return "Captured when there is a picture to compare it with.";
  if (facts.screenshot.hash === undefined)
    return "Not captured: the suspicious page shows nothing to compare.";
  return "It could not be captured; the next picture tries again.";
}

function Picture({
  label,
  path,
  alt,
  why,
}: {
  label: ComponentChildren;
  path: string;
  alt: string;
  /** Why there is none. */
  why: ComponentChildren | undefined;
}) {
  return (
    <figure>
      {why === undefined ? (
        <a href={path}>
          <img src={path} alt={alt} loading="lazy" width="640" height="400" />
        </a>
      ) : (
        <div class="empty">{why}</div>
      )}
      <figcaption class="hint">{label}</figcaption>
    </figure>
  );
}
