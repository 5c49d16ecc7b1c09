/** Restarts of agents from the controller's host. */
import { run } from './run.ts';

/** Kills the agent where it runs; a plain machine names its folder in its environment. Argument: the machine's id. */
const killScript = `dir=\${GRIGRI_INSTANCE:+$GRIGRI_INSTANCE/data}
words="machine --data-dir \${dir:-/var/lib/juju} --machine $1 "
for file in /proc/[0-9]*/cmdline; do
  line=$({ tr '\\0' ' ' <"$file"; } 2>/dev/null) || continue
  case "$line " in
    *"/agent.mjs $words"*) pid=\${file#/proc/}; kill -9 "\${pid%/cmdline}" ;;
  esac
done
`;

/** Ends the agent's process, which the machine's first process starts again. `enter`: argv that enters the machine. */
export async function restartAgent(enter: readonly string[], machineId: string): Promise<void> {
  const [program = 'env', ...args] = enter;
  await run([program, ...args, 'sh', '-c', killScript, 'sh', machineId]);
}
