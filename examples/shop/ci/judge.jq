# Tells what nobody may change without a person who looks at it: replacements, removals of what holds data, and refused plans.
# Input: a plan as JSON. Output: a line for each; with `jq -e` the exit code is 0 when there is one.
(.refused[] | "\(.application) would have to be replaced: \(.why)"),
(.changes[]
  | select(.action == "replace" or (.action == "remove" and (.kind | IN("application", "machine", "storage-pool", "secret"))))
  | "\(.action) \(.kind) \(.name)")
