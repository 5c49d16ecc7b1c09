/** Formats a count: `1 model`, `2 models`. */
export function countOf(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
