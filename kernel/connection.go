package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Connection is the contents of a connection file: where the five sockets are and how messages are signed.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // host for tcp, 127.0.0.1 if it is empty; for ipc the path of the sockets, to which "-" and the port are added
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
	case c.Key == "" && c.Transport == "tcp" && !loopback(c.IP):
		return fmt.Errorf("key is empty, and ip %q is more than this machine alone: whoever reaches it could run code. Give a key, or ip 127.0.0.1", c.IP)
	}
	if _, err := newSigner(c.SignatureScheme, c.Key); err != nil {
		return err
	}
	for name, port := range c.ports() {
		if *port < 0 || *port > 65535 {
			return fmt.Errorf("%s is %d, which is no port", name, *port)
		}
	}
	return nil
}

// loopback reports whether only this machine reaches a host.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ports gives each channel's port by its name in the file.
func (c *Connection) ports() map[string]*int {
	return map[string]*int{
		"shell_port": &c.ShellPort, "iopub_port": &c.IOPubPort, "stdin_port": &c.StdinPort, "control_port": &c.ControlPort, "hb_port": &c.HBPort,
	}
}

// write replaces the connection file in one step, readable by its owner only since it holds the key.
func (c Connection) write(path string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".connection-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("kernel: connection file: %w", err)
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(b); err == nil {
		err = f.Close()
	} else {
		f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("kernel: connection file: %w", err)
	}
	return nil
}

// listen opens the listening socket of one channel. A port of 0 is replaced by a free one.
func (c *Connection) listen(port *int) (net.Listener, error) {
	if c.Transport == "ipc" {
		return c.listenUnix(port)
	}
	host := c.IP
	if host == "*" {
		host = ""
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(*port)))
	if err != nil {
		return nil, err
	}
	*port = l.Addr().(*net.TCPAddr).Port
	return l, nil
}

func (c *Connection) listenUnix(port *int) (net.Listener, error) {
	if *port == 0 {
		for *port = 1; ; *port++ {
			if _, err := os.Lstat(c.ipcPath(*port)); errors.Is(err, os.ErrNotExist) {
				break
			}
		}
	}
	path := c.ipcPath(*port)
	l, err := net.Listen("unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && !alive(path) { // left behind by a kernel that was killed
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		l, err = net.Listen("unix", path)
	}
	return l, err
}

func (c *Connection) ipcPath(port int) string { return c.IP + "-" + strconv.Itoa(port) }

// alive reports whether somebody accepts connections on the unix socket.
func alive(path string) bool {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
