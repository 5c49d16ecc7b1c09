# Keeps a daemon of this charm: service_start PIDFILE LOG COMMAND…, service_stop PIDFILE, service_reload PIDFILE.
service_running() { [ -s "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null; }
service_start() {
  pidfile=$1 log=$2; shift 2
  service_running "$pidfile" && return 0
  setsid "$@" >>"$log" 2>&1 </dev/null &
  echo $! >"$pidfile"
}
service_reload() { service_running "$1" && kill -HUP "$(cat "$1")"; }
service_stop() {
  service_running "$1" && kill "$(cat "$1")"
  rm -f "$1"
}
