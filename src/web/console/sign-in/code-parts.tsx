import encode from "qr";
import { Copyable } from "../kit/components.tsx";

/** Light modules around the code that a reader needs (ISO/IEC 18004, section 9.1). */
const borderModules = 4;

/** A QR code that is black on white in every theme. The page must show the text as well. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encode(text, "raw", { ecc: "medium", border: borderModules });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg viewBox={`0 0 ${rows.length} ${rows.length}`} width="208" height="208" role="img" aria-label={label}>
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** The secret of one-time codes, for an authenticator that scans it or in which it is typed. */
export function CodeSecret({ secret, uri }: { secret: string; uri: string }) {
  return (
    <>
      <QrCode text={uri} label="QR code of the secret for the authenticator" />
      <Copyable text={secret} label="the secret" secret />
      <Copyable text={uri} label="the address for the authenticator" secret />
    </>
  );
}

/** New recovery codes, which are shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <p>
        Each of these codes signs you in once if you lose the phone. Keep them in a safe place: they are not
        shown again.
      </p>
      <Copyable text={codes.join("\n")} label="the recovery codes" secret />
    </>
  );
}
