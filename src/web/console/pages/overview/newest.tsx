import type { Instant } from "../../../../platform/lib/clock.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import type { FoundThreat } from "../../../../threats/index/threat-index.ts";
import { Section, Time } from "../../kit/components.tsx";
import { Name } from "../../kit/name.tsx";
import { threatPath } from "../../kit/paths.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";
import { strongestEvidence } from "../../threat-kit/reasons.tsx";
import { SeverityMark } from "../../threat-kit/severity.tsx";
import { Thumbnail } from "../../threat-kit/shot.tsx";
import { Fresh } from "../../threat-kit/fresh.tsx";

export const newestShownMax = 5;

const view = new URLSearchParams({ severity: "high", sort: "first_seen" });

/** Screenshots of the newest high-severity threats, with marked names. */
export function NewestThreats(props: {
  threats: readonly FoundThreat[];
  /** Number of active high-severity threats. */
  total: number;
  /** `seq` of the newest threat of all. */
  lastSeq: number;
  /** When the screenshot of each was taken, by id. */
  capturedAt: ReadonlyMap<string, Instant | null>;
  keywordsOf: (protectedDomain: string) => readonly string[];
}) {
  const { threats, total, lastSeq, capturedAt, keywordsOf } = props;
  if (threats.length === 0) return null;
  // Five empty frames would say nothing, such as while screenshots are off.
  const hasScreenshots = threats.some(({ id }) => (capturedAt.get(id) ?? null) !== null);
  return (
    <Section
      title="Newest high-severity threats"
      aside={
        <a class="s" href={listPath(view)}>
          All {grouped(total)}
        </a>
      }
    >
      <Fresh query={view} since={lastSeq} count={0} />
      <div class="gallery">
        {threats.map(({ id, domain, protectedDomain, severity, severityReasons, verified, firstSeen }) => (
          <a href={threatPath(id, view)}>
            {hasScreenshots ? <Thumbnail threat={{ id }} capturedAt={capturedAt.get(id) ?? null} /> : null}
            <div>
              <div class="line tight">
                <SeverityMark
                  severity={severity}
                  verified={verified}
                  severityReasons={severityReasons}
                  word={false}
                />
                <span class="cut">
                  <ComparedName
                    name={domain}
                    comparison={compareNames(domain, protectedDomain, keywordsOf(protectedDomain))}
                  />
                </span>
              </div>
              <p class="cut">
                {strongestEvidence(severityReasons)[0] ?? <Name name={protectedDomain} />} ·{" "}
                <Time at={firstSeen} relative="short" />
              </p>
            </div>
          </a>
        ))}
      </div>
    </Section>
  );
}
