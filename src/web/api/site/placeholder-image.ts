import { displayName } from "../../../engines/detection/names/name.ts";
import { escapeMarkup } from "../../../platform/lib/safe-text.ts";

const width = 1280;
const height = 800;
// A Latin letter takes one column, a Chinese character two.
const columnsMax = 42;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{3fffd}]/u;

/**
 * Returns the image behind `screenshot_url` while there is no screenshot: an SVG of shapes and text only, with the
 * domain in display form and A-label form, and the reason.
 * @param domain in A-label form; chosen by an attacker
 */
export function placeholderImage(domain: string, why: string): string {
  const shown = displayName(domain);
  const names = shown === domain ? [domain] : [shown, domain];
  const rows = [
    ...names.flatMap((name, index) => wrap(name).map((text) => (index === 0 ? title(text) : note(text)))),
    { ...note(why), font: "system-ui, sans-serif" },
  ];
  let y = height / 2 - rows.reduce((sum, { size }) => sum + size * lineHeight, 0) / 2;
  const lines = rows.map(({ text, size, color, font }) => {
    y += size * lineHeight;
    return `<text x="${width / 2}" y="${Math.round(y)}" text-anchor="middle" font-family="${font}" font-size="${size}" fill="${color}">${escapeMarkup(text)}</text>`;
  });
  const label = escapeMarkup(`No screenshot of ${shown}: ${why}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<rect width="${width}" height="${height}" fill="#f3f4f6"/>
<rect x="40" y="40" width="${width - 80}" height="${height - 80}" rx="16" fill="#ffffff" stroke="#d1d5db" stroke-width="2" stroke-dasharray="10 8"/>
${lines.join("\n")}
</svg>
`;
}

const lineHeight = 1.4;
const monospace = "ui-monospace, Menlo, Consolas, monospace";
const title = (text: string) => ({ text, size: 44, color: "#1f2937", font: monospace });
const note = (text: string) => ({ text, size: 26, color: "#6b7280", font: monospace });

/** Breaks a name into lines, at characters rather than UTF-16 units: half a surrogate pair is not well-formed XML. */
function wrap(name: string): string[] {
  const lines = [""];
  let columns = 0;
  for (const character of name) {
    columns += wide.test(character) ? 2 : 1;
    if (columns > columnsMax) {
      lines.push("");
      columns = wide.test(character) ? 2 : 1;
    }
    lines[lines.length - 1] += character;
  }
  return lines;
}
