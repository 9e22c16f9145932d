/**
 * User agent for page requests, with and without a browser: that of a very common browser. Phishing pages show something
 * harmless to programs that identify themselves.
 */
export const browserUserAgent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
