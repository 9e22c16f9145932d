import type { Dice } from "./dice.ts";

/** Ways in which a script can hold a page, from which a reader can decode it without a browser. */
export const encodings = {
  percent: (html: string) =>
    `document.write(decodeURIComponent("${encodeURIComponent(html).replaceAll("'", "%27")}"))`,
  unescape: (html: string) => `document.write(unescape('${escapeAll(html)}'));`,
  base64: (html: string) => `document.write(decodeURIComponent(escape(window.atob("${btoaText(html)}"))));`,
  charCodes: (html: string) => `document.write(String.fromCharCode(${codes(html).join(",")}));`,
  hexEscapes: (html: string) =>
    `document.write("${codes(html)
      .map((code) =>
        code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`,
      )
      .join("")}");`,
  pieces: (html: string, dice: Dice) => {
    const parts: string[] = [];
    for (let at = 0; at < html.length;) {
      const length = dice.between(20, 90);
      parts.push(quoted(html.slice(at, at + length)));
      at += length;
    }
    return `var ${dice.letters(2)} = [${parts.join(",\n")}];\ndocument.write(${parts.length > 0 ? `[${parts.join("+")}]` : "[]"}.join(""));`;
  },
  reversed: (html: string) =>
    `document.write(${quoted([...html].reverse().join(""))}.split("").reverse().join(""));`,
  assigned: (html: string) => `document.documentElement.innerHTML = atob("${btoaText(html)}");`,
} satisfies Record<string, (html: string, dice: Dice) => string>;

/** Ways that need a browser: the key or the page comes from a loop or from another file. */
export const runtimeEncodings = {
  xor(html: string, dice: Dice) {
    const key = dice.between(1, 120);
    const list = [...Buffer.from(html)].map((byte) => byte ^ key);
    const [data, text] = [dice.letters(4), dice.letters(5)];
    return `var ${data}=[${list.join(",")}],${text}=new Uint8Array(${data}.length);for(var i=0;i<${data}.length;i++)${text}[i]=${data}[i]^${key};document.write(new TextDecoder().decode(${text}));`;
  },
  shifted(html: string, dice: Dice) {
    const by = dice.between(2, 9);
    const list = codes(html).map((code) => code + by);
    return `var s="";[${list.join(",")}].forEach(function(c){s+=String.fromCharCode(c-${by})});document.body.innerHTML=s;`;
  },
};

const codes = (html: string) => Array.from({ length: html.length }, (_, at) => html.charCodeAt(at));
const btoaText = (html: string) => Buffer.from(html).toString("base64");
const quoted = (text: string) => JSON.stringify(text).replaceAll("</", "<\\/");

function escapeAll(html: string): string {
  return codes(html)
    .map((code) =>
      code < 256 ? `%${code.toString(16).padStart(2, "0")}` : `%u${code.toString(16).padStart(4, "0")}`,
    )
    .join("");
}
