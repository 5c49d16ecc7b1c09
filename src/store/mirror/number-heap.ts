/** A max-heap of numbers. */
export class NumberHeap {
  readonly #numbers: number[];

  constructor(numbers: Iterable<number>) {
    // Numbers in descending order are a valid max-heap.
    this.#numbers = [...numbers].sort((a, b) => b - a);
  }

  get largest(): number | undefined {
    return this.#numbers[0];
  }

  push(number: number): void {
    const numbers = this.#numbers;
    let index = numbers.push(number) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (numbers[parent]! >= number) break;
      numbers[index] = numbers[parent]!;
      index = parent;
    }
    numbers[index] = number;
  }

  /** Removes and returns the largest number. */
  pop(): number | undefined {
    const numbers = this.#numbers;
    const largest = numbers[0];
    const last = numbers.pop();
    if (last === undefined || numbers.length === 0) return largest;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= numbers.length) break;
      if (child + 1 < numbers.length && numbers[child + 1]! > numbers[child]!) child++;
      if (numbers[child]! <= last) break;
      numbers[index] = numbers[child]!;
      index = child;
    }
    numbers[index] = last;
    return largest;
  }
}
