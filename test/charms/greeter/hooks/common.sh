# Functions that the hooks source.
settings=/etc/greeter/settings

write_settings() {
  mkdir -p "${settings%/*}"
  printf 'whom=%s\nport=%s\n' "$(config-get whom)" "$(config-get port)" >"$settings.new"
  mv "$settings.new" "$settings"
}

# Opens the port, and closes the previous one.
set_port() {
  local new old
  new=$(config-get port)
  old=$(state-get port)
  [ -z "$old" ] || [ "$old" = "$new" ] || close-port "$old/tcp"
  open-port "$new/tcp"
  state-set port="$new"
}

tell_visitors() {
  local id
  for id in $(relation-ids website); do
    relation-set -r "$id" hostname="$(network-get --ingress-address -r "$id" website)" port="$(config-get port)"
  done
}

report() {
  status-set active "$(hello -g "hello, $(config-get whom)") at $(config-get port)"
}
