import { unicodeName } from "../../detection/names/name.ts";
import { visible } from "../../lib/safe-text.ts";

// A name has 253 characters at most; what is longer is none, and only shown as far.
const nameCharactersMax = 260;

/**
 * A domain name as it is written (A-label) and as it looks (U-label). Each stands in a bidirectional box of
 * its own, so that right-to-left letters reorder nothing around them; hidden characters are shown as escapes.
 */
export function Name({ name }: { name: string }) {
  const written = visible(name, nameCharactersMax);
  const looks = visible(unicodeName(name), nameCharactersMax);
  return (
    <span class="name">
      <bdi class="looks">{looks}</bdi>
      {looks === written ? null : <WrittenBeside name={name} />}
    </span>
  );
}

/** The A-label form, behind what it looks like. */
export function WrittenBeside({ name }: { name: string }) {
  return (
    <>
      {" "}
      <bdi class="written" dir="ltr">
        {visible(name, nameCharactersMax)}
      </bdi>
    </>
  );
}

/** Text written by a stranger: hidden characters shown, a bidirectional box of its own, cut to so many characters. */
export function Text({ text, charactersMax = 300 }: { text: string; charactersMax?: number }) {
  return <bdi class="text">{visible(text, charactersMax)}</bdi>;
}
