import { notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { Source } from "../../../../intake/sources/source.ts";
import { PostButton } from "../../kit/form.tsx";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { originIn, originPath, sourcesPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { titleOf } from "./source-parts.tsx";

/** Pauses or resumes a source. Not rendered if the source cannot be paused, or the visitor may not pause it. */
export function PauseButton({ source, from }: { source: Source; from: "list" | "detail" }) {
  if (source.pausing === null) return null;
  const isPaused = source.pausing.isPaused();
  return (
    <PostButton
      action={`${originPath(source)}/${isPaused ? "resume" : "pause"}`}
      label={isPaused ? "Resume" : "Pause"}
      small={from === "list"}
      fields={{ from }}
    />
  );
}

export async function pauseSource(context: Context<"sources">): Promise<PageResult> {
  return change(context, "pause");
}

export async function resumeSource(context: Context<"sources">): Promise<PageResult> {
  return change(context, "resume");
}

async function change(context: Context<"sources">, what: "pause" | "resume"): Promise<PageResult> {
  const { by, form, params, services } = context;
  const origin = originIn(params);
  const source = services.sources.find(({ kind, name }) => kind === origin.kind && name === origin.name);
  if (source === undefined || source.pausing === null)
    throw notFound("There is no source that can be paused with this name.");
  const { pausing } = source;
  const isChanged = await context.write(() => pausing[what]({ by }));
  const to = form.get("from") === "list" ? sourcesPath : originPath(source);
  const name = visible(titleOf(source), 100);
  if (!isChanged)
    return redirect(to, {
      tone: "warning",
      text: `${name}: ${what === "pause" ? "already paused" : "not paused"}.`,
    });
  return redirect(to, what === "pause" ? `${name}: paused. The position is kept.` : `${name}: resumed.`);
}
