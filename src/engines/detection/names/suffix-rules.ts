/** The public suffix list in its published form, for a list that replaces the one in tldts. */
import { domainToASCII } from "node:url";

/** Suffix of a name. `hosted`: from the private section of the list. */
export interface SuffixMatch {
  suffix: string;
  hosted: boolean;
}

/** Rules of a list. */
export interface SuffixRules {
  /** Number of rules. */
  count: number;
  /** @param icannOnly ignores the private section */
  match(name: string, icannOnly?: boolean): SuffixMatch;
}

interface Section {
  exact: Set<string>;
  /** Names below which every label is a suffix: `ck` for the rule `*.ck`. */
  wildcard: Set<string>;
  /** Names that are not suffixes in spite of a wildcard. */
  except: Set<string>;
}

const beginPrivate = "===BEGIN PRIVATE DOMAINS===";

/** Parses a list (https://github.com/publicsuffix/list/wiki/Format). Lines that are no rule are skipped. */
export function parseSuffixRules(text: string): SuffixRules {
  const section = (): Section => ({ exact: new Set(), wildcard: new Set(), except: new Set() });
  const [icann, hosted] = [section(), section()];
  let current = icann;
  let count = 0;
  for (const line of text.split("\n")) {
    if (line.includes(beginPrivate)) current = hosted;
    const rule = line.trimEnd();
    if (rule === "" || rule.startsWith("//") || /\s/.test(rule)) continue;
    if (rule.startsWith("!")) current.except.add(inAscii(rule.slice(1)));
    else if (rule.startsWith("*.")) current.wildcard.add(inAscii(rule.slice(2)));
    else current.exact.add(inAscii(rule));
    count++;
  }
  return {
    count,
    match(name, icannOnly = false) {
      for (let at = 0; ;) {
        const candidate = name.slice(at);
        const dot = candidate.indexOf(".");
        const parent = dot === -1 ? "" : candidate.slice(dot + 1);
        for (const rules of icannOnly ? [icann] : [hosted, icann]) {
          const found = rules === hosted;
          if (rules.except.has(candidate)) return { suffix: parent, hosted: found };
          if (rules.exact.has(candidate) || (dot > 0 && rules.wildcard.has(parent)))
            return { suffix: candidate, hosted: found };
        }
        // Without a rule, the last label is the suffix.
        if (dot === -1) return { suffix: candidate, hosted: false };
        at += dot + 1;
      }
    },
  };
}

function inAscii(rule: string): string {
  return /^[\x21-\x7e]*$/.test(rule) ? rule.toLowerCase() : domainToASCII(rule);
}
