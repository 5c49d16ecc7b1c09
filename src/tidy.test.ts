/** Every file keeps to the walls of the house (testing/walls.ts), and documents to their rules. */
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTargets, referenceFolder, wrongCitations } from './testing/citations.ts';
import { bans, inside, layers } from './testing/walls.ts';

const root = resolve(import.meta.dirname, '..');

const linesMax = 400;
/** Tests are tables: long ones are read by their lines. */
const testLinesMax = 800;
const commentColumnsMax = 120;

const files = globSync('**/*.ts', { cwd: join(root, 'src') })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }))
  .map((file) => ({ ...file, code: stripped(file.text), imports: importsOf(file.path, file.text) }));

/** Paths from the root: benchmarks, scripts and tests of the whole beside the product. */
const everyFile = globSync('{src,bench,scripts,test}/**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

describe('every file', () => {
  test('is in a known layer', () => {
    const homeless = files
      .map(({ path }) => path)
      .filter((path) => !isTidyTest(path) && !layers[layerOf(path)]);
    expect(homeless).toEqual([]);
  });

  test('imports only what its layer may', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.local
        .filter((target) => !mayImport(path, target))
        .map((target) => {
          return `${path} -> ${target}: ${reason(path, target)}`;
        }),
    );
    expect(wrong).toEqual([]);
  });

  test('keeps to the walls inside its layer', () => {
    const wrong = inside.flatMap(([from, to, because]) =>
      files
        .filter(({ path }) => path.startsWith(`${from}/`) && !isTest(path))
        .flatMap(({ path, imports }) =>
          imports.local
            .filter((target) => target.startsWith(`${to}/`))
            .map((target) => `${path} -> ${target}: ${because}`),
        ),
    );
    expect(wrong).toEqual([]);
  });

  test('imports no other provider', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.local
        .filter((target) => providerOf(path) && providerOf(target) && providerOf(path) !== providerOf(target))
        .map((target) => `${path} -> ${target}: providers know nothing of each other`),
    );
    expect(wrong).toEqual([]);
  });

  test('asks for providers by the registry: what one can do is a key of its contract', () => {
    const wrong = files
      .filter(
        ({ path }) => !isTest(path) && !['forecast', 'main', 'providers', 'testing'].includes(layerOf(path)),
      )
      .flatMap(({ path, imports }) =>
        imports.local
          .filter(providerOf)
          .map((target) => `${path} -> ${target}: a Provider says what it can do`),
      );
    expect(wrong).toEqual([]);
  });

  test.each(['cli', 'operate'])('of %s is in no circle of imports, those of types included', (layer) => {
    const left = new Map(
      files
        .filter(({ path }) => layerOf(path) === layer && !isTest(path))
        .map(({ path, imports }) => [path, imports.local]),
    );
    const isFree = (targets: readonly string[]): boolean => !targets.some((target) => left.has(target));
    for (let before = Infinity; left.size < before;) {
      before = left.size;
      for (const [path, targets] of left) if (isFree(targets)) left.delete(path);
    }
    expect([...left.keys()]).toEqual([]);
  });

  test('imports only packages that ship', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };
    const wrong = files
      .filter(({ path }) => !isTest(path) && !isTestKit(path) && layerOf(path) !== 'testing')
      .flatMap(({ path, imports }) =>
        imports.packages
          .filter((name) => !Object.hasOwn(manifest.dependencies, name))
          .map((name) => `${path} -> ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  test('of core needs neither Node nor a package', () => {
    const wrong = files
      .filter(({ path }) => layerOf(path) === 'core' && !isTest(path))
      .flatMap(({ path, imports }) =>
        [...imports.node, ...imports.packages].map((name) => `${path} -> ${name}: core is pure`),
      );
    expect(wrong).toEqual([]);
  });

  test('of core names commands without a program: who reads it may have another client', () => {
    const wrong = files
      .filter(({ path }) => layerOf(path) === 'core' && !isTest(path))
      .flatMap(({ path, text }) =>
        (text.match(/^(?!\s*(?:\/?\*|\/\/)).*["'`]grigri [a-z].*$/gm) ?? []).map(
          (line) => `${path}: ${line.trim()}`,
        ),
      );
    expect(wrong).toEqual([]);
  });

  test('does nothing that is banned where it is', () => {
    const wrong = bans.flatMap(({ what, within, except, because }) =>
      files
        .filter(
          ({ path }) =>
            path.startsWith(within) && !except.some((folder) => path.startsWith(folder)) && !isTest(path),
        )
        .flatMap(({ path, code }) => {
          const found = what.exec(code);
          return found ? [`${path}: ${found[0]}: ${because}`] : [];
        }),
    );
    expect(wrong).toEqual([]);
  });

  test('is short', () => {
    const long = everyFile
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > (isTest(path) ? testLinesMax : linesMax))
      .map(({ path, lines }) => `${path}: ${lines} lines: look for the second noun in it`);
    expect(long).toEqual([]);
  });

  test(`has comments of at most ${commentColumnsMax} columns`, () => {
    const wide = everyFile.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, at) =>
          line.length > commentColumnsMax && /^\s*(\/\/|\/\*|\*) /.test(line) ? [`${path}:${at + 1}`] : [],
        ),
    );
    expect(wide).toEqual([]);
  });

  test('called index.ts is the table of contents of facades or providers', () => {
    const barrels = files
      .map(({ path }) => path)
      .filter(
        (path) => path.endsWith('/index.ts') && !/^((controller|wire)\/facades|providers)\//.test(path),
      );
    expect(barrels).toEqual([]);
  });
});

