import { FlashActions } from "../kit/marks.tsx";
import { fragment, redirect, type Flash, type PageResult } from "../kit/page-result.ts";

/**
 * Ends a POST of a decision. The script asks for the message only (`x-fragment: toast`), because it changes the page
 * itself; without script, the browser is redirected and shows the message there.
 * @param batch number of the decision, which tells the script that something changed
 * @param left whether the threats have left the view without it, because of an earlier decision
 */
export function endDecision(
  request: Request,
  { to, flash, batch, left }: { to: string; flash: Flash; batch?: number | undefined; left?: boolean },
): PageResult {
  if (request.headers.get("x-fragment") !== "toast") return redirect(to, flash);
  return fragment(<Toast flash={flash} batch={batch} left={left} />);
}

function Toast(props: { flash: Flash; batch: number | undefined; left: boolean | undefined }) {
  const { flash, batch, left } = props;
  const { tone, text, action } = flash;
  return (
    <div class={`toast ${tone}`} role="status" data-batch={batch} data-left={left === true ? "" : undefined}>
      <span>{text}</span>
      <FlashActions action={action} />
    </div>
  );
}
