/** Steps that download the agent to the machine and keep it running; values are separate, as in install-parts.ts. */

/**
 * Requests to the controllers by curl, or by python3 where curl is missing. Both bypass proxies and accept only
 * certificates of the controller's authority. Status 22 = the server answered with an error, whose body is in `words`.
 */
export const requests = String.raw`
reach() {
  [ -n "$ADDRESSES" ] || return 0
  put "$WORK/ca.pem" 0644 "$CA_CERT"
  put "$WORK/curl" 0600 "$CURL_CONFIG"
  put "$WORK/request.py" 0644 "$REQUEST_PY"
}
credentials() {
  secret=$(sed -n 's/^apipassword: "\{0,1\}\([A-Za-z0-9_-]*\)"\{0,1\}$/\1/p' "$CONF")
  put "$WORK/login" 0600 "$TAG:$secret"
  put "$WORK/nonce" 0600 "$NONCE_HEADER"
  put "$WORK/curl-login" 0600 "user = \"$TAG:$secret\"
header = \"X-Juju-Nonce: $NONCE_HEADER\"
"
}
client() {
  if has curl; then echo curl; elif has python3; then echo python3; fi
}

# Sent to each address in turn until one takes it.
post() { # state message
  [ -n "$ADDRESSES" ] && [ -f "$WORK/curl-login" ] && [ -z "$DEAF" ] || return 1
  put "$WORK/message" 0600 "$2"
  for address in $ADDRESSES; do
    case $(client) in
      curl)
        curl -q -K "$WORK/curl" -K "$WORK/curl-login" --connect-to "juju-apiserver:443:$address" --connect-timeout 5 --max-time 20 -o /dev/null \
          --data-binary "@$WORK/message" -H 'Content-Type: text/plain' "https://juju-apiserver$BOOT_PATH?state=$1" ;;
      python3) python3 -I "$WORK/request.py" "$WORK" "$address" POST "$BOOT_PATH?state=$1" ;;
      *) return 1 ;;
    esac 2>/dev/null 9>&- && first "$address" && return 0
  done
  # Nobody waits for each of them again before one has answered.
  DEAF=yes
  return 1
}
# The one that answered comes first from now on.
first() {
  rest=
  for one in $ADDRESSES; do [ "$one" = "$1" ] || rest="$rest $one"; done
  ADDRESSES="$1$rest"
  DEAF=
}

# Goes on where it was cut off.
get() { # address
  case $(client) in
    curl)
      curl -q -K "$WORK/curl" --connect-to "juju-apiserver:443:$1" --speed-limit 1000 --speed-time 60 -C - \
        -D "$WORK/headers" -o "$WORK/bundle" "https://juju-apiserver$BUNDLE_PATH" 2>"$WORK/words"
      code=$?
      [ $code != 22 ] || curl -q -K "$WORK/curl" --no-fail --connect-to "juju-apiserver:443:$1" --max-time 20 \
        "https://juju-apiserver$BUNDLE_PATH" 2>/dev/null | head -c 2000 >"$WORK/words"
      return $code ;;
    python3) python3 -I "$WORK/request.py" "$WORK" "$1" GET "$BUNDLE_PATH" 2>"$WORK/words" ;;
    *) echo 'cannot download: neither curl nor python3 is installed' >"$WORK/words"; return 1 ;;
  esac 9>&-
}
`;

/** Program with the same requests that needs only python3's standard library. */
export const requestPython = String.raw`import http.client, os, socket, ssl, sys

work, address, method, path = sys.argv[1:5]
host, _, port = address.rpartition(':')
context = ssl.create_default_context(cafile=work + '/ca.pem')


class Pinned(http.client.HTTPSConnection):
    def connect(self):
        plain = socket.create_connection((host.strip('[]'), int(port)), 20)
        plain.settimeout(60)
        self.sock = context.wrap_socket(plain, server_hostname='juju-apiserver')


connection = Pinned('juju-apiserver')
try:
    if method == 'POST':
        import base64
        login = base64.b64encode(open(work + '/login', 'rb').read()).decode()
        headers = {'Authorization': 'Basic ' + login, 'X-Juju-Nonce': open(work + '/nonce').read(), 'Content-Type': 'text/plain'}
        connection.request('POST', path, open(work + '/message', 'rb').read(), headers)
        sys.exit(0 if connection.getresponse().status < 300 else 22)
    bundle = work + '/bundle'
    have = os.path.getsize(bundle) if os.path.exists(bundle) else 0
    connection.request('GET', path, headers={'Range': 'bytes=%d-' % have} if have else {})
    answer = connection.getresponse()
    if answer.status >= 300:
        print(answer.read(2000).decode(errors='replace'), file=sys.stderr)
        sys.exit(22)
    open(work + '/headers', 'w').write('x-sha256: ' + (answer.getheader('X-SHA256') or '') + '\n')
    with open(bundle, 'ab' if answer.status == 206 else 'wb') as file:
        while chunk := answer.read(1 << 16):
            file.write(chunk)
    if answer.length:
        raise OSError('the connection was cut')
except (OSError, http.client.HTTPException) as error:
    print(error, file=sys.stderr)
    sys.exit(1)
`;

