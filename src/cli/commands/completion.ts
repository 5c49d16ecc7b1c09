import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';

const bash = `# grigri completion for bash: source <(grigri completion bash)
_grigri() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]}
  local line=\${COMP_LINE:0:COMP_POINT} words
  # bash splits words at = and :, which names of ours contain: the line is split anew.
  IFS=' ' read -r -a words <<<"$line"
  [[ $line == *' ' ]] && words+=('')
  IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" __complete -- "\${words[@]:1}" 2>/dev/null))
  local last=\${words[\${#words[@]}-1]}
  local prefix=\${last%"$cur"}
  [[ -n $prefix && $cur != "$last" ]] && COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=:/] ]] && compopt -o nospace
  return 0
}
complete -o default -F _grigri grigri
`;

const zsh = `#compdef grigri
# grigri completion for zsh: source <(grigri completion zsh)
_grigri() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  (( \${#candidates} )) && [[ -n \${candidates[1]} ]] && compadd -a candidates || _files
}
compdef _grigri grigri
`;

export const completion = command({
  name: 'completion',
  summary: 'Prints a script that completes command lines in a shell.',
  usage: '<bash|zsh>',
  details: 'Commands, flags, applications, units, machines, models and controllers are completed.',
  examples: ['completion bash > /etc/bash_completion.d/grigri', 'completion zsh'],
  completes: [['bash', 'zsh']],
  async run(context, _flags, args) {
    const [shell, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('the shell must be bash or zsh');
    await context.write(shell === 'bash' ? bash : zsh);
  },
});
