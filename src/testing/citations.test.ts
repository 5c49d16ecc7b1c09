/** Citations are checked: each kind of error is found in a sample text, and correct citations pass. */
import { describe, expect, test } from 'vitest';
import { readTargets, wrongCitations, type Document } from './citations.ts';

const lives: Document = {
  path: 'docs/reference/lives.md',
  text: '# Lives\n\n## All entities\n\n### one-way\n\nA life never goes back.\n\n```\n### no-rule\n```\n',
};
const guide: Document = { path: 'docs/removing.md', text: '# Removing\n\n## What `it` says, whole\n' };

test('rules are the third-level headings of the pages', () => {
  const { targets, wrong } = readTargets([lives, guide]);
  expect(wrong).toEqual([]);
  expect([...targets.rules]).toEqual(['lives.md#one-way']);
});

describe('errors in the names of pages and rules', () => {
  test.each<[string, Document, string]>([
    [
      'a rule that two pages have',
      { path: 'docs/reference/units.md', text: '### one-way\n' },
      'docs/reference/units.md: rule one-way is in lives.md too',
    ],
    [
      'a rule that a page has twice',
      { path: 'docs/reference/units.md', text: '### dead\n### dead\n' },
      'docs/reference/units.md: rule dead is in units.md too',
    ],
    [
      'a rule whose name is a sentence',
      { path: 'docs/reference/units.md', text: '### Units go last\n' },
      'docs/reference/units.md: "Units go last" is no name of a rule',
    ],
    [
      'a page with the name of another document',
      { path: 'docs/reference/removing.md', text: '### dead\n' },
      'docs/reference/removing.md: another document has that name too',
    ],
  ])('%s', (_, page, wrong) => {
    expect(readTargets([lives, guide, page]).wrong).toEqual([wrong]);
  });
});

describe('checking the citations of a text', () => {
  const { targets } = readTargets([lives, guide]);

  test.each([
    ['src/a.ts', '/** A life (lives.md#one-way). */'],
    ['src/a.ts', '// See docs/removing.md.'],
    ['src/a.test.ts', "write('docs/sample.md')"],
    [
      'src/a.ts',
      "import { bulk } from '../shared/bulk.ts'; // RFC 4253 §6.6, sqlite.org/fileformat2.html §4.1",
    ],
    ['src/a.ts', 'const facts = { seeds: 3, issue: 4 }; // npm run sim -- --seed 42'],
    ['docs/a.md', '[lives](reference/lives.md#one-way), [removing](removing.md#what-it-says-whole)'],
    ['docs/removing.md', '[below](#what-it-says-whole), [elsewhere](https://example.org/x.md#y)'],
  ])('the file %s may say: %s', (path, text) => {
    expect(wrongCitations({ path, text }, targets)).toEqual([]);
  });

  test.each([
    ['a rule that is not there', 'src/a.ts', 'lives.md#two-ways'],
    ['a page that is not there', 'src/a.ts', 'deaths.md#one-way'],
    ['a heading that is no rule', 'src/a.ts', 'lives.md#all-entities'],
    ['a rule in a block of code', 'src/a.ts', 'lives.md#no-rule'],
    ['a page without a rule', 'src/a.ts', 'lives.md#'],
    ['a rule by its path', 'src/a.ts', 'docs/reference/lives.md#one-way'],
    ['a document that is not there', 'src/a.ts', '// See docs/reference/deaths.md.'],
    ['a link to a rule that is not there', 'docs/a.md', '[lives](reference/lives.md#two-ways)'],
    ['a link to a heading that is not there', 'docs/a.md', '[removing](removing.md#nothing)'],
    ['a link to no heading of its own page', 'docs/removing.md', '[below](#nothing)'],
    ['a document with facts', 'test/a.txt', 'facts: domain-facts, 1.0'],
    ['another one', 'docs/a.md', 'as wire-facts says'],
    ['notes about charms', 'src/a.ts', 'charm-environment'],
    ['notes about speed', 'bench/a.ts', 'performance-reliability G1'],
    ['a seed', 'src/a.ts', '(seeds/003)'],
    ['the seeds in words', 'src/a.test.ts', 'the order of the seed texts'],
    ['an issue', 'src/a.ts', '(issue 4)'],
    ['an issue with a sign', 'scripts/a.sh', '# see issue #12'],
    ['an issue elsewhere', 'src/a.ts', 'example.org/a/b/issues/12'],
    ['an issue in words', 'src/a.ts', "written from the issue's text"],
    ['a part of an issue', 'src/a.ts', 'part 2 of the issue'],
    ['a section', 'src/a.ts', 'design §4'],
    ['a section alone', 'src/a.test.ts', "'satisfied (§3)'"],
    ['a folder that is elsewhere', 'src/a.ts', '/work/shared/notes'],
    ['material beside the repository', 'docs/a.md', '`../shared/api`'],
    ['a design that is elsewhere', 'docs/a.md', 'as house.md says'],
  ])('a text may not cite %s', (_, path, text) => {
    const wrong = wrongCitations({ path, text: `first line\n${text}\n` }, targets);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(new RegExp(`^${path}:2: `));
  });
});
