import type { ComponentChildren } from "preact";
import type { Facts } from "../../../enrichment/facts/facts.ts";
import { looksLikeOriginal } from "../../../threats/severity/phishing-page.ts";
import type { Threat } from "../../../threats/store/queries.ts";
import { Time } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";

/** Screenshots of the suspicious page and of the protected domain's page, side by side. */
export function Screenshots({
  threat: { id, domain, protectedDomain, screenshotToken },
  facts,
  capture,
  hasOriginal,
  originalPath,
}: {
  threat: Threat;
  facts: Facts | undefined;
  capture: { webp: Uint8Array } | { why: string };
  /** Whether there is a screenshot of the protected domain's page. */
  hasOriginal: boolean;
  originalPath: string;
}) {
  const visualSimilarity = facts?.screenshot?.visualSimilarity;
  const at = facts?.screenshot?.at;
  // Two empty frames would say no more than a sentence.
  if ("why" in capture && !hasOriginal)
    return (
      <p class="absent">
        <Text text={capture.why} />
      </p>
    );
  return (
    <>
      {visualSimilarity === undefined ? null : (
        <p>
          {Math.round(visualSimilarity * 100)} % visual similarity:{" "}
          {looksLikeOriginal({ visualSimilarity }) ? "likely a copy." : "not a copy."}
        </p>
      )}
      <div class="screenshots">
        <Screenshot
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
          alt={`Screenshot of ${domain}`}
          why={"why" in capture ? <Text text={capture.why} /> : undefined}
        />
        <Screenshot
          label={<Text text={protectedDomain} charactersMax={60} />}
          path={originalPath}
          alt={`Screenshot of ${protectedDomain}`}
          why={hasOriginal ? undefined : whyNoOriginal(facts)}
        />
      </div>
    </>
  );
}

function whyNoOriginal(facts: Facts | undefined): string {
  if (facts?.screenshot === undefined) return "Captured once there is a screenshot of the suspicious page.";
  if (facts.screenshot.hash === undefined) return "Not captured: the suspicious page is blank.";
  return "Capture failed. It is retried with the next screenshot of the suspicious page.";
}

function Screenshot({
  label,
  path,
  alt,
  why,
}: {
  label: ComponentChildren;
  path: string;
  alt: string;
  /** Why there is no screenshot; undefined: there is one. */
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
