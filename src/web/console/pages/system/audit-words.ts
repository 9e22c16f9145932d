import { visible } from "../../../../platform/lib/safe-text.ts";
import { inWords } from "../../kit/labels.ts";
import words from "./audit-words.json" with { type: "json" };

/**
 * Objects of actions as they are called in a sentence, the past tense of actions (`created` in "created API key SIEM"),
 * and the words of actions that do not consist of a verb and an object.
 */
const {
  nouns,
  verbs,
  sentences,
}: Record<"nouns" | "verbs" | "sentences", Partial<Record<string, string>>> = words;

/** Describes an action for a sentence that its object completes. An action of an earlier version is shown as it is. */
export function auditWords(action: string): string {
  const sentence = sentences[action];
  if (sentence !== undefined) return sentence;
  const [object = "", done = ""] = action.split(".");
  const [noun, verb] = [nouns[object], verbs[done]];
  if (noun === undefined || verb === undefined) return visible(inWords(action).replace(".", ": "), 100);
  return `${verb} ${noun}`;
}
