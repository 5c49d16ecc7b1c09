/** Whether tests may take long, as in `npm run test:properties`; `npm test` has two minutes. */
export const isThorough = process.env['GRIGRI_THOROUGH'] === '1';

/** Returns all cases in `npm run test:properties`; in `npm test` at most `count` of them, evenly spread. */
export function some<T>(cases: readonly T[], count: number): readonly T[] {
  const rank = (n: number): number => Math.floor((n * count) / cases.length);
  return isThorough || count >= cases.length ? cases : cases.filter((_, n) => rank(n) !== rank(n - 1));
}
