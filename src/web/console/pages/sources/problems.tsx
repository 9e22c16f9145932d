import { Card, LinkButton } from "../../kit/components.tsx";
import { Icon } from "../../kit/icons.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { originPath } from "../../kit/paths.ts";
import { healthOf } from "./health.ts";
import type { Origin } from "./origins.ts";
import { PauseButton } from "./pausing.tsx";
import { titleOf } from "./source-parts.tsx";

/** Lists what is wrong with sources, and what to do. */
export function Problems({ origins }: { origins: readonly Origin[] }) {
  const { now } = usePage();
  const problems = origins.flatMap((origin) => {
    const { source, status } = origin.watched!;
    const { tone, label, problem } = healthOf(status, source.pausing?.current(), now);
    return problem === null ? [] : [{ origin, tone, label, ...problem }];
  });
  if (problems.length === 0) return null;
  return (
    <Card title="Needs attention" flush>
      <ul class="todo">
        {problems.map(({ origin, tone, label, what, advice }) => (
          <li>
            <span class={tone === "bad" ? "bad" : "warn"}>
              <Icon name={tone === "bad" ? "fail" : label === "Paused" ? "pause" : "warn"} />
            </span>
            <div>
              <a class="strong ink" href={originPath(origin)}>
                <Text text={titleOf(origin)} charactersMax={120} />
              </a>
              <p>
                <bdi>{what}</bdi> {advice}
              </p>
            </div>
            {label === "Paused" ? (
              <PauseButton source={origin.watched!.source} from="list" />
            ) : (
              <LinkButton path={originPath(origin)} label="Show source" small />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
