# Completion of memtui in bash. Save it as ~/.local/share/bash-completion/completions/memtui, or put this into ~/.bashrc:
#   source <(memtui completion bash)
_memtui() {
    local line answer program=${COMP_WORDS[0]}
    # An alias is no program.
    type -P -- "$program" >/dev/null || program=memtui
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $answer ]]; then
            answer=$line
            continue
        fi
        # A word of which more follows gets no blank.
        [[ ${line:0:1} == - ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("${line:1}")
    done < <("$program" completion answer bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "$COMP_TYPE" 2>/dev/null)
    case $answer in
        words) compopt -o nosort 2>/dev/null ;;
        files) compopt -o default 2>/dev/null ;;
        folders) compopt -o dirnames 2>/dev/null ;;
    esac
}
complete -F _memtui memtui