test('every facade is registered', () => {
  const folder = join(root, 'src/controller/facades');
  const facades = readdirSync(folder).filter(
    (name) => statSync(join(folder, name)).isDirectory() && name !== 'shared',
  );
  const registered = readFileSync(join(folder, 'index.ts'), 'utf8');
  expect(facades.filter((name) => !registered.includes(`'./${name}/index.ts'`))).toEqual([]);
});

/** What a provider's folder holds besides what is only its own: so one who knows one finds the way in all. */
const inEveryProvider: readonly string[] = ['config.ts', 'index.ts', 'instances.ts'];

test('every provider has the same shape, and is registered', () => {
  const folder = join(root, 'src/providers/clouds');
  const folders = readdirSync(folder);
  const missing = folders.flatMap((name) =>
    inEveryProvider.filter((file) => !existsSync(join(folder, name, file))).map((file) => `${name}/${file}`),
  );
  expect(missing).toEqual([]);
  const registry = readFileSync(join(folder, '../index.ts'), 'utf8');
  const wrong = folders.flatMap((name) => {
    const text = readFileSync(join(folder, name, 'index.ts'), 'utf8');
    return [
      registry.includes(`'./clouds/${name}/index.ts'`) ? '' : `${name} is not in providers/index.ts`,
      new RegExp(`^export const ${name}: Provider = `, 'm').test(text)
        ? ''
        : `${name} exports no Provider ${name}`,
      /\bvalidateConfig\b/.test(readFileSync(join(folder, name, 'config.ts'), 'utf8'))
        ? ''
        : `${name}/config.ts does not use validateConfig`,
    ].filter(Boolean);
  });
  expect(wrong).toEqual([]);
});

/**
 * Packages come from wherever the host's package managers have them from. Servers of images that LXD's own client knows
 * are no such registry.
 */
const registries =
  /\b(?:(?:deb|ftp|security|snapshot)\.debian\.org|(?:archive|ports|security)\.ubuntu\.com|registry\.(?:npmjs|yarnpkg)\.(?:org|com)|pypi\.org|files\.pythonhosted\.org|(?:index|static)\.crates\.io|rubygems\.org|proxy\.golang\.org|download\.docker\.com|registry-1\.docker\.io)\b/;

