#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Does every subcommand of the program run to its end, verify what it measured, refuse what is wrong, and write
# what others can read? In a second or so each: the figures are nobody's concern here.

. "$(dirname "$0")/lib.sh"
cd "$WORK" || exit 1
plait=$BUILD/plait

ends_with() { # exit code, command...
    wanted=$1
    shift
    "$@"
    got=$?
    [ $got -eq "$wanted" ] || { echo "exit code $got"; return 1; }
}
works() { # what, arguments...
    what=$1
    shift
    check "plait $what" ends_with 0 "$plait" $what "$@"
}
refused() { # arguments
    check "plait $* is refused" ends_with 2 "$plait" "$@"
}

works "bench" --time 3 --size 64 --html page.html --svg plots
check "a page and plots" sh -c 'grep -q "</html>" page.html && ls plots/*.svg'
works "bench cipher" --count 3 --slice 0.2 --size 256 --no-peers
works "bench poly1305" --count 2 --slice 0.2 --size 64 --no-peers
works "bench aesmain" --iterations 200 --warm-up 20
works "bench aesmain" --iterations 200 --warm-up 20 --msg-size 10000 --key-size 256 --check-output
works "bench peers" --time 2 --size 64,1350 --work chacha20,aes-128-gcm
works "bench peers" --time 2 --size 64 --batch 32 --no-peers
works "bench peers" --time 2 --size 64 --fresh --no-peers
works "bench compare" chacha20_ref plait --work chacha20 --size 64 --time 1
# the answer is timing's concern, that there is one is ours
check "plait bench compare --lib --lib" sh -c "'$plait' bench compare --lib '$BUILD/libplait.so.0' \
    --lib '$BUILD/libplait.so.0' --work poly1305 --size 64 --time 1 | grep '^B is slower in ., faster in ., not known in . of 1'"
works "bench limits" --time 2
check "plait bench promise" sh -c "'$plait' bench promise --runs 1 --self-runs 1 --time 0.5 --idle | grep -i 'promise is'"
works "bench save" --time 2 one.json
check "bench compare of two files" ends_with 0 "$plait" bench compare one.json one.json
works "tune" --time 2
works "kernels"
works "cpu"
works "selftest" --all
works "version"

if have python3; then
    for command in "kernels" "cpu" "selftest" "version" "bench --time 1 --size 64 --no-peers" \
        "bench peers --time 1 --size 64 --no-peers" "bench limits --time 1"; do
        check "plait $command, as JSON" sh -c "'$plait' $command --format json | python3 -m json.tool"
    done
else skip "JSON" "no python3"; fi

refused bench nosuch
refused bench --size
refused bench --size 12x
refused bench --kernel nosuch
refused bench compare plait nosuch
refused bench save
refused bench --html "$WORK/no/page.html"
refused bench --svg "$WORK/one.json"
cp one.json kept.json
refused bench save --cpu 4095 one.json
check "and the file that was there is as it was" cmp one.json kept.json
if [ -e /dev/full ]; then
    check "output that can not be written is an error" ends_with 1 sh -c "'$plait' --help >/dev/full"
fi
finish
