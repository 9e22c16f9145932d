import type { Instant } from "../../../platform/lib/clock.ts";
import { threatPath } from "../kit/paths.ts";

/** The screenshot of a threat's page in a row, or an outline in its place. Decorative: the row says the rest. */
export function Thumbnail({
  threat: { id },
  capturedAt,
}: {
  threat: { id: string };
  /** When the screenshot was taken; null: there is none. */
  capturedAt: Instant | null;
}) {
  if (capturedAt === null) return <span class="shot none"></span>;
  return (
    <span class="shot">
      <img src={thumbnailPath(id, capturedAt)} width="112" height="70" loading="lazy" alt="" />
    </span>
  );
}

/** The address changes with the screenshot, so that browsers can keep what they have loaded. */
function thumbnailPath(id: string, capturedAt: Instant): string {
  return `${threatPath(id)}/thumbnail?v=${capturedAt}`;
}
