/**
 * Shell scripts that create a machine, as text because the controller ships as one bundle. All values are passed by
 * environment and arguments, never by interpolation.
 */

/** Script that moves its shell into the cgroups given before `--`, then becomes the command after it. */
export const joinScript = `while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit; shift; done; shift; exec "$@"`;

/**
 * Script that joins the cgroups of a running machine where possible. A machine's systemd may have made groups of its
 * own, and cgroup v2 then forbids joining the outermost; entering the machine matters more than its limits.
 */
export const joinIfPossibleScript = `while [ "$1" != -- ]; do { echo $$ >"$1/cgroup.procs"; } 2>/dev/null || :; shift; done; shift; exec "$@"`;

/** Capabilities removed from the machine's root, because they affect the host's kernel. */
const droppedCapabilities =
  '-sys_module,-sys_rawio,-sys_time,-sys_boot,-mknod,-mac_admin,-mac_override,-audit_control,-syslog';
export const setprivOptions: readonly string[] = [`--bounding-set=${droppedCapabilities}`];

/**
 * Script that claims the machine's folder for the shell that runs it: link(2) succeeds for one shell only, the others
 * exit. Pids are read from the host's /proc, so they are the host's.
 */
const claim = `umask 022
cd "$FOLDER"
claim() {
  read -r pid rest </proc/self/stat
  set -- $(cat "/proc/$pid/stat")
  echo "$pid \${22} $(cat /proc/sys/kernel/random/boot_id)" >"pid.$pid"
  ln -T "pid.$pid" pid 2>/dev/null || { rm -f "pid.$pid"; echo 'another start is under way' >&2; exit 1; }
  rm -f "pid.$pid"
}
claim`;

/**
 * First process in the machine's new namespaces: mounts the machine's root and changes to it. Environment: FOLDER (the
 * machine's), VOLUMES (folder of the model's volumes, or ''), NAME, TOOLS, TOOLS_AT, DATA_DIR, LOWER (the root file
 * system below the machine's own), LOWERS (space-separated mount points in LOWER that get overlays too), OVERLAY
 * (options of overlay mounts, or ''), IMAGES (folder of other root file systems, or ''), INIT (minimal | systemd),
 * AGENT_UNIT (its name), HIDDEN (one path per line), OWN_NETWORK (or ''), CONTAINERS (or '': the machine cannot have
 * any). The contents of FOLDER/files are copied over the root. Host keys of the files below are not those of a machine
 * with an ssh server of its own.
 *
 * A directory created where the upper layer has a whiteout is opaque, which makes /home, /root and /tmp the machine's
 * own. Containers start from /run/grigri/lower and images, as the machine itself did; they share the machine's devices,
 * because its root may not create any.
 */
