# The host on which the commands of a page run: its own /etc, /var/lib, /run, home and network; names of the pages are loopback.
set -u
ip link set lo up
# Interface 2 of the pages.
ip link add eth0 index 2 type veth peer name eth1 index 3
ip link set eth0 up
ip link set eth1 up
ip address add 192.0.2.1/24 dev eth0
# The device of a proxy.
ip address add 192.0.2.7/24 dev eth0
hostname router1 2>/dev/null || true
mkdir "$DIRECTORY/etc" "$DIRECTORY/home"
cp "$DIRECTORY/snmp.yml" "$DIRECTORY/home"
cp -r /etc/. "$DIRECTORY/etc" 2>/dev/null
rm -rf "$DIRECTORY/etc/varbind" "$DIRECTORY/etc/hosts"
echo '127.0.0.1 localhost router1 router2 collector front.example.net' >"$DIRECTORY/etc/hosts"
mount --bind "$DIRECTORY/etc" /etc
mount -t tmpfs none /var/lib
mount -t tmpfs none /run
export HOME=$DIRECTORY/home PATH="$PROGRAMS:$PATH" NO_COLOR=1
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME VARBIND_CERTIFICATE VARBIND_KEY VARBIND_TRUST
cd "$HOME" || exit 1
umask 077
export VARBIND_AUTH_PASSWORD='maple syrup' VARBIND_PRIV_PASSWORD='apple sauce'

# Waits until the last daemon has written as many lines that begin with "listening on" into a file.
wait_for_listeners() {
    local daemon=$!
    for _ in $(seq 600); do
        [ "$(grep -c '^listening on' "$1")" -ge "$2" ] && return
        kill -0 "$daemon" 2>/dev/null || break
        sleep 0.1
    done
    echo "not all $2 addresses are listened on: $(cat "$1")"
    exit 1
}

start_router1() {
    [ -e "$HOME/router1.log" ] && return
    touch "$HOME/router1.log"
    varbind agent --config "$DIRECTORY/router1.toml" >"$HOME/router1.log" 2>&1 &
    wait_for_listeners "$HOME/router1.log" 5
}

# Numbers as the pages compare them: as they are, or each as 0.
with_numbers() {
    if [ "$1" = any ]; then sed -E 's/[0-9]+(\.[0-9]+)?/0/g'; else cat; fi
}

# run_documented STATUS NUMBERS PLACE COMMAND SHOWN-LINE...
run_documented() {
    local status=$1 numbers=$2 place=$3 command=$4 log=$HOME/.output
    shift 4
    local bare=${command%%#*}
    bare=${bare%"${bare##*[![:space:]]}"}
    case $bare in
    'varbind agent' | 'varbind agent --config '* | 'varbind agent --front '* | 'varbind receive'* | 'varbind simulate '* | \
        'varbind collect '*)
        command=${bare%&}
        log=$(mktemp "$HOME/.daemon.XXXXXX")
        local listeners=1
        if [[ "$bare" = 'varbind agent'* ]]; then
            listeners=$(varbind agent --check /etc/varbind/agent.toml | sed -n 's/^listens on //p' | tr ',' '\n' | wc -l)
        fi
        eval "$command" >"$log" 2>&1 &
        wait_for_listeners "$log" "$listeners"
        ;;
    *)
        eval "$command" >"$log" 2>&1
        local ended=$?
        if [ "$ended" -ne "$status" ]; then
            echo "$place: $command: exit code $ended instead of $status"
            cat "$log"
            exit 1
        fi
        ;;
    esac
    for line in "$@"; do
        if ! with_numbers "$numbers" <"$log" | grep -qxF -- "$(with_numbers "$numbers" <<<"$line")"; then
            echo "$place: $command: no line $line in"
            cat "$log"
            exit 1
        fi
    done
}
