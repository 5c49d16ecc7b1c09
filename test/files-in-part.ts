/** Options of vitest for suites of which CI runs a part of the long files. */
import { configDefaults } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { leftOut, longFiles } from './long-files.ts';
import { partOf, sayPart } from './part.ts';

/**
 * Returns the files of the suite's part. Long files begin first, the longest before all: a long file that began last
 * would run alone at the end.
 */
export function filesInPart(suite: keyof typeof longFiles): {
  readonly exclude: string[];
  readonly sequence: { readonly sequencer: typeof BaseSequencer };
} {
  const { longestFirst } = longFiles[suite];
  const part = partOf();
  const out = leftOut(part, longFiles[suite]);
  const drawn = longestFirst.filter((file) => !out.includes(file));
  if (part !== undefined) console.log(sayPart(part, drawn, longestFirst, 'long files'));
  return { exclude: [...configDefaults.exclude, ...out], sequence: inThisOrder(longestFirst) };
}

/** Order of test files: these first, in their order, then the others. */
export function inThisOrder(first: readonly string[]): { readonly sequencer: typeof BaseSequencer } {
  const rank = ({ moduleId }: TestSpecification): number => {
    const place = first.findIndex((file) => moduleId.endsWith(`/${file}`));
    return place < 0 ? first.length : place;
  };
  return {
    sequencer: class extends BaseSequencer {
      override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
        return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
      }
    },
  };
}
