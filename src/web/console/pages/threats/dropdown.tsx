import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../../kit/icons.tsx";

/** A button that opens a menu, without script. */
export function Dropdown(props: {
  icon: IconName;
  label: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const { icon, label, class: className = "btn plain small", children } = props;
  return (
    <details class="opens">
      <summary class={className}>
        <Icon name={icon} />
        {label}
      </summary>
      {children}
    </details>
  );
}
