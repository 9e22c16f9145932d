import { PostButton } from "../kit/form.tsx";
import { fragment, redirect, type Flash, type PageResult } from "../kit/page-result.ts";

/**
 * Ends a POST of a decision. The script asks for the message only (`x-fragment: toast`), because it changes the page
 * itself; without script, the browser is redirected and shows the message there.
 * @param batch number of the decision, which tells the script that something changed
 */
export function endDecision(
  request: Request,
  { to, flash, batch }: { to: string; flash: Flash; batch?: number | undefined },
): PageResult {
  if (request.headers.get("x-fragment") !== "toast") return redirect(to, flash);
  return fragment(<Toast flash={flash} batch={batch} />);
}

function Toast({ flash: { tone, text, action }, batch }: { flash: Flash; batch: number | undefined }) {
  return (
    <div class={`toast ${tone}`} role="status" data-batch={batch}>
      <span>{text}</span>
      {action === undefined ? null : (
        <PostButton action={action.path} label={action.label} fields={action.fields} small />
      )}
    </div>
  );
}
