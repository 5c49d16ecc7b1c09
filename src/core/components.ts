/**
 * Tarjan's strongly connected components: each component comes after those that it leads to. The stack is explicit
 * because a chain may be as long as the model.
 */
export function componentsOf(
  names: Iterable<string>,
  leadsTo: (name: string) => Iterable<string>,
): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const components: string[][] = [];

  const enter = (name: string): Visit => {
    low.set(name, index.size);
    index.set(name, index.size);
    open.push(name);
    isOpen.add(name);
    return { name, rest: leadsTo(name)[Symbol.iterator]() };
  };
  const reach = (name: string, other: number): void => void low.set(name, Math.min(low.get(name)!, other));
  const leave = (name: string): void => {
    if (low.get(name) !== index.get(name)) return;
    const component = open.splice(open.lastIndexOf(name));
    for (const member of component) isOpen.delete(member);
    components.push(component);
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
  return components;
}

interface Visit {
  readonly name: string;
  readonly rest: Iterator<string>;
}
