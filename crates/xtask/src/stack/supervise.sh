# Runs a server as long as the pipe on standard input is open, and starts it again when it ends by itself. The pipe
# closes with the process that holds its other end, however that ends; then the server is stopped, and so is this.
signal=$1
shift
exec 3<&0
ending=
child=
trap 'ending=1; [ -n "$child" ] && kill -s "$signal" "$child" 2>/dev/null' TERM
( trap - TERM; cat <&3 >/dev/null; kill -s TERM $$ ) &
while [ -z "$ending" ]; do
  "$@" 3<&- </dev/null &
  child=$!
  [ -n "$ending" ] && kill -s "$signal" "$child"
  wait "$child"
  [ -n "$ending" ] || sleep 0.2
done
# A signal ends `wait` too: only now has the server ended.
while kill -0 "$child" 2>/dev/null; do wait "$child"; done
