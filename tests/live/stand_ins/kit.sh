#!/bin/sh
# Stands in for kitops: `kit unpack IMAGE … -d FOLDER` leaves the files of a model there.
set -eu
while [ $# -gt 1 ]; do
  [ "$1" = -d ] && folder=$2
  shift
done
echo '{"architectures": ["StandIn"]}' > "$folder/config.json"
