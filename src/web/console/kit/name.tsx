import { unicodeName } from "../../../engines/detection/names/name.ts";
import { visible } from "../../../platform/lib/safe-text.ts";

// A domain name has at most 253 characters; longer text is not a name and is truncated.
const nameCharactersMax = 260;

/**
 * A domain name as it looks (U-label), with its A-label form if that differs. Each form is isolated, so that
 * right-to-left letters reorder nothing around them, and hidden characters are escaped.
 */
export function Name({ name }: { name: string }) {
  const aLabel = visible(name, nameCharactersMax);
  const displayed = visible(unicodeName(name), nameCharactersMax);
  if (displayed === aLabel) return <bdi class="name">{displayed}</bdi>;
  return (
    <span class="name">
      <bdi>{displayed}</bdi>
      <ALabelBeside name={name} />
    </span>
  );
}

/** The A-label form, after the U-label form. */
export function ALabelBeside({ name }: { name: string }) {
  return (
    <>
      {" "}
      <bdi class="puny" dir="ltr">
        {visible(name, nameCharactersMax)}
      </bdi>
    </>
  );
}

/** Untrusted text: hidden characters are escaped, bidirectional text is isolated, and the length is limited. */
export function Text(props: {
  text: string | null | undefined;
  charactersMax?: number;
  /** Shown before the text. */
  prefix?: string;
  /** Shown in place of no text. */
  none?: string;
}) {
  const { text, charactersMax = 300, prefix, none } = props;
  if (text === null || text === undefined) return <>{none}</>;
  return (
    <>
      {prefix}
      <bdi class="text">{visible(text, charactersMax)}</bdi>
    </>
  );
}