/** Every file that people write, whatever is in it. */
const texts = [
  ...globSync('*.{json,md,ts}', { cwd: root }),
  ...globSync('{src,test,scripts,bench,examples,docs,bin,.ci}/**', {
    cwd: root,
    exclude: ['**/.cache', '**/node_modules'],
  }),
]
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => statSync(join(root, path)).isFile())
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const documents = texts.filter(({ path }) => path.endsWith('.md'));

test('no file names the host of a package registry', () => {
  expect(texts.length).toBeGreaterThan(1000);
  const wrong = texts.flatMap(({ path, text }) => {
    const found = registries.exec(text);
    return found ? [`${path}: ${found[0]}`] : [];
  });
  expect(wrong).toEqual([]);
});

test('every link in the documents leads somewhere', () => {
  const broken = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^(https?:|mailto:|#)/.test(target))
      .filter((target) => !existsSync(join(root, dirname(path), target.replace(/#.*$/, ''))))
      .map((target) => `${path} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

describe('rules in docs/reference', () => {
  const { targets, wrong } = readTargets(documents);

  test('have names of their own', () => {
    expect(wrong).toEqual([]);
    expect(targets.rules.size).toBeGreaterThan(200);
  });

  test('are all that is cited, and every citation leads to one', () => {
    // The samples of what is refused.
    const cited = texts.filter(({ path }) => path !== 'src/testing/citations.test.ts');
    expect(cited.flatMap((text) => wrongCitations(text, targets))).toEqual([]);
  });

  test('are on pages that the index names', () => {
    const index = documents.find(({ path }) => path === `${referenceFolder}README.md`)!.text;
    const missing = documents
      .map(({ path }) => path)
      .filter(
        (path) =>
          path.startsWith(referenceFolder) && !index.includes(`(${path.slice(referenceFolder.length)})`),
      )
      .filter((path) => !path.endsWith('/README.md'));
    expect(missing).toEqual([]);
  });
});

function layerOf(path: string): string {
  return path.split('/', 1)[0]!;
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** The walls themselves. */
function isTidyTest(path: string): boolean {
  return /^tidy[\w-]*\.test\.ts$/.test(path);
}

/** For the tests of providers, here and elsewhere: who uses it has vitest. */
function isTestKit(path: string): boolean {
  return path.startsWith('providers/conformance');
}

function providerOf(path: string): string | undefined {
  return /^providers\/clouds\/([^/]+)\//.exec(path)?.[1];
}

function mayImport(from: string, target: string): boolean {
  const own = layerOf(from);
  const other = layerOf(target);
  if (own === other || isTidyTest(from)) return true;
  if (other === 'testing') return isTest(from) || own === 'main';
  const may = layers[own]?.may ?? [];
  if (other === 'main') return own === 'testing' || may.includes(target);
  // Tests may play their part in a simulated world.
  if (other === 'forecast' && isTest(from)) return true;
  return may.includes('*') || may.includes(other) || may.includes(target);
}

function reason(from: string, target: string): string {
  if (layerOf(target) === 'testing') return 'only tests use testing';
  if (layerOf(target) === 'main') return 'nothing imports main';
  return layers[layerOf(from)]?.because ?? 'its layer is unknown';
}

/** Imports as paths from src/, as Node's modules, and as packages. */
function importsOf(path: string, text: string): { local: string[]; node: string[]; packages: string[] } {
  const all = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/^[^/*\n]*\bimport\(\s*['"]([^'"]+)['"]/gm),
  ].map(([, name]) => name!);
  const outside = all.filter((name) => !name.startsWith('.'));
  return {
    local: all
      .filter((name) => name.startsWith('.'))
      .map((name) => relative('src', normalize(join('src', dirname(path), name))).replaceAll('\\', '/'))
      .filter((target) => !target.startsWith('..')),
    node: outside.filter((name) => name.startsWith('node:')),
    packages: outside.filter((name) => !name.startsWith('node:')).map(packageOf),
  };
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

/** Code without its comments and texts, in which anything may be said. */
function stripped(text: string): string {
  return text.replace(
    /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g,
    "''",
  );
}
