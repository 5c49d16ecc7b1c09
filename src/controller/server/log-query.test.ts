import { describe, expect, it } from 'vitest';
import { parseLogQuery, type LogQuery } from './log-query.ts';

const parse = (query: string): LogQuery => parseLogQuery(new URLSearchParams(query));
const line = (tag: string, sev = 'INFO', mod = 'juju.worker.uniter', ts = '2026-01-01T00:00:00Z') => ({
  ts,
  tag,
  sev,
  mod,
  loc: '',
  msg: '',
});

describe('lines', () => {
  it.each([
    ['', line('unit-a-0'), true],
    ['includeEntity=unit-a-0', line('unit-a-0'), true],
    ['includeEntity=unit-a-0', line('unit-a-01'), false],
    ['includeEntity=unit-a-*', line('unit-a-1'), true],
    ['includeEntity=unit-a-*', line('unit-b-1'), false],
    ['includeEntity=*-0', line('machine-0'), true],
    ['includeEntity=u*-a-*', line('unit-a-1'), true],
    ['includeEntity=a*a', line('a'), false],
    ['includeEntity=unit-a-0&includeEntity=machine-0', line('machine-0'), true],
    ['excludeEntity=unit-a-*', line('unit-a-1'), false],
    ['includeEntity=unit-a-*&excludeEntity=unit-a-1', line('unit-a-1'), false],
    ['includeModule=juju.worker', line('x'), true],
    ['includeModule=juju.work', line('x'), false],
    ['excludeModule=juju', line('x'), false],
    ['level=WARNING', line('x', 'INFO'), false],
    ['level=warning', line('x', 'ERROR'), true],
    ['level=INFO', line('x', 'INFO'), true],
    ['includeLabel=http', line('x'), false],
    ['excludeLabel=http', line('x'), true],
    ['startTime=2026-01-01T00:00:00.5Z', line('x'), false],
    ['startTime=2026-01-01T01:00:00%2B01:00', line('x'), true],
  ])('%s: %j is %s', (query, one, expected) => expect(parse(query).matches(one)).toBe(expected));
});

it.each([
  ['', { fromStart: false, lines: 0, tail: true }],
  ['backlog=10', { fromStart: false, lines: 10, tail: true }],
  ['maxLines=5&noTail=true&backlog=10', { fromStart: false, lines: 5, tail: false }],
  ['replay=true', { fromStart: true, lines: Infinity, tail: true }],
  ['replay=true&maxLines=3&noTail=true', { fromStart: true, lines: 3, tail: false }],
])('%s asks for %j', (query, expected) => expect(parse(query)).toMatchObject(expected));

it.each(['level=LOUD', 'maxLines=-1', 'backlog=x', 'replay=maybe', 'noTail=2', 'startTime=yesterday'])(
  '%s is a bad request',
  (query) => expect(() => parse(query)).toThrow(expect.objectContaining({ code: 'bad request' })),
);
