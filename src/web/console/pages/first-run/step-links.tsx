import { overviewPath, welcomePath } from "../../kit/paths.ts";
import { stepNames, type StepName } from "./progress.ts";

/** Returns the address of the step after one; after the last one, of the overview. */
function pathAfter(step: StepName): string {
  const next = stepNames[stepNames.indexOf(step) + 1];
  return next === undefined ? overviewPath : stepPath(next);
}

export function stepPath(step: StepName): string {
  return `${welcomePath}?step=${step}#${step}`;
}

/** Leads past a step, done or not. */
export function SkipStep({ step, done }: { step: StepName; done: boolean }) {
  return (
    <a class={done ? "btn" : "btn plain"} href={pathAfter(step)}>
      {done ? "Continue" : "Skip this step"}
    </a>
  );
}
