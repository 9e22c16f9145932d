import { logoFileBytesMax } from "../../../../facts/inspection/originals/logo-image.ts";
import type { OriginalLogo } from "../../../../facts/inspection/originals/tables.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { Card, Time } from "../../kit/components.tsx";
import { Text } from "../../kit/inline.tsx";
import { Button, Form, PostButton } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { orBackTo, redirect, type PageResult } from "../../kit/page-result.ts";
import { logoPath, originalsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { findDomain } from "../../threat-kit/domains.ts";

const fieldBytesMax = 16 * 1024;
/** Maximum width and height of a shown logo. */
const shownPixelsMax = 160;

/** Logos of a domain, and the form that adds one. */
export function LogosCard({ domain, logos }: { domain: string; logos: readonly OriginalLogo[] }) {
  const { mayOpen } = usePage();
  const action = `${originalsPath(domain)}/logos`;
  return (
    <Card title="Logos">
      <p class="s quiet">
        Logos are searched for in the screenshots and pictures of inspected pages. Those of the pages above
        are known already: add others, such as an app icon.
      </p>
      <ul class="stack">
        {logos.map((logo) => (
          <li class="line">
            <img
              src={logoPath(domain, logo.seq)}
              alt={`Logo ${visible(logo.name, 60)}`}
              loading="lazy"
              {...shownSize(logo)}
            />
            <span>
              <Text text={logo.name} charactersMax={60} />
              <span class="hint">
                {" "}
                {logo.width} × {logo.height}, added by <Text text={logo.addedBy} charactersMax={60} />{" "}
                <Time at={logo.addedAt} relative />
              </span>
            </span>
            <PostButton
              action={`${action}/remove`}
              label="Delete"
              fields={{ logo: String(logo.seq) }}
              variant="plain"
              small
            />
          </li>
        ))}
      </ul>
      {mayOpen("POST", action) ? (
        <Form action={action} upload>
          <div class="field">
            <label for="file">Add a logo</label>
            <input
              type="file"
              id="file"
              name="file"
              accept="image/png,image/jpeg,image/webp"
              required
              aria-describedby="file-hint"
            />
            <p class="hint" id="file-hint">
              PNG, JPEG or WebP, up to {logoFileBytesMax / 1024 / 1024} MiB, with little space around the
              logo.
            </p>
          </div>
          <p class="line">
            <Button label="Add logo" />
          </p>
        </Form>
      ) : null}
    </Card>
  );
}

function shownSize({ width, height }: OriginalLogo): { width: number; height: number } {
  const scale = Math.min(1, shownPixelsMax / Math.max(width, height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

export async function addLogo(context: Context<"domains" | "originals">): Promise<PageResult> {
  const domain = findDomain(context);
  const path = originalsPath(domain.domain);
  return orBackTo(path, async () => {
    const { file } = await context.readUpload({ fieldBytesMax });
    if (file === undefined) throw badRequest("choose a file first");
    const bytes = await readAtMost(file.content, logoFileBytesMax);
    const name = file.name.replace(/\.[a-z]+$/i, "");
    await context.services.originals.addLogo(domain, { name, file: bytes }, { by: context.by });
    return redirect(path, "Logo added. Pages are compared with it from now on.");
  });
}

/** Reads one byte more than the limit, so that the service rejects a file over it. */
async function readAtMost(content: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of content) {
    parts.push(part);
    bytes += part.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(parts);
}

export async function removeLogo(context: Context<"domains" | "originals">): Promise<PageResult> {
  const domain = findDomain(context);
  const seq = Number(context.form.get("logo"));
  await context.write(() => context.services.originals.removeLogo(domain, seq, { by: context.by }));
  return redirect(originalsPath(domain.domain), "Logo deleted.");
}

/** Sends a logo, which was encoded by phishwatch. */
export function sendLogo(context: Context<"domains" | "originals">): PageResult {
  const domain = findDomain(context);
  const seq = Number(context.params["logo"]);
  const logo = context.services.originals.logos(domain).find((one) => one.seq === seq);
  if (logo === undefined) return new Response(null, { status: 404 });
  return new Response(new Uint8Array(logo.image), {
    headers: { "content-type": "image/png", "cache-control": "private, max-age=86400" },
  });
}
