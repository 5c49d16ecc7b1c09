/** Seeded random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** Returns a number with 0 ≤ x < 1. */
  next(): number;
  /** Returns a whole number from `low` to below `high`. */
  int(low: number, high: number): number;
  /** Returns a number between `low` and `high`, small ones more often than large ones. */
  skewed(low: number, high: number): number;
  chance(probability: number): boolean;
  uuid(): string;
}

/** Creates an independent stream for each name: reading one does not change another. */
export function createRandom(seed: number, name: string): Random {
  // sfc32: small, fast, and good enough for these tests.
  let a = hash32(name, seed | 0);
  let b = hash32(name, a ^ 0x9e3779b9);
  let c = hash32(name, b ^ Math.floor(seed / 2 ** 32));
  let counter = 1;
  const next32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) next32();
  const next = (): number => next32() / 2 ** 32;
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += next32().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low)),
    skewed: (low, high) => low + (high - low) * next() ** 3,
    // Probabilities of 0 draw no number: a kind of fault that is off leaves the stream unchanged.
    chance: (probability) => probability > 0 && next() < probability,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}

function hash32(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}
