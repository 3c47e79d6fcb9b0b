// Package pgprivate runs a private PostgreSQL server inside a folder, for people who have no database of their own.
//
// A cluster belongs to one folder. Several programs share it: the first one starts the server, and a supervisor process
// (this program's own binary, executed again) stops it some time after the last program ended and the last connection
// of another program, such as psql, was closed. The server listens on a Unix socket in a folder of mode 0700 and on no
// TCP port; every user who can enter that folder is trusted.
//
// The folder holds:
//
//	data/            the PostgreSQL data directory
//	s/               the socket, if the path is short enough (else it is in the run-time or temporary directory)
//	start.lock       held (flock) while a program starts or stops the server
//	users.lock       held shared by every program of ours that uses the server; changed at its start and end
//	stay             its modification time is when the server may stop at the earliest
//	supervisor.lock  held by the supervisor; contains its process id
//	postgres.log     messages of the server and the supervisor
//
// Importing the package is enough: a program that is started as a supervisor becomes one before main.
package pgprivate
