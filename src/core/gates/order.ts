/**
 * Sorts applications by name, but each behind those that it waits for. Gates that are set in this order close no circle
 * with gates that are still to be replaced: whatever one leads to has its new gates already. `after`: the applications
 * that one waits for; others than `applications` may be among them, and are asked for theirs.
 */
export function inOrderOfGates(
  applications: readonly string[],
  after: (application: string) => readonly string[],
): string[] {
  const wanted = new Set(applications);
  const seen = new Set<string>();
  const ordered: string[] = [];
  const enter = (name: string): { name: string; left: string[] } => {
    seen.add(name);
    return { name, left: after(name).toSorted().reverse() };
  };
  for (const first of applications.toSorted()) {
    // A stack of its own, since thousands may wait one for the other.
    const path = seen.has(first) ? [] : [enter(first)];
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const next = last.left.pop();
      if (next === undefined) {
        path.pop();
        if (wanted.has(last.name)) ordered.push(last.name);
      } else if (!seen.has(next)) path.push(enter(next));
    }
  }
  return ordered;
}
