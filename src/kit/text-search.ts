/** Part of a text: from `start` up to and without `end`, in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds many texts in other texts, in time linear in both. Texts may be added at any time: there are several automata,
 * each at least twice as large as the next, so that a text is built into a new one some ten times at most.
 */
export class TextSearch {
  readonly #known = new Set<string>();
  #added: string[] = [];
  #automata: Automaton[] = [];

  /** Number of texts. */
  get size(): number {
    return this.#known.size;
  }

  /** Adds a text that is not empty. Returns whether it is new. */
  add(text: string): boolean {
    if (text === '' || this.#known.has(text)) return false;
    this.#known.add(text);
    this.#added.push(text);
    return true;
  }

  /** The parts of this text that the added texts occupy, in their order; parts that overlap are joined. */
  spansIn(text: string): Span[] {
    const spans = this.#settled().flatMap((automaton) => automaton.search(text).spans);
    return union(spans.sort((a, b) => a.start - b.start));
  }

  /** The length of the text's longest end that is the beginning of an added text. */
  begunAtEnd(text: string): number {
    return Math.max(0, ...this.#settled().map((automaton) => automaton.search(text).begun));
  }

  #settled(): readonly Automaton[] {
    if (this.#added.length === 0) return this.#automata;
    let texts = this.#added;
    this.#added = [];
    for (;;) {
      const last = this.#automata.at(-1);
      if (!last || last.characters > 2 * charactersOf(texts)) break;
      this.#automata.pop();
      texts = [...last.texts, ...texts];
    }
    this.#automata.push(new Automaton(texts));
    return this.#automata;
  }
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Joins spans that overlap; they are given in the order of their starts. */
function union(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last && start < last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else joined.push({ start, end });
  }
  return joined;
}

/**
 * Aho-Corasick automaton. A node stands for a beginning of a text; node 0 is the empty one. Nodes are numbered as they
 * are made, so the next node is mostly a child of this one, and only other children, at most one for each text, are in
 * a hash table. A node takes 19 bytes.
 */
class Automaton {
  readonly texts: readonly string[];
  readonly characters: number;
  readonly #unit: Uint16Array;
  readonly #parent: Int32Array;
  readonly #depth: Int32Array;
  /** The node of the longest end of a node's beginning that is the beginning of a text, too. */
  readonly #fallback: Int32Array;
  /** Length of the longest text that ends at the node; 0 = none. */
  readonly #ending: Int32Array;
  readonly #hasBranches: Uint8Array;
  /** Children that are not the next node, at the place of their hash or after it; its length is a power of 2. */
  readonly #branches: Int32Array;

  constructor(texts: readonly string[]) {
    this.texts = texts;
    this.characters = charactersOf(texts);
    const nodes = this.characters + 1;
    this.#unit = new Uint16Array(nodes);
    this.#parent = new Int32Array(nodes).fill(-1);
    this.#depth = new Int32Array(nodes);
    this.#fallback = new Int32Array(nodes);
    this.#ending = new Int32Array(nodes);
    this.#hasBranches = new Uint8Array(nodes);
    this.#branches = new Int32Array(2 ** Math.ceil(Math.log2(texts.length + 1) + 1));
    let count = 1;
    for (const text of texts) count = this.#enter(text, count);
    this.#link(byDepth(this.#depth.subarray(0, count)));
  }

  /** The parts of the text that are texts of this automaton, and the length of the end that begins one. */
  search(text: string): { readonly spans: readonly Span[]; readonly begun: number } {
    const spans: Span[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.#next(node, text.charCodeAt(at));
      const length = this.#ending[node]!;
      if (length === 0) continue;
      const end = at + 1;
      let start = end - length;
      // A long text may end after several that lie within it.
      for (let last = spans.at(-1); last && start < last.end; last = spans.at(-1)) {
        start = Math.min(start, last.start);
        spans.pop();
      }
      spans.push({ start, end });
    }
    return { spans, begun: this.#depth[node]! };
  }

  #enter(text: string, count: number): number {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      let child = this.#child(node, unit);
      if (child === 0) {
        child = count++;
        this.#unit[child] = unit;
        this.#depth[child] = at + 1;
        this.#parent[child] = node;
        if (child !== node + 1) {
          this.#hasBranches[node] = 1;
          this.#branches[this.#placeOf(node, unit)] = child;
        }
      }
      node = child;
    }
    this.#ending[node] = text.length;
    return count;
  }

  #link(nodes: Int32Array): void {
    for (const node of nodes) {
      const parent = this.#parent[node]!;
      const fallback = parent === 0 ? 0 : this.#next(this.#fallback[parent]!, this.#unit[node]!);
      this.#fallback[node] = fallback;
      if (this.#ending[node] === 0) this.#ending[node] = this.#ending[fallback]!;
    }
  }

  #next(from: number, unit: number): number {
    for (let node = from; ; node = this.#fallback[node]!) {
      const child = this.#child(node, unit);
      if (child !== 0 || node === 0) return child;
    }
  }

  /** The child of a node for a UTF-16 unit; 0 = none. */
  #child(node: number, unit: number): number {
    const next = node + 1;
    if (this.#unit[next] === unit && this.#parent[next] === node) return next;
    return this.#hasBranches[node] === 0 ? 0 : this.#branches[this.#placeOf(node, unit)]!;
  }

  /** The place of this child in the table of branches, or the free one where it is to be put. */
  #placeOf(node: number, unit: number): number {
    const mask = this.#branches.length - 1;
    const hash = Math.imul(node ^ Math.imul(unit, 0x85ebca6b), 0x9e3779b1);
    for (let place = (hash ^ (hash >>> 15)) & mask; ; place = (place + 1) & mask) {
      const child = this.#branches[place]!;
      if (child === 0 || (this.#parent[child] === node && this.#unit[child] === unit)) return place;
    }
  }
}

/** The nodes but the first, those of a lesser depth before others. */
function byDepth(depths: Int32Array): Int32Array {
  const deepest = depths.reduce((max, depth) => Math.max(max, depth), 0);
  const places = new Int32Array(deepest + 2);
  for (const depth of depths) places[depth + 1]!++;
  for (let depth = 1; depth < places.length; depth++) places[depth]! += places[depth - 1]!;
  const nodes = new Int32Array(depths.length);
  for (let node = 0; node < depths.length; node++) nodes[places[depths[node]!]!++] = node;
  return nodes.subarray(1);
}
