import type { Facts } from "../../../../facts/enrichment/facts/facts.ts";
import { capitalized } from "../../../../platform/lib/wording.ts";
import {
  type Differences,
  gridSize,
  type Region,
} from "../../../../facts/lookups/pictures/differing-regions.ts";
import {
  looksLikeOriginal,
  visualSimilarityText,
} from "../../../../threats/threats/severity/phishing-page.ts";
import { Figure, originalPath, type PagePictures, withheldText } from "../../inspection-kit/page-pair.tsx";
import { Time } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/inline.tsx";
import { threatPath } from "../../kit/paths.ts";

interface Pictures extends PagePictures {
  /** Whether there is a screenshot of the protected domain's page. */
  hasOriginal: boolean;
}

/** The suspicious page and the page that it may copy, one over the other, with the regions in which they differ. */
export function PageComparison({
  canInspect,
  differences,
  ...pictures
}: Pictures & {
  /** Whether pages are looked up at all. */
  canInspect: boolean;
  differences: Differences | undefined;
}) {
  const { facts, hasOriginal, whyMissing } = pictures;
  const at = facts?.screenshot?.at;
  const isPair = whyMissing === undefined && hasOriginal;
  return (
    <section class={isPair ? "card compare" : "card"}>
      <header>
        <h2>Page comparison</h2>
        <span class="line push">
          {at === undefined || whyMissing !== undefined ? null : (
            <span class="faint">
              Screenshot taken <Time at={at} relative />
            </span>
          )}
        </span>
        {canInspect ? (
          <PostButton
            action={`${threatPath(pictures.threat.id)}/look`}
            label="Inspect page"
            variant="plain"
            small
          />
        ) : null}
      </header>
      {isPair ? <Comparison differences={differences} {...pictures} /> : <OneOrNone {...pictures} />}
    </section>
  );
}

/** Share of the suspicious page that the slider shows at first, in percent. Matches the style sheet. */
const dividerPercent = 58;
const views = [
  ["slider", "Slider"],
  ["blink", "Blink"],
  ["look-alike", "Look-alike"],
  ["original", "Original"],
] as const;

function Comparison({ threat, facts, differences }: Pictures & { differences: Differences | undefined }) {
  const regions = differences?.kind === "regions" ? differences.regions : [];
  const visualSimilarity = facts?.screenshot?.visualSimilarity;
  const isBlurred = facts?.screenshot?.kept === "blurred";
  return (
    <div class="stack">
      <div class="line">
        <fieldset class="views">
          <legend class="vh">View</legend>
          {views.map(([value, label]) => (
            <label class="check">
              <input type="radio" name="view" value={value} checked={value === "slider"} />
              {label}
            </label>
          ))}
        </fieldset>
        {visualSimilarity === undefined ? null : (
          <span class="line push s quiet">
            <Ring share={visualSimilarity} />
            {looksLikeOriginal({ visualSimilarity }) ? "alike, likely a copy" : "alike, looks different"}
          </span>
        )}
      </div>
      <div class="stage">
        <img
          src={originalPath(threat.id)}
          alt={`Original: screenshot of ${threat.protectedDomain}`}
          width="1280"
          height="800"
        />
        <div class="wipe">
          <img
            src={`/screenshots/${threat.id}/${threat.screenshotToken}`}
            alt={`Look-alike: screenshot of ${threat.domain}${regionsInWords(regions)}`}
            width="1280"
            height="800"
          />
        </div>
        <Marks regions={regions} />
      </div>
      <input
        class="range"
        type="range"
        min="0"
        max="100"
        value={dividerPercent}
        data-compare=""
        data-script-only=""
        hidden
        aria-label="Share of the look-alike shown, in percent"
      />
      <div class="line s quiet">
        <span>
          {isBlurred ? "Look-alike (blurred)" : "Look-alike"}:{" "}
          <Text text={threat.domain} charactersMax={60} />
        </span>
        <span class="push">
          Original: <Text text={threat.protectedDomain} charactersMax={60} />
        </span>
      </div>
      {isBlurred ? <BlurNote /> : <DifferenceList differences={differences} />}
    </div>
  );
}

function BlurNote() {
  return (
    <p class="s quiet">
      The screenshot of the look-alike is blurred, as screenshots.keep says. Its similarity was measured
      before.
    </p>
  );
}

