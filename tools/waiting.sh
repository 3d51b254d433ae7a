# Sourced by tools/setup and tools/build: shows on a terminal that a long command is running.

# show_waiting LABEL: prints LABEL, the seconds so far and what waiting_detail prints, once a second,
# until it is killed or the script ends.
show_waiting() {
    second=0
    while kill -0 $$ 2> /dev/null; do
        printf '\r%-11s %d s   %s\033[K' "$1" "$second" "$(waiting_detail)" >&2
        second=$((second + 1))
        sleep 1
    done
}

# waiting LABEL COMMAND...: runs a command. On a terminal, shows that it is running. Returns its status.
waiting() {
    shown=
    if [ -t 2 ]; then
        show_waiting "$1" &
        shown=$!
    fi
    shift
    "$@"
    waited=$?
    if [ -n "$shown" ]; then
        kill "$shown"
        wait "$shown" 2> /dev/null
        printf '\r\033[K' >&2
    fi
    return $waited
}
