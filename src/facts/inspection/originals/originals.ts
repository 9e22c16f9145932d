import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { ProtectedDomain } from "../../../threats/domains/tables.ts";
import { badRequest, FieldError, notFound } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { readDated, type ScreenshotFiles } from "../../lookups/page/screenshot-files.ts";
import type { Brands } from "./brands.ts";
import type { Capturing } from "./capturing.ts";
import { readLogo } from "./logo-image.ts";
import { isOwnHost } from "../discovery/own-names.ts";
import type { OriginalStore } from "./store.ts";
import type { Suggestion } from "../discovery/suggestions.ts";
import type { Original, OriginalLogo, OriginalVersion } from "./tables.ts";
import { noNames, type OriginalRole } from "../model/original.ts";
import { screenshotId } from "./version-steps.ts";

/** An original page with its versions. */
export interface OriginalState {
  original: Original;
  /** The present version first; empty if it was never captured. */
  versions: OriginalVersion[];
  isCapturing: boolean;
}

const addressLengthMax = 2_000;
const nameLengthMax = 60;
const pagesMax = 20;
const logosMax = 10;

interface AdministrationDependencies extends Needs<"auditLog" | "clock" | "database"> {
  brands: Pick<Brands, "changed">;
  capturing: Pick<Capturing, "current">;
  files: ScreenshotFiles;
  store: OriginalStore;
}

type By = { by: Actor };

/** Administers the originals. Changes are recorded in the audit log, in the same transaction. */
export function createOriginalAdministration(dependencies: AdministrationDependencies) {
  return { ...administerPages(dependencies), ...administerLogos(dependencies) };
}

function administerPages(dependencies: AdministrationDependencies) {
  const { auditLog, brands, capturing, clock, database, files, store } = dependencies;
  const enabledOf = ({ seq }: Pick<ProtectedDomain, "seq">) =>
    store.list(seq).filter(({ enabled }) => enabled);

  function find({ seq: domainSeq }: Pick<ProtectedDomain, "seq">, seq: number): Original {
    const original = store.find(seq);
    if (original === undefined || original.protectedDomainSeq !== domainSeq || !original.enabled)
      throw notFound("There is no original page with this number.");
    return original;
  }

  function findVersion(domain: Pick<ProtectedDomain, "seq">, versionSeq: number) {
    const version = store.findVersion(versionSeq);
    if (version === undefined)
      throw notFound("There is no version with this number. It may have been deleted.");
    return { version, original: find(domain, version.originalSeq) };
  }

  return {
    /** Returns the enabled originals of a domain, its home page first. */
    pages: (domain: Pick<ProtectedDomain, "seq">): OriginalState[] =>
      enabledOf(domain).map((original) => ({
        original,
        versions: store.versions(original.seq),
        isCapturing: capturing.current() === original.seq,
      })),

    /**
     * Adds a page, or adds it again.
     * @throws FieldError for an invalid address; PublicError `bad_request` if it is on record or there are too many
     */
    add(domain: ProtectedDomain, page: { address: string; role: OriginalRole }, { by }: By): Original {
      const address = readAddress(page.address, domain);
      const now = clock.now();
      return database.transaction(() => {
        const known = store.list(domain.seq);
        const present = known.find((one) => one.address === address);
        if (present?.enabled === true)
          throw badRequest(`${visible(address, 100)} is an original page already.`);
        if (known.filter(({ enabled }) => enabled).length >= pagesMax)
          throw badRequest(`A domain can have at most ${pagesMax} original pages. Remove one first.`);
        if (page.role === "home")
          for (const home of known.filter((one) => one.role === "home" && one.enabled))
            store.update(home.seq, { enabled: false });
        const content = { role: page.role, chosenBy: "person", enabled: true, dueAt: now } as const;
        if (present !== undefined) store.update(present.seq, content);
        const added =
          present === undefined
            ? store.insert({ ...content, protectedDomainSeq: domain.seq, address, createdAt: now })
            : store.find(present.seq)!;
        auditLog.record(by, "original.add", domain.domain, { address, role: page.role });
        brands.changed();
        return added;
      });
    },

    /** @throws PublicError `not_found` */
    remove: (domain: ProtectedDomain, seq: number, { by }: By): Original =>
      database.transaction(() => {
        const original = find(domain, seq);
        // The row stays, so that discovery does not add the page again.
        store.update(seq, { enabled: false });
        auditLog.record(by, "original.remove", domain.domain, { address: original.address });
        brands.changed();
        return original;
      }),

    /** Makes all pages of a domain due. `run` of the capturing then captures them. */
    makeDue: (domain: Pick<ProtectedDomain, "seq">) =>
      database.transaction(() => {
        for (const { seq } of enabledOf(domain)) store.update(seq, { dueAt: clock.now() });
      }),

    /**
     * Makes a version the present one, or if it is rejected, the version accepted before it.
     * @throws PublicError `not_found`
     */
    decide: (domain: ProtectedDomain, versionSeq: number, state: "accepted" | "rejected", { by }: By) =>
      database.transaction(() => {
        const { version, original } = findVersion(domain, versionSeq);
        const isAccepted = state === "accepted";
        store.updateVersion(version.seq, { state, acceptedAt: isAccepted ? clock.now() : null });
        auditLog.record(by, isAccepted ? "original.accept" : "original.reject", domain.domain, {
          address: original.address,
          version: version.seq,
          title: visible(version.fingerprint.title, 100),
        });
        brands.changed();
      }),

    /** Returns the screenshot of a version; undefined if there is none. */
    async screenshotOf(domain: Pick<ProtectedDomain, "seq">, versionSeq: number) {
      findVersion(domain, versionSeq);
      return readDated(files, screenshotId(versionSeq));
    },
  };
}

