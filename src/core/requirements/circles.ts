/**
 * Those that need each other, each circle sorted by name (Tarjan's strongly connected components, of two or more). Its
 * own stack: a chain may be as long as the model.
 */
export function circlesIn(names: Iterable<string>, needs: (name: string) => Iterable<string>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  const enter = (name: string): Visit => {
    index.set(name, index.size);
    low.set(name, index.size - 1);
    open.push(name);
    isOpen.add(name);
    return { name, rest: needs(name)[Symbol.iterator]() };
  };
  const reach = (name: string, other: number): void => void low.set(name, Math.min(low.get(name)!, other));
  const leave = (name: string): void => {
    if (low.get(name) !== index.get(name)) return;
    const circle = open.splice(open.lastIndexOf(name));
    for (const one of circle) isOpen.delete(one);
    if (circle.length > 1) circles.push(circle.sort());
  };

  for (const first of names) {
    if (index.has(first)) continue;
    const visits = [enter(first)];
    for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
      const next = visit.rest.next();
      if (next.done) {
        visits.pop();
        leave(visit.name);
        const above = visits.at(-1);
        if (above) reach(above.name, low.get(visit.name)!);
      } else if (!index.has(next.value)) visits.push(enter(next.value));
      else if (isOpen.has(next.value)) reach(visit.name, index.get(next.value)!);
    }
  }
  return circles.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
}

interface Visit {
  readonly name: string;
  readonly rest: Iterator<string>;
}
