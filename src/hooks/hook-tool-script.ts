/**
 * The hook tools' program (hook-tools.md#tool-program): one file under all their names, which sends its arguments to
 * the unit's agent and carries out the answer (socket.ts has the protocol). It uses perl without modules.
 */
export const hookToolScript = String.raw`#!/usr/bin/perl
($tool) = $0 =~ m{([^/]*)$};
sub fail { print STDERR "ERROR $_[0]\n"; exit 1 }
sub take {
  my ($count, $bytes) = ($_[0], '');
  while (length $bytes < $count) {
    my $got = sysread S, $bytes, $count - length $bytes, length $bytes;
    next if !defined $got && $! == 4;
    $got or fail('the unit agent closed the connection');
  }
  $bytes;
}
sub put {
  my ($to, $bytes, $done) = (@_, 0);
  while ($done < length $bytes) {
    my $wrote = syswrite $to, $bytes, length($bytes) - $done, $done;
    defined $wrote or fail("cannot write: $!");
    $done += $wrote;
  }
}
$id = $ENV{JUJU_CONTEXT_ID};
$address = $ENV{JUJU_AGENT_SOCKET_ADDRESS};
if (!length $id || !length $address) {
  $unit = $0 =~ m{/unit-([^/]+)-(\d+)/[^/]*$} ? "$1/$2" : '<unit>';
  fail("$tool runs only in the context of a unit; on this machine: juju-exec -u $unit $tool; from a client: exec --unit $unit $tool");
}
socket(S, 1, 1, 0) && connect(S, pack 'Sa108', 1, $address) or fail("cannot reach the unit agent: $!");
$request = join "\0", $id, $tool, @ARGV;
put(S, pack('N', length $request) . $request);
for (;;) {
  ($kind, $length) = unpack 'aN', take(5);
  $payload = take($length);
  if ($kind eq 'o') { put(STDOUT, $payload) }
  elsif ($kind eq 'e') { put(STDERR, $payload) }
  elsif ($kind eq 'x') { exit ord $payload }
  elsif ($kind eq 'r') {
    ($kind, $content) = ('d', '');
    if ($payload eq '-') { *F = *STDIN } elsif (!open F, '<', $payload) { ($kind, $content) = ('f', "$!") }
    if ($kind eq 'd') {
      1 while $got = sysread F, $content, 65536, length $content;
      ($kind, $content) = ('f', "$!") unless defined $got;
    }
    put(S, pack('aN', $kind, length $content) . $content);
  }
  elsif ($kind eq 'w') {
    ($path, $content) = split /\0/, $payload, 2;
    open F, '>', $path or fail("cannot write $path: $!");
    put(F, $content);
    close F or fail("cannot write $path: $!");
  }
  else { fail('the unit agent answers in an unknown format') }
}
`;

/** Returns the same program as hookToolScript for machines without perl; `node` is the path of the agent's own Node. */
export function nodeHookToolScript(node: string): string {
  return `#!${node}
const fs = require('node:fs');
const tool = require('node:path').basename(process.argv[1]);
const fail = (message) => {
  fs.writeSync(2, 'ERROR ' + message + '\\n');
  process.exit(1);
};
const { JUJU_CONTEXT_ID: id, JUJU_AGENT_SOCKET_ADDRESS: address } = process.env;
if (!id || !address) {
  const found = /\\/unit-([^/]+)-(\\d+)\\/[^/]*$/.exec(process.argv[1]);
  const unit = found ? found[1] + '/' + found[2] : '<unit>';
  fail(tool + ' runs only in the context of a unit; on this machine: juju-exec -u ' + unit + ' ' + tool + '; from a client: exec --unit ' + unit + ' ' + tool);
}
const put = (fd, bytes) => {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fs.writeSync(fd, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') fail('cannot write: ' + error.message);
    }
  }
};
const frame = (kind, content) => {
  const head = Buffer.from(kind + '0000');
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
};
const act = {
  o: (payload) => put(1, payload),
  e: (payload) => put(2, payload),
  x: (payload) => process.exit(payload[0]),
  r: (payload) => {
    const path = payload.toString();
    try {
      socket.write(frame('d', fs.readFileSync(path === '-' ? 0 : path)));
    } catch (error) {
      socket.write(frame('f', Buffer.from(error.message)));
    }
  },
  w: (payload) => {
    const at = payload.indexOf(0);
    const path = payload.toString('utf8', 0, at);
    try {
      fs.writeFileSync(path, payload.subarray(at + 1));
    } catch (error) {
      fail('cannot write ' + path + ': ' + error.message);
    }
  },
};
const socket = require('node:net').connect(address, () => {
  const request = Buffer.from([id, tool, ...process.argv.slice(2)].join('\\0'));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(request.length);
  socket.write(Buffer.concat([head, request]));
});
let rest = Buffer.alloc(0);
socket.on('error', (error) => fail('cannot reach the unit agent: ' + error.message));
socket.on('close', () => fail('the unit agent closed the connection'));
socket.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    if (rest.length < 5) return;
    const end = 5 + rest.readUInt32BE(1);
    if (rest.length < end) return;
    const kind = String.fromCharCode(rest[0]);
    const payload = rest.subarray(5, end);
    rest = rest.subarray(end);
    if (!Object.hasOwn(act, kind)) fail('the unit agent answers in an unknown format');
    act[kind](payload);
  }
});
`;
}
