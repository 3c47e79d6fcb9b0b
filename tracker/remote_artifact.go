package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/rest"
)

// largeFile is from how many bytes on the transfer of a file is announced.
const largeFile = 64 << 20

// Publish sends files of ArtifactDir, by their paths in it and in this order, to a tracking server or a bucket. They
// are recorded first, so that they are sent some time if it is away now. Other files are where they belong already.
func (r *Run) Publish(ctx context.Context, names ...string) error {
	if r.t.remote == nil && !r.inBucket || len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return errorf(CodeInvalid, nil, "the artifact %q is not below the run's folder", name)
		}
	}
	r.mu.Lock()
	err := r.record(entry{Kind: "files", Files: names})
	r.mu.Unlock()
	if err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil && !transient(err) {
		return wrap(err, "sending artifacts of run "+r.id)
	}
	return ctx.Err()
}

func (m *remote) setURI(run, uri string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uris[run] = uri
}

func (m *remote) uri(ctx context.Context, run string) (string, error) {
	m.mu.Lock()
	uri, ok := m.uris[run]
	m.mu.Unlock()
	if ok {
		return uri, nil
	}
	stored, err := m.c.Run(ctx, run)
	if err != nil {
		return "", err
	}
	m.setURI(run, stored.Info.URI)
	return stored.Info.URI, nil
}

// upload sends files of a run's folder. Files that are gone are left out. Where the server takes none, a notice says
// so, and they stay on this machine.
func (m *remote) upload(ctx context.Context, run string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	uri, err := m.uri(ctx, run)
	if err != nil {
		return err
	}
	if bucket.Is(uri) {
		return m.uploadToBucket(ctx, run, uri, names)
	}
	served, toServer := rest.ServedFolder(uri)
	direct, err := fileFromURI(uri)
	toFolder := err == nil && m.c.Local() // as MLflow's own client does, which shares the server's disk
	for _, name := range names {
		file := filepath.Join(m.folder(run), filepath.FromSlash(name))
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) && !IsEvaluationArtifact(name) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Size() >= largeFile {
			m.t.say("sending %s (%.0f MB) to %s", name, float64(info.Size())/1e6, m.t.where())
		}
		switch {
		case toServer:
			err = m.c.Upload(ctx, served, name, file)
		case toFolder:
			err = replaceFile(file, filepath.Join(direct, filepath.FromSlash(name)))
		default:
			m.keepHere(run, "it keeps artifacts at "+uri)
			return nil
		}
		if isUnknown(err) {
			m.keepHere(run, "it serves no artifacts (mlflow server --serve-artifacts does)")
			return nil
		}
		if isRefusedFile(err) {
			m.tell(run+"/"+name, "artifact %s of run %s stays in %s: %s refuses it: %s", name, ShortID(run), file,
				m.t.where(), plain(err))
			continue // a file is not worth the rest of the run
		}
		if err != nil {
			return fmt.Errorf("artifact %s: %w", name, err)
		}
	}
	return nil
}

// isRefusedFile reports whether waiting does not help a file to be stored: it is too large for a proxy, for example, or
// the folder of artifacts cannot be written.
func isRefusedFile(err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	if !ok {
		return isFileError(err)
	}
	return refused.Status >= 400 && !refused.Transient() && refused.Status != http.StatusUnauthorized
}

// uploadToBucket is upload for a server that keeps artifacts in a bucket, without which they stay on this machine.
func (m *remote) uploadToBucket(ctx context.Context, run, uri string, names []string) error {
	at, err := bucket.Parse(uri)
	if err == nil {
		err = m.t.put(ctx, at, m.folder(run), names)
	}
	if isBucketError(err) && !bucket.Away.Is(err) {
		m.keepHere(run, "it keeps artifacts in a bucket: "+plain(err))
		return nil
	}
	return err
}

