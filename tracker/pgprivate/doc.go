// Package pgprivate runs a private PostgreSQL server inside a folder, for people who have no database of their own.
//
// A cluster belongs to one folder. Several programs share it: the first one starts the server, a supervisor process
// (this program's own binary, executed again) stops it some time after the last program ended. The server listens on a
// Unix socket in a folder of mode 0700 and on no TCP port; whoever can enter that folder is trusted.
//
// The folder holds:
//
//	data/            the PostgreSQL data directory
//	s/               the socket, where the path is short enough for one (else a folder under the run-time or temporary directory)
//	start.lock       held (flock) while somebody starts or stops the server
//	users.lock       held shared by every user of the server; its modification time is the last arrival or departure
//	supervisor.lock  held by the supervisor; contains its process id
//	postgres.log     what the server and the supervisor say
//
// main must call MaybeSupervise before anything else; test binaries that start a cluster must do so too.
package pgprivate
