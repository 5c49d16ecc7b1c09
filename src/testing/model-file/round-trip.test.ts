/** Properties of model files: the exported file of a model has an empty plan, and an edit has a plan of that edit. */
import { expect, test } from 'vitest';
import { mergeDocuments } from '../../core/bundle/overlay.ts';
import { fileOf } from '../../core/model-file/file-of.ts';
import { formatModelFile } from '../../core/model-file/format-model-file.ts';
import { planDocument } from '../../core/model-file/plan-document.ts';
import type { FileDifference, LiveModel } from '../../core/model-file/plan.ts';
import { readYaml } from '../../kit/yaml/read.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import fc, { runs } from '../fast-check.ts';
import { planSchema } from './plan-schema.ts';
import { editsOf, editsOfPlaces, wideFiles, type RawFile } from './random-files.ts';
import { applied, changeLines, emptyLive, fileOfRaw, planFile } from './world.ts';

const made = (file: RawFile): LiveModel => applied(emptyLive, planFile(file, emptyLive));

function differenceLine(one: FileDifference): string {
  return `${'application' in one ? one.application : `machine ${one.machine}`} ${one.of}`;
}

/** The file as a user would read it, with no variable set. */
function readAgain(text: string): unknown {
  return mergeDocuments(readYaml(text, { variables: () => undefined }));
}

test('the plan of an exported model is empty, and the file is the same when it is exported again', () => {
  fc.assert(
    fc.property(wideFiles, (file) => {
      const live = made(file);
      const exported = fileOf(live, 'shop');
      const raw = readAgain(toYaml(formatModelFile(exported)));
      expect(fileOfRaw(raw)).toEqual({ ...exported, unscaled: expect.anything() as unknown });
      const plan = planFile(raw, live, { prune: true });
      expect(changeLines(plan, live)).toEqual([]);
      expect([plan.unpruned, plan.refused, plan.machines]).toEqual([[], [], []]);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a file that was applied to an empty model has an empty plan, and applying it again changes nothing', () => {
  fc.assert(
    fc.property(wideFiles, (file) => {
      const live = made(file);
      const again = planFile(file, live, { prune: true });
      expect(changeLines(again, live)).toEqual([]);
    }),
    { numRuns: runs(1_000) },
  );
});

test('the plan of a random edit names exactly the edit, and is empty once it is applied', () => {
  fc.assert(
    fc.property(wideFiles, fc.nat(), (file, which) => {
      const live = made(file);
      const edits = [...editsOf(file), ...editsOfPlaces(file)];
      const { file: edited, changes, differs = [] } = edits[which % edits.length]!;
      const plan = planFile(edited, live, { prune: true });
      expect(changeLines(plan, live)).toEqual(changes);
      expect(plan.differences.map(differenceLine)).toEqual(differs);
      const document = planDocument(plan, { live, model: 'admin/shop', file: 'shop', revision: 1 });
      const written: unknown = JSON.parse(JSON.stringify(document));
      expect(planSchema.parse(written)).toEqual(written);
      const after = applied(live, plan);
      expect(changeLines(planFile(edited, after, { prune: true }), after)).toEqual([]);
    }),
    { numRuns: runs(1_000) },
  );
});

test('an edit with the replacement of any application makes all that the file says, with nothing left to do', () => {
  fc.assert(
    fc.property(wideFiles, fc.nat(), fc.nat(), (file, which, whose) => {
      const names = Object.keys(file.applications);
      fc.pre(names.length > 0);
      const replaced = names[whose % names.length]!;
      const live = made(file);
      const edits = [...editsOf(file), ...editsOfPlaces(file)];
      const { file: edited, differs = [], misplaced } = edits[which % edits.length]!;
      const replace = () => planFile(edited, live, { prune: true, replaced: { [replaced]: 'why' } });
      if (misplaced === replaced) {
        expect(replace).toThrow('base does not match: machine 0 has ubuntu@24.04');
        return;
      }
      const plan = replace();
      expect(changeLines(plan, live)).toContain(`replace application ${replaced}`);
      const after = applied(live, plan);
      const again = planFile(edited, after, { prune: true });
      expect(changeLines(again, after)).toEqual([]);
      const left = differs.filter((line) => !line.startsWith(`${replaced} `));
      expect(again.differences.map(differenceLine)).toEqual(left);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a model that an exported file has made is equal: the plan of its own file is empty for the first, too', () => {
  fc.assert(
    fc.property(wideFiles, (file) => {
      const first = made(file);
      const exported = (live: LiveModel): unknown => readAgain(toYaml(formatModelFile(fileOf(live, 'shop'))));
      const copy = applied(emptyLive, planFile(exported(first), emptyLive));
      expect(changeLines(planFile(exported(first), copy, { prune: true }), copy)).toEqual([]);
      expect(changeLines(planFile(exported(copy), first, { prune: true }), first)).toEqual([]);
    }),
    { numRuns: runs(1_000) },
  );
});
