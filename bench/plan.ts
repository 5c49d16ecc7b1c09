/**
 * `node bench/plan.ts [--n 10000]`: the plan of a model file of N applications, half of them related to the other half,
 * against the same live model, as a document, against reading and parsing the file.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { noMachineMap } from '../src/core/bundle/bundle-model.ts';
import { mergeDocuments } from '../src/core/bundle/overlay.ts';
import { fileOf } from '../src/core/model-file/file-of.ts';
import { formatModelFile } from '../src/core/model-file/format-model-file.ts';
import type { ModelFile } from '../src/core/model-file/model-file.ts';
import { parseModelFile } from '../src/core/model-file/parse-model-file.ts';
import { planDocument, type PlanDocument } from '../src/core/model-file/plan-document.ts';
import { planModel } from '../src/core/model-file/plan-model.ts';
import { readYaml } from '../src/kit/yaml/read.ts';
import { toYaml } from '../src/kit/yaml/write.ts';
import { bundleSize } from '../src/operate/bundle/bundle-size.ts';
import { charmsOf } from '../src/testing/bundle/model.ts';
import { charms } from '../src/testing/bundle/plan-lines.ts';
import { applied, emptyLive, planFile } from '../src/testing/model-file/world.ts';
import { exitCode, pairs, report } from './floor.ts';

const { values } = parseArgs({
  options: { n: { type: 'string', default: '10000' }, pairs: { type: 'string', default: '5' } },
});
const count = Number(values.n);

const numbers = Array.from({ length: count / 2 }, (_, n) => n);
const raw = {
  applications: Object.fromEntries(
    numbers.flatMap((n) => [
      [`db${n}`, { charm: './mysql', num_units: 1, options: { port: n } }],
      [`blog${n}`, { charm: './wordpress', num_units: 1, constraints: 'mem=2G' }],
    ]),
  ),
  relations: numbers.map((n) => [`blog${n}:db`, `db${n}:db`]),
};
const live = applied(emptyLive, planFile(raw, emptyLive));
const text = toYaml(formatModelFile(fileOf(live, 'shop')));
let file: ModelFile;
let document: PlanDocument;

const parse = (): number => {
  const start = performance.now();
  const documents = readYaml(text, { size: bundleSize, variables: () => undefined });
  file = parseModelFile(mergeDocuments(documents));
  return performance.now() - start;
};
const plan = (): number => {
  const start = performance.now();
  const planned = planModel({
    file,
    live,
    charms: charmsOf(file.bundle, charms),
    map: noMachineMap,
    force: false,
    prune: true,
    replaced: {},
    movable: new Set(),
    checksums: {},
  });
  document = planDocument(planned, { live, model: 'admin/shop', file: 'shop', revision: 1 });
  return performance.now() - start;
};

parse();
plan();
if (document!.changes.length > 0) throw new Error('the plan of the model itself is not empty');
const verdict = report(`plan of ${count} applications`, await pairs(parse, plan, Number(values.pairs)), {
  atMost: 3,
});
process.exitCode = exitCode([verdict]);
