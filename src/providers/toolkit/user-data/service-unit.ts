/**
 * Renders a systemd unit of a service that always runs, and whose children outlive it. `target`: the unit that it
 * starts after, pulled in when `wants`; `environment`: `NAME=value` entries; `logFile`: absolute path of both output
 * streams.
 */
export function serviceUnit({
  description,
  target,
  wants = false,
  command,
  environment = [],
  logFile,
}: {
  readonly description: string;
  readonly target: string;
  readonly wants?: boolean;
  readonly command: readonly string[];
  readonly environment?: readonly string[];
  readonly logFile: string;
}): string {
  return `[Unit]
Description=${description}
${wants ? `Wants=${target}\n` : ''}After=${target}
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(quote).join(' ')}
${environment.map((variable) => `Environment=${variable}\n`).join('')}Restart=always
RestartSec=1
KillMode=process
LimitNOFILE=64000
StandardOutput=append:${logFile}
StandardError=append:${logFile}

[Install]
WantedBy=multi-user.target
`;
}

/** Quotes a word for systemd, which expands % and $ also within quotes. */
function quote(word: string): string {
  return `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
