package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/spherelab/spherelab/internal/atomicfile"
)

// Connection is the contents of a connection file: where the five sockets are and how messages are signed.
type Connection struct {
	Transport string `json:"transport"` // "tcp" or "ipc"
	// IP is the host for tcp, 127.0.0.1 if it is empty. For ipc it is the path of the sockets, to which "-" and the
	// port are added.
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HBPort          int    `json:"hb_port"`
	Key             string `json:"key"` // empty: messages are not signed, which only a loopback address allows
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads and checks a connection file.
func ReadConnection(path string) (Connection, error) {
	var c Connection
	b, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("kernel: connection file: %w", err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("kernel: connection file %s is not what Jupyter writes: %w", path, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("kernel: connection file %s: %w", path, err)
	}
	return c, nil
}

// Write replaces the connection file. Only its owner can read it, since it holds the key.
func (c Connection) Write(path string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, b, 0o600); err != nil {
		return fmt.Errorf("kernel: connection file: %w", err)
	}
	return nil
}

func (c *Connection) check() error {
	if c.Transport == "" {
		c.Transport = "tcp"
	}
	if c.SignatureScheme == "" {
		c.SignatureScheme = "hmac-sha256"
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return fmt.Errorf("transport %q is neither tcp nor ipc", c.Transport)
	}
	switch {
	case c.IP == "" && c.Transport == "ipc":
		return errors.New("ip is empty; with transport ipc it is the path of the sockets")
	case c.IP == "": // not all interfaces, as the empty host would mean
		c.IP = "127.0.0.1"
	case c.Key == "" && c.Transport == "tcp" && !isLoopback(c.IP):
		const text = "key is empty, and other machines can reach ip %q: they could run code. Set a key, or ip 127.0.0.1"
		return fmt.Errorf(text, c.IP)
	}
	if _, err := hashOf(c.SignatureScheme); err != nil {
		return err
	}
	for _, channel := range c.channels() {
		if *channel.port < 0 || *channel.port > 65535 {
			return fmt.Errorf("%s is %d, which is not a port", channel.key, *channel.port)
		}
	}
	return nil
}

// isLoopback reports whether only this machine reaches a host.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// channel is a channel's port and its key in the file.
type channel struct {
	key  string
	port *int
}

func (c *Connection) channels() []channel {
	return []channel{
		{"shell_port", &c.ShellPort}, {"control_port", &c.ControlPort}, {"stdin_port", &c.StdinPort},
		{"iopub_port", &c.IOPubPort}, {"hb_port", &c.HBPort},
	}
}

// Listeners are the listening sockets of the five channels.
type Listeners struct{ Shell, Control, Stdin, IOPub, Heartbeat net.Listener }

// Listen opens the listening sockets. A port of 0 is replaced by a free one.
func (c *Connection) Listen() (Listeners, error) {
	var opened []net.Listener
	for _, channel := range c.channels() {
		l, err := c.listen(channel.port)
		if err != nil {
			for _, l := range opened {
				l.Close()
			}
			return Listeners{}, fmt.Errorf("kernel: cannot open the socket for %s: %w", channel.key, err)
		}
		opened = append(opened, l)
	}
	return Listeners{Shell: opened[0], Control: opened[1], Stdin: opened[2], IOPub: opened[3], Heartbeat: opened[4]},
		nil
}

func (c *Connection) listen(port *int) (net.Listener, error) {
	if c.Transport == "ipc" {
		return c.listenUnix(port)
	}
	l, err := net.Listen(c.Addr(*port))
	if err != nil {
		return nil, err
	}
	*port = l.Addr().(*net.TCPAddr).Port
	return l, nil
}

func (c *Connection) listenUnix(port *int) (net.Listener, error) {
	if *port == 0 {
		for *port = 1; ; *port++ {
			if _, err := os.Lstat(c.unixPath(*port)); errors.Is(err, os.ErrNotExist) {
				break
			}
		}
	}
	path := c.unixPath(*port)
	l, err := net.Listen("unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && !alive(path) { // left behind by a kernel that was killed
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		l, err = net.Listen("unix", path)
	}
	return l, err
}

// Addr returns the network and the address of a port, as package net wants them.
func (c Connection) Addr(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", c.unixPath(port)
	}
	host := c.IP
	if host == "*" {
		host = ""
	}
	return "tcp", net.JoinHostPort(host, strconv.Itoa(port))
}

func (c Connection) unixPath(port int) string { return c.IP + "-" + strconv.Itoa(port) }

// alive reports whether a process accepts connections on the unix socket.
func alive(path string) bool {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
