import { expect, test } from 'vitest';
import { formatSection, formatSections } from './tabwriter.ts';

test('columns are as wide as their widest cell, two spaces apart; the last is not padded', () => {
  expect(
    formatSection({
      rows: [
        ['App', 'Message'],
        ['wordpress', 'x'],
        ['a', ''],
      ],
    }),
  ).toBe('App        Message\nwordpress  x\na          \n');
});

test('a column aligned right is padded on the left, header included', () => {
  expect(
    formatSection({
      rows: [
        ['S', 'Scale', 'Charm'],
        ['a', '1', 'x'],
        ['b', '10000000', 'y'],
      ],
      right: [1],
    }),
  ).toBe('S     Scale  Charm\na         1  x\nb  10000000  y\n');
});

test('the last cell of a row does not widen its column', () => {
  expect(formatSection({ rows: [['a', 'b'], ['a much longer only cell']] })).toBe(
    'a  b\na much longer only cell\n',
  );
});

test('sections are aligned separately with an empty line between them, and empty sections are omitted', () => {
  expect(formatSections([{ rows: [['aaa', 'b']] }, { rows: [] }, { rows: [['c', 'd']] }])).toBe(
    'aaa  b\n\nc  d\n',
  );
});

test('styles do not count as width of a cell', () => {
  expect(
    formatSection({
      rows: [
        [{ text: 'ok', style: (t) => `<${t}>` }, 'x'],
        ['long', 'y'],
      ],
    }),
  ).toBe('<ok>    x\nlong  y\n');
});