/** Administers the logos, and the suggestions of the pages. */
function administerLogos({ auditLog, brands, clock, database, store }: AdministrationDependencies) {
  return {
    logos: ({ seq }: Pick<ProtectedDomain, "seq">): OriginalLogo[] => store.logos(seq),

    /** @throws PublicError `bad_request` for a file that is no usable image */
    async addLogo(domain: ProtectedDomain, { name, file }: { name: string; file: Uint8Array }, { by }: By) {
      const image = await readLogo(file);
      return database.write((): OriginalLogo => {
        if (store.logos(domain.seq).length >= logosMax)
          throw badRequest(`A domain can have at most ${logosMax} logos. Delete one first.`);
        const added = store.insertLogo({
          ...image,
          protectedDomainSeq: domain.seq,
          name: visible(name.trim(), nameLengthMax) || "logo",
          addedAt: clock.now(),
          addedBy: by.name ?? by.channel,
        });
        if (added === undefined) throw badRequest("The domain has this logo already.");
        auditLog.record(by, "logo.add", domain.domain, { name: added.name, sha256: added.sha256 });
        brands.changed();
        return added;
      });
    },

    /** @throws PublicError `not_found` */
    removeLogo: (domain: ProtectedDomain, seq: number, { by }: By) =>
      database.transaction(() => {
        const removed = store.deleteLogo(domain.seq, seq);
        if (removed === undefined) throw notFound("There is no logo with this number.");
        auditLog.record(by, "logo.remove", domain.domain, { name: removed.name, sha256: removed.sha256 });
        brands.changed();
      }),

    async suggestions(domain: ProtectedDomain): Promise<Suggestion[]> {
      // Loaded here, because the word lists would delay startup.
      const { suggestFrom } = await import("../discovery/suggestions.ts");
      const pages = store
        .list(domain.seq)
        .filter(({ enabled }) => enabled)
        .flatMap(({ seq, address, problem }) => {
          const leadsTo = problem?.code === "leads_elsewhere" ? problem.detail : undefined;
          const [version] = store.comparedVersions(seq, 1);
          const present = version === undefined ? undefined : store.findVersion(version);
          if (present === undefined && leadsTo === undefined) return [];
          return [
            { address, title: present?.fingerprint.title ?? "", names: present?.names ?? noNames, leadsTo },
          ];
        });
      return suggestFrom(pages, domain, store.dismissed(domain.seq));
    },

    dismiss: (domain: ProtectedDomain, { kind, value }: Pick<Suggestion, "kind" | "value">, { by }: By) =>
      database.transaction(() => {
        store.dismiss({
          protectedDomainSeq: domain.seq,
          kind,
          value: value.slice(0, addressLengthMax),
          at: clock.now(),
        });
        auditLog.record(by, "original.dismiss", domain.domain, { kind, value: visible(value, 200) });
        // A name of the site that is dismissed as a keyword is not compared either.
        if (kind === "keyword") brands.changed();
      }),
  };
}

/** @throws FieldError with what to change */
function readAddress(text: string, domain: ProtectedDomain): string {
  const typed = text.trim();
  const invalid = (message: string) => new FieldError("address", message);
  if (typed === "" || typed.length > addressLengthMax)
    throw invalid(
      `The address must have 1 to ${addressLengthMax} characters, such as https://${domain.domain}/login.`,
    );
  const url = URL.parse(/^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid(`The address is not a URL such as https://${domain.domain}/login.`);
  if (url.username !== "" || url.password !== "")
    throw invalid("The address contains a user name or password. Remove what is before the @.");
  if (!isOwnHost(url.hostname, domain))
    throw invalid(
      `${visible(url.hostname, 100)} is neither below ${domain.domain} nor an allowed name. Add it to the allowed names first.`,
    );
  url.hash = "";
  return url.href;
}
