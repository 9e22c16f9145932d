import { fingerprintOf } from "../../../../src/facts/inspection/comparison/fingerprint.ts";
import type { SeenPage, Brand } from "../../../../src/facts/inspection/model/verdict.ts";
import type { PageView } from "../../../../src/facts/lookups/page/page-view.ts";

/** A page without content. */
export function viewOf(parts: Partial<PageView> = {}): PageView {
  return {
    addresses: ["https://page.example/login"],
    status: 200,
    from: "markup",
    title: "",
    headings: [],
    text: "",
    shownLength: parts.text?.length ?? 0,
    hiddenText: "",
    elements: [],
    links: [],
    resources: [],
    forms: [],
    labels: [],
    pictures: [],
    scriptHashes: [],
    ...parts,
  };
}

export function seenPage(parts: Partial<PageView>, seen: Omit<SeenPage, "fingerprint"> = {}): SeenPage {
  return { fingerprint: fingerprintOf(viewOf(parts)), ...seen };
}

export const brandAddress = "https://www.examplebank.example/login";

/** A brand with one original; without any for `null`. */
export function brandOf(original: Partial<PageView> | null, parts: Partial<Brand> = {}): Brand {
  return {
    protectedDomain: "examplebank.example",
    names: ["Examplebank"],
    allow: ["partner.example"],
    originals:
      original === null
        ? []
        : [
            {
              address: brandAddress,
              fingerprint: fingerprintOf(viewOf({ addresses: [brandAddress], ...original })),
            },
          ],
    logos: [],
    ...parts,
  };
}

export function passwordForm(action: string, name = "password"): PageView["forms"][number] {
  return { action, method: "post", fields: [{ type: "password", autocomplete: "", descriptions: [name] }] };
}
