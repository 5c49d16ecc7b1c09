import { expect, test } from 'vitest';
import { failureHint } from './failure-hint.ts';

test.each([
  ['/var/lib/juju/agents/unit-a-0/charm/hooks/install: line 4: snap: command not found', 'no snapd'],
  ['hooks/install: 4: snap: not found', 'no snapd'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'snap'", 'no snapd'],
  ["FileNotFoundError: [Errno 2] No such file or directory: '/usr/bin/snap'\r", 'no snapd'],
  ['exec: "snap": executable file not found in $PATH', 'no snapd'],
  ['RuntimeError: This module is not supported on Debian GNU/Linux.', 'ubuntu@24.04'],
  ['error: snap "nope" not found', undefined],
  ['oh-snap: command not found here', undefined],
  ["No such file or directory: '/srv/snap.txt'", undefined],
])('the hint for %j says %s', (line, part) => {
  const hint = failureHint(line);
  if (part === undefined) expect(hint).toBeUndefined();
  else expect(hint).toContain(part);
});
