import type { NoticeRequest } from "./notice-type.ts";

/**
 * Returns a request that sends a form with one file (`multipart/form-data`, RFC 7578).
 * @param boundary text that neither the fields nor the file contain, such as the identifier of the message
 */
export function multipart(
  url: string,
  {
    boundary,
    fields,
    file,
  }: {
    boundary: string;
    fields: Readonly<Record<string, string>>;
    file: { field: string; name: string; mediaType: string; bytes: Uint8Array };
  },
): NoticeRequest {
  const part = (headers: string) => `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`);
  const head = part(`name="${file.field}"; filename="${file.name}"\r\nContent-Type: ${file.mediaType}`);
  return {
    method: "POST",
    url,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(texts.join("") + head),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
