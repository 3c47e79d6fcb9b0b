package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"golang.org/x/sys/unix"
)

// hubAddress is the server's address, and hubNetwork the network, in namespaces of a test. No other program sees them.
const (
	hubAddress = "10.77.0.1"
	hubNetwork = "10.77.0.0/24"
)

// namespace is a network namespace. A process that waits for its input keeps it. It ends with this process, with its
// links, unless a program that was started in it outlives the test.
type namespace struct{ pid int }

// network is a bridge between namespaces. hosts numbers those that are on it.
type network struct {
	t     *testing.T
	hub   *namespace
	hosts int
}

// newNetwork is a bridge in a network namespace of its own, nil with the reason where this machine does not allow it.
func newNetwork(t *testing.T) (*network, error) {
	t.Helper()
	hub, err := newNamespace(t)
	if err != nil {
		return nil, err
	}
	n := &network{t: t, hub: hub, hosts: 10}
	for _, args := range []string{"link set lo up", "link add hub type bridge", "addr add " + hubAddress + "/24 dev hub",
		"link set hub up", "link add one type veth peer name other", "link del one"} {
		if err := hub.ip(args); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// host is a namespace of its own on the bridge.
func (n *network) host() *namespace {
	n.t.Helper()
	own, err := newNamespace(n.t)
	expect.NoError(n.t, err)
	n.hosts++
	link := fmt.Sprintf("host%d", n.hosts)
	for _, step := range []struct {
		in   *namespace
		args string
	}{
		{n.hub, fmt.Sprintf("link add %s type veth peer name eth0 netns %d", link, own.pid)},
		{n.hub, "link set " + link + " master hub up"},
		{own, fmt.Sprintf("addr add 10.77.0.%d/24 dev eth0", n.hosts)},
		{own, "link set eth0 up"},
	} {
		expect.NoError(n.t, step.in.ip(step.args))
	}
	return own
}

func newNamespace(t *testing.T) (*namespace, error) {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait() // it has read to the end
	})
	return &namespace{cmd.Process.Pid}, nil
}

// ip changes the namespace's network.
func (n *namespace) ip(args string) error {
	cmd := exec.Command("ip", strings.Fields(args)...)
	var said strings.Builder
	cmd.Stderr = &said
	err := n.start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", args, err, said.String())
	}
	return nil
}

// start starts a program in the namespace; nil is that of this process.
func (n *namespace) start(cmd *exec.Cmd) error {
	if n == nil {
		return cmd.Start()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: a thread of another namespace must end with its goroutine
		done <- n.startHere(cmd)
	}()
	return <-done
}

func (n *namespace) startHere(cmd *exec.Cmd) error {
	file, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", n.pid))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering a network namespace: %w", err)
	}
	return cmd.Start()
}

// asAnother lets a program that refuses to be root's run under another account, to which folder is given.
func asAnother(cmd *exec.Cmd, folder string) error {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			return err
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			return err
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return os.Chown(folder, uid, gid)
	}
	return fmt.Errorf("this machine has no ordinary account")
}
