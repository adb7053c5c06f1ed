#!/bin/sh
# Stands in for KServe's storage initializer: `URI FOLDER` leaves the files of a model in the folder.
set -eu
echo "fetching $1 into $2"
echo '{"architectures": ["StandIn"]}' > "$2/config.json"