// keepHere says once per run that its artifacts stay on this machine.
func (m *remote) keepHere(run, why string) {
	m.tell(run, "the artifacts of run %s stay in %s: %s takes none here; %s", ShortID(run), m.folder(run), m.t.where(), why)
}

// tell gives a notice about a thing once.
func (m *remote) tell(about, format string, args ...any) {
	m.mu.Lock()
	told := m.told[about]
	m.told[about] = true
	m.mu.Unlock()
	if !told {
		m.t.say(format, args...)
	}
}

func replaceFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return atomicfile.Write(to, content, 0o644)
}

// Fetch brings the artifacts of a run that a tracking server or a bucket has to ArtifactDir: those of these names, or
// all without any, that this machine lacks. Other artifacts are where they belong. It does nothing for a run of a
// server that a program with this data directory writes.
func (t *Tracker) Fetch(ctx context.Context, run RunInfo, only ...string) error {
	if run.inBucket {
		at, err := t.ownPlace(run.ArtifactURI)
		if err != nil {
			return wrap(err, "fetching the artifacts of run "+run.ID)
		}
		return t.retry(ctx, "fetching the artifacts of run "+run.ID, func(ctx context.Context) error {
			return t.get(ctx, at, run.folder, false, only...)
		})
	}
	if t.remote == nil || !isRemoteID(run.ID) {
		return nil
	}
	if _, err := os.Stat(spoolPath(t.o.DataDir, run.ID, claim{})); err == nil {
		return nil // a program of this machine writes it
	}
	var names []string
	err := t.retry(ctx, "listing the artifacts of run "+run.ID, func(ctx context.Context) (err error) {
		names, err = t.remote.c.Artifacts(ctx, run.ID)
		return err
	})
	if err != nil {
		return err
	}
	return t.retry(ctx, "fetching the artifacts of run "+run.ID, func(ctx context.Context) error {
		return t.remote.fetch(ctx, run.ID, slices.DeleteFunc(names, func(name string) bool {
			return len(only) > 0 && !slices.Contains(only, name)
		}))
	})
}

// fetch downloads artifacts that are not in the run's folder. What the server does not have is left out.
func (m *remote) fetch(ctx context.Context, run string, names []string) error {
	uri, err := m.uri(ctx, run)
	if err != nil {
		return err
	}
	if at, err := bucket.Parse(uri); err == nil && len(names) > 0 {
		return m.t.get(ctx, at, m.folder(run), false, names...)
	}
	for _, name := range names {
		file := m.file(run, name)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) || IsEvaluationArtifact(name) {
			continue // it is here, or has its own way
		}
		if _, err := m.bring(ctx, run, name, file); err != nil {
			return err
		}
	}
	return nil
}

// bring downloads an artifact to a file and reports whether the server has it.
func (m *remote) bring(ctx context.Context, run, name, file string) (found bool, err error) {
	uri, err := m.uri(ctx, run)
	if err != nil {
		return false, err
	}
	direct, notFolder := fileFromURI(uri)
	if served, ok := rest.ServedFolder(uri); ok {
		if err = m.download(ctx, served, name, file); m.lacks(ctx, run, name, err) {
			return false, nil
		}
	} else if notFolder == nil && m.c.Local() {
		err = replaceFile(filepath.Join(direct, filepath.FromSlash(name)), file)
	} else {
		return false, nil
	}
	if isMissing(err) || isUnknown(err) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("artifact %s: %w", name, err)
	}
	return true, nil
}

// lacks reports whether a download failed because the run has no such artifact. MLflow 2 answers then with the status
// of a server that fails, which would be waited for.
func (m *remote) lacks(ctx context.Context, run, name string, err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	if !ok || refused.Status != http.StatusInternalServerError {
		return false
	}
	names, err := m.c.Artifacts(ctx, run)
	return err == nil && !slices.Contains(names, name)
}

// download writes a file when all of it has arrived.
func (m *remote) download(ctx context.Context, served, name, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".download-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) // after the renaming there is none
	err = m.c.Download(ctx, served, name, part)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), file)
}
