#!/bin/sh
# The name by which the script was called is that of the hook, as in old charms.
set -eu
hook=${0##*/}
juju-log "visitor runs $hook"

look() {
  seen=
  for id in $(relation-ids site); do
    for unit in $(relation-list -r "$id"); do
      host=$(relation-get -r "$id" hostname "$unit")
      [ -n "$host" ] || continue
      seen="$seen $unit=$host:$(relation-get -r "$id" port "$unit")"
    done
  done
  if [ -n "$seen" ]; then status-set active "sees$seen"; else status-set blocked 'sees nothing'; fi
}

case $hook in
  install) status-set maintenance 'getting ready' ;;
  start | upgrade-charm) look ;;
  site-relation-departed)
    # The unit that leaves is no longer listed, and its data can still be read.
    test "$JUJU_DEPARTING_UNIT" = "$JUJU_REMOTE_UNIT" || test "$JUJU_DEPARTING_UNIT" = "$JUJU_UNIT_NAME"
    relation-get - "$JUJU_REMOTE_UNIT" >/dev/null
    look
    ;;
  site-relation-*) look ;;
esac
