module modelops.test/differential/recorder

go 1.26.0
