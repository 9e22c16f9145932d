/**
 * Metaphone (Lawrence Philips, "Hanging on the Metaphone", Computer Language 7, 1990): the English pronunciation of a
 * word as a code of consonants. `0` stands for th and `X` for sh.
 */

const vowels = "AEIOU";
const frontVowels = "EIY";

export function metaphone(word: string): string {
  const text = simplifyStart(word.toUpperCase().replace(/[^A-Z]/g, ""));
  let code = "";
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (letter !== "C" && letter === text[i - 1]) continue;
    code += soundAt(text, i);
  }
  return code;
}

/** Removes silent first letters. */
function simplifyStart(text: string): string {
  if (/^(AE|GN|KN|PN|WR)/.test(text)) return text.slice(1);
  if (text.startsWith("X")) return `S${text.slice(1)}`;
  return text.startsWith("WH") ? `W${text.slice(2)}` : text;
}

function soundAt(text: string, i: number): string {
  const before = text[i - 1] ?? "";
  const after = text[i + 1] ?? "";
  const rest = text.slice(i);
  const isFront = after !== "" && frontVowels.includes(after);
  const isVowelAfter = after !== "" && vowels.includes(after);
  switch (text[i]) {
    case "A":
    case "E":
    case "I":
    case "O":
    case "U":
      return i === 0 ? text[i]! : "";
    case "B":
      return before === "M" && after === "" ? "" : "B";
    case "C":
      if (rest.startsWith("CIA") || rest.startsWith("CH")) return before === "S" && after === "H" ? "K" : "X";
      if (isFront) return before === "S" ? "" : "S";
      return rest.startsWith("CK") ? "" : "K";
    case "D":
      return after === "G" && frontVowels.includes(text[i + 2] ?? " ") ? "J" : "T";
    case "G":
      if (after === "H") return i + 2 < text.length && vowels.includes(text[i + 2]!) ? "K" : "";
      if (after === "N" && (rest === "GN" || rest === "GNED")) return "";
      if (before === "D" && isFront) return "";
      return isFront && before !== "G" ? "J" : "K";
    case "H":
      if ("CSPTG".includes(before) && before !== "") return "";
      return isVowelAfter ? "H" : "";
    case "P":
      return after === "H" ? "F" : "P";
    case "Q":
      return "K";
    case "S":
      return after === "H" || rest.startsWith("SIO") || rest.startsWith("SIA") ? "X" : "S";
    case "T":
      if (rest.startsWith("TIA") || rest.startsWith("TIO")) return "X";
      if (after === "H") return "0";
      return rest.startsWith("TCH") ? "" : "T";
    case "V":
      return "F";
    case "W":
    case "Y":
      return isVowelAfter ? text[i]! : "";
    case "X":
      return "KS";
    case "Z":
      return "S";
    default:
      return text[i]!;
  }
}
