import type { ComponentChildren } from "preact";
import { defangText } from "../../../messaging/content/defang.ts";
import { describeSignal, type PageImitation } from "../../../platform/vocabulary/page-signals.ts";
import { capitalized, counted } from "../../../platform/lib/wording.ts";
import { Help } from "../kit/disclosure.tsx";
import { StateMark, Name, Text } from "../kit/inline.tsx";
import { domainPath } from "../kit/paths.ts";
import { percent } from "../charts/split-bar.tsx";

const addressCharactersMax = 300;
/** Further signals contribute little, and are added up. */
const signalsShownMax = 12;
/** Points that are shown as 0.0. */
const noticeable = 0.05;

/** Whether a page imitates a protected brand, with the contribution of each signal. */
export function VerdictDetails(props: {
  verdict: PageImitation;
  /** Number of signals that are shown one by one. */
  signalsMax?: number;
}) {
  const { verdict, signalsMax = signalsShownMax } = props;
  const { protectedDomain, score, imitates, original } = verdict;
  return (
    <div class="stack gap-s">
      <div class="line">
        <StateMark tone={imitates ? "bad" : "good"}>
          {imitates ? "Imitates" : "Does not imitate"}{" "}
          <a href={domainPath(protectedDomain)}>
            <Name name={protectedDomain} />
          </a>
        </StateMark>
        <span class="push num">Score {scoreText(score)}</span>
        <Help topic="inspection_score" />
      </div>
      <SignalBars verdict={verdict} signalsMax={signalsMax} />
      {original === null || original === undefined ? null : (
        <p class="s quiet">
          Closest original: <Text text={original} charactersMax={addressCharactersMax} />
        </p>
      )}
    </div>
  );
}

function SignalBars(props: { verdict: PageImitation; signalsMax: number }) {
  const { verdict, signalsMax } = props;
  const { protectedDomain, signals } = verdict;
  const counting = signals.filter(({ points }) => Math.abs(points) >= noticeable);
  if (counting.length === 0) return <p class="s quiet">No signal speaks for or against an imitation.</p>;
  const bySize = counting.toSorted((a, b) => Math.abs(b.points) - Math.abs(a.points));
  const shown = bySize.slice(0, signalsMax);
  const rest = bySize.slice(signalsMax);
  const rows = shown
    .toSorted((a, b) => b.points - a.points)
    .map((signal): { label: ComponentChildren; points: number } => ({
      label: <Text text={capitalized(describeSignal(signal))} charactersMax={200} />,
      points: signal.points,
    }));
  const caption = `Contribution of each signal to the score for ${protectedDomain}`;
  if (rest.length === 0) return <Contributions caption={caption} rows={rows} />;
  const points = rest.reduce((sum, one) => sum + one.points, 0);
  const label = counted(rest.length, "smaller signal");
  return <Contributions caption={caption} rows={[...rows, { label, points }]} />;
}

/** Returns a score with two digits: `0.97`. A value below 1 is not rounded up to it. */
export function scoreText(score: number): string {
  return (score < 1 ? Math.min(score, 0.99) : score).toFixed(2);
}

/** An untrusted address, in a form that cannot be opened by mistake. */
export function Address(props: { address: string; charactersMax?: number }) {
  const { address, charactersMax = addressCharactersMax } = props;
  return (
    <code>
      <Text text={defangText(address, charactersMax)} charactersMax={charactersMax} />
    </code>
  );
}

interface Contribution {
  label: ComponentChildren;
  /** Negative: it speaks against. */
  points: number;
}

/** Narrower bars cannot be seen. */
const widthMin = 1;

/**
 * Table of what adds up to a score, with bars: to the right of their common line what speaks for it, to the left what
 * speaks against it, followed by the number.
 */
function Contributions({ caption, rows }: { caption: string; rows: readonly Contribution[] }) {
  const most = Math.max(0, ...rows.map(({ points }) => points));
  const least = Math.min(0, ...rows.map(({ points }) => points));
  const span = most - least || 1;
  const middle = (-least / span) * 100;
  return (
    <table class="mini bars long">
      <caption class="vh">{caption}</caption>
      <tbody>
        {rows.map(({ label, points }) => {
          const width = Math.max(widthMin, (Math.abs(points) / span) * 100);
          return (
            <tr>
              <th scope="row">{label}</th>
              <td class="bar-cell">
                <svg class="split-bar" aria-hidden="true">
                  <rect
                    class={points < 0 ? "c-rest" : "c-accent"}
                    x={percent(Math.min(100 - width, points < 0 ? Math.max(0, middle - width) : middle))}
                    width={percent(width)}
                    height="8"
                    rx="1.5"
                  />
                </svg>
              </td>
              <td class="r">{pointsText(points)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Returns points with their sign, in tenths: `+2.3`, `−0.4`. */
function pointsText(points: number): string {
  const text = Math.abs(points).toFixed(1);
  if (text === "0.0") return "0.0";
  return `${points < 0 ? "−" : "+"}${text}`;
}