/** Download and extraction: a file under its final name is complete and verified. */
export const download = String.raw`
fetch_agent() {
  dir=$JUJU/tools/$TOOLS
  [ -x "$dir/node" ] && [ -f "$dir/agent.mjs" ] && [ "$(cat "$dir/sha256" 2>/dev/null)" = "$SHA256" ] && return 0
  tell running 'downloading the agent'
  wait=2
  began=$(date +%s)
  worst=
  until fetch_once; do
    [ -z "$DOWNLOAD_SECONDS" ] || [ $(($(date +%s) - began)) -lt "$DOWNLOAD_SECONDS" ] ||
      fail "cannot download the agent: ${'$'}{worst:-$why}"
    say "next try in $wait s"
    sleep $wait
    wait=$((wait * 2))
    [ $wait -le 60 ] || wait=60
  done
  unpack
}

fetch_once() {
  for address in $ADDRESSES; do
    : >"$WORK/words"
    get "$address"
    code=$?
    if [ $code = 0 ]; then
      first "$address"
      is_right && return 0
      rm -f "$WORK/bundle"
      tell running 'the download of the agent is damaged, trying again'
      continue
    fi
    why=$(sed -e 's/.*"message":"\([^"]*\)".*/\1/' "$WORK/words" | tr '\n' ' ')
    [ -n "$why" ] || why="it ended with status $code"
    [ $code != 23 ] || why='it cannot be written: is the disk full?'
    # That nobody listens at one of the addresses says least.
    if [ $code = 23 ] || { [ $code != 7 ] && [ -z "$worst" ]; }; then worst=$why; fi
    # The controller spoke, so it can be told; what was there of the file may not be of this one.
    if [ $code = 22 ] || [ $code = 33 ]; then
      DEAF=
      rm -f "$WORK/bundle"
      tell running "cannot download the agent: $why"
    else
      say "$address: $why"
    fi
  done
  return 1
}

# As it was when the machine was asked for, or as the controller itself says that it is now.
is_right() {
  SUM=$(sha256sum <"$WORK/bundle" | cut -d ' ' -f 1)
  now=$(sed -n 's/^[Xx]-[Ss][Hh][Aa]256: *\([0-9a-f]*\).*/\1/p' "$WORK/headers" 2>/dev/null)
  [ "$SUM" = "$SHA256" ] || [ "$SUM" = "$now" ]
}

unpack() {
  tell running 'unpacking the agent'
  rm -rf "$dir.new"
  mkdir -p "$dir.new" && tar -xzf "$WORK/bundle" -C "$dir.new" || fail 'the agent cannot be unpacked: is the disk full?'
  words=$("$dir.new/node" --version 2>&1) || fail "the agent's runtime does not run on this machine: $words"
  printf '%s\n' "$SHA256" >"$dir.new/sha256"
  rm -rf "$dir" && mv "$dir.new" "$dir" && rm -f "$WORK/bundle" || fail "cannot write $dir"
  CHANGED=yes
}
`;

/** Steps that write agent.conf and the service. */
export const service = String.raw`
write_conf() {
  # The agent changes it: its password, the controllers' addresses.
  [ -s "$CONF" ] || put "$CONF" 0600 "$AGENT_CONF"
}

start_agent() {
  log=/var/log/juju/$TAG.log
  (umask 027 && : >>"$log")
  ln -sfn "$TOOLS" "$JUJU/tools/$TAG"
  put_changed /usr/sbin/remove-juju-services 0755 "$REMOVAL"
  tell running 'starting the agent'
  if [ -d /run/systemd/system ]; then start_by_systemd; else start_supervised; fi
}

start_by_systemd() {
  put_changed "/etc/systemd/system/$SERVICE.service" 0644 "$UNIT" && CHANGED=yes
  systemctl daemon-reload
  systemctl enable -q "$SERVICE.service" || fail "cannot enable $SERVICE.service"
  if [ -n "$CHANGED" ]; then systemctl restart "$SERVICE.service"; else systemctl start "$SERVICE.service"; fi ||
    fail "cannot start $SERVICE.service: see systemctl status $SERVICE"
}

start_supervised() {
  supervisor=$JUJU/init/$SERVICE/supervise
  put_changed "$supervisor" 0755 "$SUPERVISOR" && CHANGED=yes
  if has update-rc.d; then
    put_changed "/etc/init.d/$SERVICE" 0755 "$INIT_SCRIPT" && update-rc.d "$SERVICE" defaults >/dev/null
  elif [ -f /etc/rc.local ]; then
    if ! grep -qF "$supervisor start" /etc/rc.local; then
      { grep -v '^exit 0' /etc/rc.local; echo "$supervisor start"; echo 'exit 0'; } >"$WORK/rc.local"
      put /etc/rc.local 0755 "$(cat "$WORK/rc.local")
"
    fi
  elif [ -d /etc/cron.d ]; then
    put_changed "/etc/cron.d/$SERVICE" 0644 "@reboot root $supervisor start
"
  else
    tell running 'cannot start the agent at boot: no systemd, init.d, rc.local or cron'
  fi
  [ -z "$CHANGED" ] || "$supervisor" stop
  "$supervisor" start 9>&- || fail 'the agent cannot be started'
}
`;
