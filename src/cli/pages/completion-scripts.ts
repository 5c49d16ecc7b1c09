/** Scripts by which shells complete command lines: each asks the hidden command `__complete`. */

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

const fish = `# grigri completion for fish: grigri completion fish | source
function __grigri_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates ($words[1] __complete -- $words[2..-1] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c grigri -f -a '(__grigri_complete)'
`;

export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = { bash, zsh, fish };
