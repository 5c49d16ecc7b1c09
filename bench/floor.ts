/**
 * Compares the product with a floor program in the same run: machines are noisy, so only the ratio of adjacent
 * measurements is meaningful.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { endInTime } from './deadline.ts';

endInTime();

/** Function to measure: does the work once. It may return its own figure; otherwise the wall time in ms is used. */
type Measured = () => number | void | Promise<number | void>;

interface Quartiles {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
}

interface Comparison {
  readonly floor: Quartiles;
  readonly product: Quartiles;
  /** Ratio of product to floor, pair by pair. */
  readonly ratio: Quartiles;
  /** True when the floor itself varied more than twofold: the machine was too busy to judge. */
  readonly isNoisy: boolean;
}

/** Alternates floor and product `n` times, after a warm-up pair. */
export async function pairs(floor: Measured, product: Measured, n: number): Promise<Comparison> {
  const floors: number[] = [];
  const products: number[] = [];
  for (let i = -1; i < n; i++) {
    const a = await measure(floor);
    const b = await measure(product);
    if (i < 0) continue;
    floors.push(a);
    products.push(b);
  }
  const spread = quartiles(floors);
  return {
    floor: spread,
    product: quartiles(products),
    ratio: quartiles(products.map((value, i) => value / (floors[i] ?? NaN))),
    isNoisy: spread.q3 > 2 * spread.q1,
  };
}

/** Outcome of a goal; `unjudged`: the machine was too busy to judge. */
export type Verdict = 'met' | 'missed' | 'unjudged';

/** Returns the exit code: 1 when a goal was missed, 2 when one could not be judged. */
export function exitCode(verdicts: readonly Verdict[]): number {
  return verdicts.includes('missed') ? 1 : verdicts.includes('unjudged') ? 2 : 0;
}

/** Line of the file named by the environment's BENCH_RESULTS. */
export interface Result extends Omit<Comparison, 'isNoisy'> {
  readonly name: string;
  /** Unit of floor and product. */
  readonly unit: string;
  readonly goal: string;
  readonly verdict: Verdict;
  readonly machine: string;
}

/** Prints a comparison and its goal: the upper bound of the ratio, or the lower one with `atLeast`. */
export function report(
  name: string,
  comparison: Comparison,
  goal: { readonly atMost: number } | { readonly atLeast: number },
  unit = 'ms',
): Verdict {
  const { floor, product, ratio, isNoisy } = comparison;
  const met = 'atMost' in goal ? ratio.median <= goal.atMost : ratio.median >= goal.atLeast;
  const wanted = 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
  const verdict = isNoisy ? 'unjudged' : met ? 'met' : 'missed';
  console.log(
    `${name}: ratio ${show(ratio)}, goal ${wanted}: ${verdict}\n` +
      `  floor ${show(floor)} ${unit}, product ${show(product)} ${unit}; ${machine()}`,
  );
  const result: Result = { name, goal: wanted, verdict, ratio, floor, product, unit, machine: machine() };
  const file = process.env['BENCH_RESULTS'];
  if (file) appendFileSync(file, `${JSON.stringify(result)}\n`);
  return verdict;
}

export function quartiles(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b);
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75) };
}

/** Describes load, steal since boot and processors, which explain differences between machines. */
export function machine(): string {
  const [load] = loadavg();
  return `load ${load?.toFixed(1)}, steal ${steal()}, ${cpus().length} cpus, node ${process.version}`;
}

async function measure(measured: Measured): Promise<number> {
  const start = performance.now();
  const own = await measured();
  return own ?? performance.now() - start;
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? NaN;
  const high = sorted[Math.ceil(at)] ?? NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Returns steal as a share of all processor time since boot, `0.2%`; `?` where the kernel does not report it. */
function steal(): string {
  try {
    const times =
      readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).slice(1, 9).map(Number) ?? [];
    const total = times.reduce((sum, time) => sum + time, 0);
    return `${((100 * (times[7] ?? 0)) / total).toFixed(1)}%`;
  } catch {
    return '?';
  }
}

export function show({ q1, median, q3 }: Quartiles): string {
  return `${significant(median)} (${significant(q1)}-${significant(q3)})`;
}

function significant(value: number): string {
  return String(Number(value.toPrecision(3)));
}
