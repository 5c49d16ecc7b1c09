#!/bin/sh
# Plans an environment of the shop, and applies the plan: deploy.sh plan|apply staging|production
# Exit codes: 0 done, or nothing to do; 1 an error; 3 a person has to decide (FORCE=1: somebody has).
set -eu
cd "$(dirname "$0")/.."
action=$1 environment=$2
set -- model.yaml --overlay "environments/$environment.yaml" --var-file "environments/$environment.vars.yaml" --prune
code=0
grigri plan "$@" --detailed-exitcode --format json >plan.json || code=$?
case $code in
0) echo "nothing to change" && exit 0 ;;
2) grigri plan "$@" ;;
*) exit 1 ;;
esac
verdict=0
risky=$(jq -er -f ci/judge.jq plan.json) || verdict=$?
case $verdict in
0) [ "${FORCE:-}" = 1 ] || { echo "a person has to decide:" "$risky" >&2 && exit 3; } ;;
4) ;; # jq printed nothing
*) echo "the plan could not be judged: jq ended with $verdict" >&2 && exit 1 ;;
esac
[ "$action" = plan ] || grigri apply "$@" --no-prompt --parallel 8 --wait active --timeout 20m
