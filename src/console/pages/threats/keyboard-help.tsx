const keys: readonly [string, string][] = [
  ["j", "next threat"],
  ["k", "previous threat"],
  ["Enter or o", "open"],
  ["x", "select"],
  ["r", "resolve this threat or the selected ones"],
  ["f", "mark as false positive"],
  ["a", "reactivate"],
  ["/", "search"],
  ["?", "show this list"],
];

/** The shortcuts that a button with `popovertarget="keys"` shows. */
export function KeyboardHelp() {
  return (
    <div id="keys" class="dialog ask" popover="auto" role="dialog" aria-label="Keyboard shortcuts">
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
