/** Property: a formatted bundle parses to the same bundle, and has no difference to itself. */
import fc, { runs } from '../../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { toYaml } from '../../../kit/yaml/write.ts';
import type {
  Bundle,
  BundleApplication,
  BundleMachine,
  BundlePlacement,
} from '../../../core/bundle/bundle.ts';
import { ladders } from '../../../core/access/levels.ts';
import { diffBundle } from '../../../core/bundle/diff-bundle.ts';
import { formatBundle } from '../../../core/bundle/format-bundle.ts';
import { mergeDocuments } from '../../../core/bundle/overlay.ts';
import { parseBundle } from '../../../core/bundle/parse-bundle.ts';

const name = fc.constantFrom('mysql', 'my-sql', 'a', 'constructor', 'n', 'on');
const base = fc.constantFrom(
  { name: 'ubuntu', channel: '22.04/stable' },
  { name: 'ubuntu', channel: '24.04/edge' },
  { name: 'debian', channel: '12/stable' },
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom(
    '0',
    '1e3',
    '~',
    'yes',
    'null',
    '12:34',
    '0o17',
    '017',
    '- a',
    '# x',
    '<<',
    '__proto__',
    'a: b\nc\n',
  ),
);
const constraints = fc.record(
  { mem: fc.integer({ min: 0, max: 9999 }), cores: fc.nat(9) },
  { requiredKeys: [] },
);
const annotations = fc.dictionary(
  text.filter((key) => !/^$|[.\s]/.test(key)),
  text,
  { maxKeys: 3 },
);
const placement: fc.Arbitrary<BundlePlacement> = fc
  .record({
    container: fc.option(fc.constantFrom('lxd', 'kvm'), { nil: undefined }),
    on: fc.oneof(
      fc.constant({ kind: 'new' as const }),
      fc.record({ kind: fc.constant('machine' as const), machine: fc.nat(20).map(String) }),
      fc.record(
        { kind: fc.constant('unit' as const), application: name, unit: fc.nat(9) },
        { requiredKeys: ['kind', 'application'] },
      ),
      fc.record({
        kind: fc.constant('directive' as const),
        directive: fc.constantFrom('zone=z1', 'system=a,b'),
      }),
    ),
  })
  .map(({ container, on }) =>
    container === undefined || on.kind === 'directive' ? { on } : { container, on },
  );
const exposed = fc.oneof(
  fc.constant({ exposed: false }),
  fc.constant({ exposed: true }),
  fc.record({
    exposed: fc.constant(true),
    exposedEndpoints: fc.dictionary(
      fc.constantFrom('', 'web', 'db'),
      fc.record({ cidrs: fc.subarray(['10.0.0.0/8', '::/0']), spaces: fc.subarray(['alpha', 'dmz']) }),
      { minKeys: 1 },
    ),
  }),
);
const application: fc.Arbitrary<BundleApplication> = fc
  .record(
    {
      charm: fc.constantFrom('./mysql', 'local:mysql-0', '/a b/c.charm'),
      channel: fc.constantFrom('latest/stable', '8.0'),
      revision: fc.nat(),
      base,
      units: fc.nat(4),
      to: fc.array(placement, { maxLength: 3 }),
      options: fc.dictionary(text, fc.oneof(text, fc.constant(''), fc.maxSafeInteger(), fc.boolean()), {
        maxKeys: 4,
      }),
      constraints,
      annotations,
      bindings: fc.dictionary(fc.constantFrom('', 'db'), fc.constantFrom('dmz', 'lan')),
      trust: fc.boolean(),
      require: fc.subarray(['db', 'cache']),
      offers: fc.dictionary(
        name,
        fc.record({
          endpoints: fc.subarray(['db', 'web'], { minLength: 1 }),
          acl: fc.dictionary(
            fc.constantFrom('bob', 'constructor', 'eve@far'),
            fc.constantFrom(...ladders.offer),
          ),
        }),
        { minKeys: 1, maxKeys: 2 },
      ),
    },
    {
      requiredKeys: [
        'charm',
        'units',
        'to',
        'options',
        'constraints',
        'annotations',
        'bindings',
        'trust',
        'require',
      ],
    },
  )
  .chain((own) => exposed.map((its) => ({ ...own, ...its })));
const machine: fc.Arbitrary<BundleMachine> = fc.record(
  { base, constraints, annotations },
  { requiredKeys: ['constraints', 'annotations'] },
);
const bundles: fc.Arbitrary<Bundle> = fc.record(
  {
    name,
    description: text,
    defaultBase: base,
    saas: fc.dictionary(name, fc.record({ url: fc.constantFrom('m.o', 'c:u/m.o') }), { minKeys: 1 }),
    applications: fc.dictionary(name, application, { maxKeys: 4 }),
    machines: fc.dictionary(fc.nat(20).map(String), machine, { maxKeys: 3 }),
    relations: fc.uniqueArray(fc.tuple(name, fc.constantFrom('b:x', 'c:y', 'd')), {
      selector: (pair) => pair.join(' '),
    }),
  },
  { requiredKeys: ['applications', 'machines', 'relations'] },
);

function written(bundle: Bundle): string {
  return formatBundle(bundle)
    .map((document) => toYaml(document))
    .join('---\n');
}

function read(yaml: string): ReturnType<typeof parseBundle> {
  const documents = parseAllDocuments(yaml);
  if (!Array.isArray(documents)) throw new Error('empty');
  return parseBundle(mergeDocuments(documents.map((document) => document.toJS() as unknown)));
}

test('parse(format(bundle)) equals the bundle, and formats to the same text', () => {
  fc.assert(
    fc.property(bundles, (bundle) => {
      const again = read(written(bundle));
      expect(again).toEqual({ bundle, warnings: [] });
      expect(written(again.bundle)).toBe(written(bundle));
    }),
    { numRuns: runs(300) },
  );
});

test('a bundle has no difference from itself', () => {
  fc.assert(
    fc.property(bundles, (bundle) => {
      const machines = new Map(Object.keys(bundle.machines).map((id) => [id, id]));
      const charmName = (application: string): string =>
        bundle.applications[application]?.charm.replace(/^local:|-\d+$/g, '') ?? '';
      const diff = diffBundle({
        bundle,
        model: bundle,
        withDefaults: bundle,
        machines,
        annotations: true,
        resources: {},
        charmName,
      });
      expect(diff).toEqual({});
    }),
    { numRuns: runs(300) },
  );
});
