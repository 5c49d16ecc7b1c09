/** Citations of rules, as `lives.md#one-way`: the existing rules, and errors in the citations of a text. */
import { posix } from 'node:path';

/** Folder of the pages with rules. */
export const referenceFolder = 'docs/reference/';

export interface Document {
  /** Path from the root of the repository: `docs/reference/lives.md`. */
  readonly path: string;
  readonly text: string;
}

/** Targets of citations and links. */
interface Targets {
  /** Names of rules: `lives.md#one-way`. */
  readonly rules: ReadonlySet<string>;
  /** Path of a document → the anchors of its headings. */
  readonly anchors: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns the targets that the documents offer, and errors in the names of pages and rules. */
export function readTargets(documents: readonly Document[]): { targets: Targets; wrong: string[] } {
  const rules = new Set<string>();
  const pageOf = new Map<string, string>();
  const wrong: string[] = [];
  for (const { path, text } of documents.filter(isPage)) {
    const page = posix.basename(path);
    if (documents.some((other) => other.path !== path && posix.basename(other.path) === page))
      wrong.push(`${path}: another document has that name too`);
    for (const name of headings(text, '###')) {
      const other = pageOf.get(name);
      if (other !== undefined) wrong.push(`${path}: rule ${name} is in ${other} too`);
      if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
        wrong.push(`${path}: "${name}" is no name of a rule`);
      pageOf.set(name, page);
      rules.add(`${page}#${name}`);
    }
  }
  const anchors = new Map(
    documents.map(({ path, text }) => [path, new Set(headings(text, '#{1,6}').map(anchorOf))]),
  );
  return { targets: { rules, anchors }, wrong };
}

/** Returns one sentence, with the line, for each error in the citations of a text. */
export function wrongCitations({ path, text }: Document, { rules, anchors }: Targets): string[] {
  const found: string[] = [];
  text.split('\n').forEach((line, i) => {
    const say = (what: string): void => void found.push(`${path}:${i + 1}: ${what}`);
    let rest = line;
    if (path.endsWith('.md'))
      rest = line.replaceAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g, (link, target: string, anchor: string) => {
        const to = target === '' ? path : posix.join(posix.dirname(path), target);
        if (!anchors.get(to)?.has(anchor)) say(`${link.slice(2, -1)} leads to no heading`);
        return '';
      });
    const local = rest.replaceAll(/\bhttps?:\/\/\S+/g, '');
    for (const [cited] of local.matchAll(/[\w./-]+\.md#[\w-]*/g))
      if (!rules.has(cited)) say(`${cited} is no rule in ${referenceFolder}`);
    if (!path.endsWith('.ts') || /^\s*(?:\/\*|\*|\/\/)/.test(line))
      for (const [cited] of local.matchAll(/(?<![\w./-])docs\/[\w./-]*\.md\b/g))
        if (!anchors.has(cited)) say(`${cited} is no document`);
    for (const pattern of refused) {
      const other = pattern.exec(rest);
      if (other) say(`"${other[0]}": only rules in ${referenceFolder} are cited`);
    }
  });
  return found;
}

/**
 * Refused references: documents outside the repository, numbers of issues, and sections of anything but public
 * standards.
 */
const refused: readonly RegExp[] = [
  /\b(?:clouds|domain|wire|(?:charm|operator)-features)-facts\b/i,
  /\b(?:charm-(?:environment|features)|operator-(?:features)|performance-(?:reliability)|provider-(?:servers))\b/i,
  /\bseeds?\/\d|\bseed[ ]texts?\b/i,
  /\bissues? #?\d|\b(?:issues|pull)\/\d|\b(?:of the|in the)[ ]issue\b|\bthe issue['’]s\b/i,
  /\/work\/shared\b|\bshared\/(?:api|facts|seeds)\b|\b(?:design|house|style)\.md\b/i,
  /(?<!\bRFC \d+ |\.html )\u00a7/,
];

function isPage({ path }: Document): boolean {
  return (
    posix.dirname(path) === posix.normalize(referenceFolder).slice(0, -1) && !path.endsWith('/README.md')
  );
}

/** Texts of the headings of a level, without those in code blocks. */
function headings(text: string, level: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(new RegExp(`^${level} (.*)$`, 'gm'))].map(([, heading]) => heading!.trim());
}

/** Returns the anchor of a heading, as Markdown renderers make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