/** A percentage as a part of a circle. */
function Ring({ share }: { share: number }) {
  return (
    <svg
      class="ring"
      viewBox="0 0 48 48"
      role="img"
      aria-label={`${visualSimilarityText(share)} visual similarity`}
    >
      <circle cx="24" cy="24" r="21" />
      <circle
        class="on"
        cx="24"
        cy="24"
        r="21"
        pathLength="100"
        stroke-dasharray={`${Math.round(share * 100)} 100`}
        transform="rotate(-90 24 24)"
      />
      <text x="24" y="24" aria-hidden="true">
        {visualSimilarityText(share)}
      </text>
    </svg>
  );
}

/** Numbered frames around the regions that differ, on a grid of 1 × 1 cells. */
function Marks({ regions }: { regions: readonly Region[] }) {
  if (regions.length === 0) return null;
  const { columns, rows } = gridSize;
  return (
    <svg viewBox={`0 0 ${columns} ${rows}`} aria-hidden="true" class="regions">
      {regions.map(({ x, y, width, height }, index) => (
        <>
          <rect x={x} y={y} width={width} height={height} rx="0.25" />
          <circle cx={numberPlace(x, columns)} cy={numberPlace(y, rows)} r="0.65" />
          <text x={numberPlace(x, columns)} y={numberPlace(y, rows)}>
            {index + 1}
          </text>
        </>
      ))}
    </svg>
  );
}

/** Keeps the number of a region within the picture. */
function numberPlace(at: number, max: number): number {
  return Math.min(max - 0.9, Math.max(0.9, at));
}

function DifferenceList({ differences }: { differences: Differences | undefined }) {
  switch (differences?.kind) {
    case undefined:
      return null;
    case "alike":
      return <p class="s quiet">The screenshots do not differ.</p>;
    case "different":
      return <p class="s quiet">The screenshots differ throughout, so no regions are marked.</p>;
    case "regions":
      return (
        <ol class="line s quiet diffs" aria-label="Regions that differ">
          {differences.regions.map((region, index) => (
            <li>
              <b>{index + 1}</b> {capitalized(placeInWords(region))}
            </li>
          ))}
        </ol>
      );
  }
}

function regionsInWords(regions: readonly Region[]): string {
  return regions.length === 0 ? "" : `, which differs at ${regions.map(placeInWords).join(", ")}`;
}

/** Describes a region by its share of the page and where its middle is: `top left`. */
function placeInWords({ x, y, width, height }: Region): string {
  const { columns, rows } = gridSize;
  const third = (at: number, size: number, words: readonly [string, string, string]) =>
    words[Math.min(2, Math.floor((3 * at) / size)) as 0 | 1 | 2];
  const vertical = third(y + height / 2, rows, ["top", "middle", "bottom"]);
  const horizontal = third(x + width / 2, columns, ["left", "center", "right"]);
  return vertical === "middle" && horizontal === "center" ? "center" : `${vertical} ${horizontal}`;
}

/** A single screenshot, or the reason why there is none: two empty frames would say no more. */
function OneOrNone({ threat, facts, hasOriginal, whyMissing }: Pictures) {
  const text =
    whyMissing === undefined ? (
      `No screenshot of the original: ${whyNoOriginal(facts)}`
    ) : (
      <Text text={[whyMissing, withheldText(facts)].join(" ")} />
    );
  const reason = <p class="quiet s">{text}</p>;
  if (whyMissing !== undefined && !hasOriginal) return reason;
  return (
    <div class="stack gap-s">
      {reason}
      {whyMissing === undefined && facts?.screenshot?.kept === "blurred" ? <BlurNote /> : null}
      <div class="pair">
        {whyMissing === undefined ? (
          <Figure
            path={`/screenshots/${threat.id}/${threat.screenshotToken}`}
            alt={`Screenshot of ${threat.domain}`}
            caption={<Text text={threat.domain} charactersMax={60} />}
          />
        ) : (
          <Figure
            path={originalPath(threat.id)}
            alt={`Screenshot of ${threat.protectedDomain}`}
            caption={<Text text={threat.protectedDomain} charactersMax={60} prefix="Original: " />}
          />
        )}
      </div>
    </div>
  );
}

function whyNoOriginal(facts: Facts | undefined): string {
  if (facts?.screenshot?.hash === undefined) return "none is taken while the suspicious page is blank.";
  return "taking it failed. It is retried with the next screenshot of the suspicious page.";
}
