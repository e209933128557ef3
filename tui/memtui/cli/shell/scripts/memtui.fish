# Completion of memtui in fish. Save it as ~/.config/fish/completions/memtui.fish:
#   memtui completion fish > ~/.config/fish/completions/memtui.fish
function __memtui_answer
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # Without its quotes, also if the last one is not closed yet.
    set -l text (string unescape -- $typed; or string unescape -- $typed\"; or string unescape -- $typed\'; or echo $typed)
    set -l lines ($words[1] completion answer fish $words "$text" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $typed
        case folders
            __fish_complete_directories $typed
        case words
            for line in $lines[2..-1]
                string sub -s 2 -- $line
            end
    end
end
complete -c memtui -f -k -a '(__memtui_answer)'
