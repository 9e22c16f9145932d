import type { Notice } from "../../content/notice.ts";

/** Colors of the bar or the title of a message, as 24-bit RGB. */
export const toneColors: Readonly<Record<Notice["tone"], number>> = {
  high: 0xc62828,
  medium: 0xef6c00,
  low: 0xf9a825,
  good: 0x2e7d32,
  neutral: 0x607d8b,
};
