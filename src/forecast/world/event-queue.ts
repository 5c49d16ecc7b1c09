/** Binary heap of events by time; events of the same instant are ordered by random number. */
export interface QueuedEvent {
  readonly at: number;
  readonly lot: number;
  /** Whether the event was cancelled: it is skipped when its turn comes. */
  cancelled: boolean;
}

export class EventQueue<E extends QueuedEvent> {
  readonly #heap: E[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): E | undefined {
    return this.#heap[0];
  }

  push(event: E): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent]!;
      if (!before(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  pop(): E | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

function before(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.lot < b.lot);
}
