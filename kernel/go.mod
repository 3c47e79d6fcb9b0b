module github.com/spherelab/spherelab/kernel

go 1.26.0

require (
	github.com/cosmos72/gomacro v0.0.0-20240506194242-2ff796e3da10
	github.com/go-zeromq/zmq4 v0.17.0
	github.com/spherelab/spherelab v0.0.0
	golang.org/x/tools v0.52.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/fergusstrange/embedded-postgres v1.34.0 // indirect
	github.com/go-zeromq/goczmq/v4 v4.2.2 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/gofrs/uuid v4.2.0+incompatible // indirect
	github.com/gopherdata/gophernotes v0.7.5 // indirect
	github.com/jedib0t/go-pretty/v6 v6.8.3 // indirect
	github.com/jmoiron/sqlx v1.4.0 // indirect
	github.com/lib/pq v1.12.3 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/mfridman/interpolate v0.0.2 // indirect
	github.com/peterh/liner v1.2.2 // indirect
	github.com/pressly/goose/v3 v3.29.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/sethvargo/go-retry v0.5.0 // indirect
	github.com/vbauerster/mpb/v8 v8.9.3 // indirect
	github.com/xi2/xz v0.0.0-20171230120015-48954b6210f8 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

tool github.com/gopherdata/gophernotes

replace github.com/spherelab/spherelab => ../