export const machineScript = `set -eu
${claim}
mount --make-rprivate /
mkdir -p upper work merged data log
rm -rf upper/tmp
for name in home root tmp; do [ -e upper/$name ] || mknod upper/$name c 0 0; done
mount -t overlay grigri -o "lowerdir=$LOWER,upperdir=upper,workdir=work$OVERLAY" merged
for below in $LOWERS; do
  layer=layers/$(echo "$below" | tr / _)
  mkdir -p "$layer/upper" "$layer/work"
  mount -t overlay grigri -o "lowerdir=$LOWER$below,upperdir=$layer/upper,workdir=$layer/work$OVERLAY" "merged$below"
done
folder=$PWD
cd merged
[ -d home ] || mkdir home
[ -d root ] || mkdir -m 700 root
mkdir -m 1777 tmp; chmod 1777 tmp
mkdir -p proc sys dev run mnt media
hostname "$NAME"
mount -t proc -o nosuid,nodev,noexec proc proc
for path in sys irq bus sysrq-trigger; do
  [ ! -e proc/$path ] || mount -o bind,ro,nosuid,nodev,noexec proc/$path proc/$path
done
if [ -n "$OWN_NETWORK" ]; then mount --bind proc/sys/net proc/sys/net; mount -o remount,bind,rw proc/sys/net; fi
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup 2>/dev/null || :
mount -t tmpfs -o mode=755,nosuid tmpfs dev
devices=
for device in null zero full random urandom tty fuse net/tun; do
  [ ! -e /dev/$device ] || devices="$devices $device"
done
if ! (cd /dev; cp -a --parents $devices "$folder/merged/dev") 2>/dev/null; then
  mkdir -p dev/net
  for device in $devices; do : >dev/$device; mount --bind /dev/$device dev/$device; done
fi
ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr; ln -s pts/ptmx dev/ptmx
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs dev/shm
mount -t tmpfs -o mode=755,nosuid tmpfs run
hide() {
  while read -r path; do
    if [ -n "$path" ] && [ -d "$1$path" ]; then mount -t tmpfs -o size=4k,mode=700,ro tmpfs "$1$path"; fi
  done
}
echo "$HIDDEN" | hide .
if [ -n "$CONTAINERS" ]; then
  mkdir -p run/grigri/lower run/grigri/images
  mount -o bind,ro "$LOWER" run/grigri/lower
  for below in $LOWERS; do mount -o bind,ro "$LOWER$below" "run/grigri/lower$below"; done
  [ -z "$IMAGES" ] || mount -o bind,ro "$IMAGES" run/grigri/images
  printf '%s\\n' "$HIDDEN" >run/grigri/hidden
  printf '%s\\n' /home /root /tmp "$HIDDEN" | hide run/grigri/lower
fi
mkdir -p run/lock run/sshd ".$TOOLS_AT" ".$DATA_DIR" var/log/juju
mount --bind "$folder/data" ".$DATA_DIR"
if [ -n "$VOLUMES" ]; then
  mkdir -p ".$DATA_DIR/storage/volumes"
  mount --bind "$VOLUMES" ".$DATA_DIR/storage/volumes"
fi
mount --bind "$folder/log" var/log/juju
mount -o bind,ro "$TOOLS" ".$TOOLS_AT"
if [ "$INIT" = systemd ] && [ ! -e "$folder/units-hidden" ]; then
  rm -rf etc/systemd/system; mkdir -p etc/systemd/system; : >"$folder/units-hidden"
fi
rm -f usr/sbin/policy-rc.d
cp -r --remove-destination "$folder/files/." .
if [ -e run/grigri/ssh-server ] && [ ! -e "$folder/host-keys-hidden" ]; then
  rm -f etc/ssh/ssh_host_*_key etc/ssh/ssh_host_*_key.pub; : >"$folder/host-keys-hidden"
fi
if [ "$INIT" = systemd ]; then
  mkdir -p etc/systemd/system/multi-user.target.wants
  ln -sf "../$AGENT_UNIT" etc/systemd/system/multi-user.target.wants/
fi
mount --bind run/boot-id proc/sys/kernel/random/boot_id
exec 3>"$folder/ready" 4>>"$folder/log/console.log"
mkdir run/host
pivot_root . run/host
cd /
umount -l run/host; rmdir run/host
echo ready >&3
exec </dev/null >&4 2>&4 3>&- 4>&-
exec "$@"
`;

/**
 * First process of a machine without systemd: reaps orphans (a waiting shell reaps any child) and keeps the agent
 * running, and beside it the ssh server of a machine that has a script for it. SIGTERM is a reboot: all other processes
 * end, and the agent starts again under a new boot id. Arguments: log file; boot id file, or '' where kill -1 would
 * reach beyond the machine's processes, so that SIGTERM just ends it; the agent's command.
 */
export const initScript = `log=$1 boot=$2; shift 2
rebooting=
ssh_server() {
  server=/run/grigri/ssh-server
  [ -n "$boot" ] && [ -e $server ] || return 0
  sh $server keys </dev/null >>"$log" 2>&1
  sh $server run </dev/null >>"$log" 2>&1 &
}
ssh_server
[ -z "$boot" ] || trap 'rebooting=1; kill -s KILL -- -1' TERM
while :; do
  "$@" </dev/null >>"$log" 2>&1 &
  wait $!
  if [ -n "$rebooting" ]; then
    rebooting=; cat /proc/sys/kernel/random/uuid >"$boot"; ssh_server
  else
    sleep 1
  fi
done`;

/**
 * Script of the ssh server on a machine without systemd. `keys` makes the host keys that are missing, so that the agent
 * finds them to report; `run` keeps the server running, once it is installed.
 */
export const sshServerScript = `PATH=/usr/sbin:/usr/bin:/sbin:/bin
make_keys() { [ ! -x /usr/sbin/sshd ] || ssh-keygen -A >/dev/null; }
if [ "$1" = keys ]; then make_keys; exit; fi
while :; do
  [ ! -x /usr/sbin/sshd ] || { mkdir -p /run/sshd; make_keys; /usr/sbin/sshd -D; }
  sleep 5
done
`;

/**
 * Script of `reboot` and `shutdown` on machines without systemd: a machine can only be rebooted, since the provider
 * stops it.
 */
export const rebootCommand = `#!/bin/sh
case \${0##*/}:" $* " in
  shutdown:*" -c "*) exit 0;;
  shutdown:*" -r "* | reboot:*) ;;
  *) echo "\${0##*/}: only reboot is possible here; remove the machine to stop it" >&2; exit 1;;
esac
kill -s TERM 1
`;

/**
 * First process of a machine that is only a process tree: claims its folder, then becomes its arguments. Environment:
 * FOLDER.
 */
export const plainScript = `set -eu
${claim}
echo ready >ready
exec "$@"
`;
