package module

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"
)

// cache is the module cache of the go command, which is filled from proxies here where there is no go command.
type cache struct {
	root    string
	proxies []string
	client  http.Client
}

// openCache finds the cache and the proxies by the variables of the go command.
func openCache(ctx context.Context) (*cache, error) {
	c := &cache{root: os.Getenv("GOMODCACHE"), client: http.Client{Timeout: 5 * time.Minute}}
	if c.root == "" {
		path, _, _ := strings.Cut(os.Getenv("GOPATH"), string(filepath.ListSeparator))
		if path == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, fmt.Errorf("module cache: %w; GOMODCACHE names it", err)
			}
			path = filepath.Join(home, "go")
		}
		c.root = filepath.Join(path, "pkg", "mod")
	}
	if isOffline(ctx) {
		return c, nil
	}
	for _, proxy := range strings.FieldsFunc(os.Getenv("GOPROXY"), func(r rune) bool { return r == ',' || r == '|' }) {
		if proxy != "off" && proxy != "direct" {
			c.proxies = append(c.proxies, strings.TrimSuffix(proxy, "/"))
		}
	}
	return c, nil
}

// file returns a file of the proxy protocol that never changes, from the cache or a proxy: the path of it in the cache.
func (c *cache) file(ctx context.Context, m module.Version, extension string) (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	name := path + "/@v/" + version + extension
	stored := filepath.Join(c.root, "cache", "download", filepath.FromSlash(name))
	if _, err := os.Stat(stored); err == nil {
		return stored, nil
	}
	if err := os.MkdirAll(filepath.Dir(stored), 0o755); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(filepath.Dir(stored), ".part*")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name()) // it is there no more if all is well
	err = c.download(ctx, name, part)
	if err := errors.Join(err, part.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", m, err)
	}
	return stored, os.Rename(part.Name(), stored)
}

var errNoProxy = errors.New("it is not in the module cache, and GOPROXY names no proxy to download it from without the " +
	"go command")

// download asks the proxies for a file, until one has it.
func (c *cache) download(ctx context.Context, name string, to io.Writer) error {
	last := errNoProxy
	for _, proxy := range c.proxies {
		address, err := url.Parse(proxy + "/" + name)
		if err != nil {
			return fmt.Errorf("GOPROXY: %w", err)
		}
		if address.Scheme == "file" {
			last = copyFile(filepath.FromSlash(address.Path), to)
		} else {
			last = c.fetch(ctx, address, to)
		}
		if !errors.Is(last, fs.ErrNotExist) {
			return last
		}
	}
	return last
}

func copyFile(path string, to io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	_, err = io.Copy(to, f)
	return err
}

func (c *cache) fetch(ctx context.Context, address *url.URL, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() // nothing was written
	switch response.StatusCode {
	case http.StatusOK:
		_, err = io.Copy(to, response.Body)
		return err
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("%s: %w", address.Redacted(), fs.ErrNotExist)
	}
	return fmt.Errorf("%s: %s", address.Redacted(), response.Status)
}

// text returns a file of the proxy protocol that may change.
func (c *cache) text(ctx context.Context, path, name string) (string, error) {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = c.download(ctx, escaped+"/"+name, &b)
	return b.String(), err
}

// resolve finds the version of a module that a query means: "" or latest, a version, or a branch or commit.
func (c *cache) resolve(ctx context.Context, path, query string) (module.Version, error) {
	if semver.IsValid(query) && semver.Canonical(query) == strings.TrimSuffix(query, "+incompatible") {
		m := module.Version{Path: path, Version: query}
		_, err := c.file(ctx, m, ".mod")
		return m, err
	}
	if query == "" || query == "latest" {
		if list, err := c.text(ctx, path, "@v/list"); err == nil {
			best := ""
			for _, v := range strings.Fields(list) {
				if semver.Prerelease(v) == "" && semver.Compare(v, best) > 0 {
					best = v
				}
			}
			if best != "" {
				return module.Version{Path: path, Version: best}, nil
			}
		}
	}
	name := "@latest"
	if query != "" && query != "latest" {
		escaped, err := module.EscapeVersion(query)
		if err != nil {
			return module.Version{}, err
		}
		name = "@v/" + escaped + ".info"
	}
	text, err := c.text(ctx, path, name)
	if err != nil {
		return module.Version{}, err
	}
	var info struct{ Version string }
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		return module.Version{}, fmt.Errorf("%s of %s: %w", name, path, err)
	}
	return module.Version{Path: path, Version: info.Version}, nil
}

// folder returns the folder with the files of a module, which are downloaded where they are missing. check is asked
// for their checksum first.
func (c *cache) folder(ctx context.Context, m module.Version, check func(zip string) error) (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	zip, err := c.file(ctx, m, ".zip")
	if err != nil {
		return "", err
	}
	if err := check(zip); err != nil {
		return "", err
	}
	dir := filepath.Join(c.root, filepath.FromSlash(path)+"@"+version)
	partial := strings.TrimSuffix(zip, ".zip") + ".partial"
	_, ended := os.Stat(partial)
	if _, err := os.Stat(dir); err == nil {
		if errors.Is(ended, fs.ErrNotExist) {
			return dir, nil
		}
		if err := removeUnpacked(dir); err != nil { // the go command was ended while it unpacked
			return "", err
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part) // it is empty if all is well
	if err := modzip.Unzip(filepath.Join(part, "files"), m, zip); err != nil {
		return "", fmt.Errorf("%s: %w", m, err)
	}
	if err := os.Rename(filepath.Join(part, "files"), dir); err != nil {
		return "", err
	}
	if ended == nil {
		return dir, os.Remove(partial)
	}
	return dir, nil
}

// removeUnpacked removes a folder of the cache. The go command leaves its folders without the right to change them.
func removeUnpacked(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}
