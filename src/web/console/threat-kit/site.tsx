import type { SiteState } from "../../../platform/vocabulary/site.ts";
import { Icon, type IconName } from "../kit/icons.tsx";

const classes = { neutral: "state", good: "state good", warn: "state warn", bad: "state bad" };

const marks: Record<
  SiteState,
  { word: string; icon: IconName; tone: keyof typeof classes; explanation: string }
> = {
  unregistered: {
    word: "Unregistered",
    icon: "site-unregistered",
    tone: "neutral",
    explanation: "The name is not in DNS.",
  },
  registered: {
    word: "Registered",
    icon: "site-registered",
    tone: "neutral",
    explanation: "The name is registered, but has no page of its own.",
  },
  parked: {
    word: "Parked",
    icon: "site-parked",
    tone: "neutral",
    explanation: "A parking service shows its own page at the name.",
  },
  up: { word: "Up", icon: "site-up", tone: "bad", explanation: "A page is up at the name." },
  blocked: {
    word: "Blocked",
    icon: "site-blocked",
    tone: "good",
    explanation: "The registry, a sinkhole or the hosting provider blocks the name.",
  },
  down: { word: "Down", icon: "site-down", tone: "good", explanation: "The page that was up is gone." },
  back: { word: "Back", icon: "site-back", tone: "warn", explanation: "The site was down and is up again." },
};

/** The state of a site: a shape and a word. A dash if it was not determined. */
export function SiteMark(props: {
  site: SiteState | null;
  /** False in the rows of a list, where an explanation in each would be most of the page. */
  explained?: boolean;
}) {
  const { site, explained = true } = props;
  if (site === null) {
    if (!explained) return <>–</>;
    return (
      <span class="state" title="The state of the site was not determined.">
        –
      </span>
    );
  }
  const { word, icon, tone, explanation } = marks[site];
  return (
    <span class={classes[tone]} title={explained ? explanation : undefined}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
