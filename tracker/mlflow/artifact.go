package mlflow

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
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/internal/storage"
	"github.com/spherelab/spherelab/tracker/rest"
)

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

// upload sends files of a run's folder. It leaves out missing files. If the server does not accept files, a notice says
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
	direct, err := tracker.FileFromURI(uri)
	toFolder := err == nil && m.c.Local() // like MLflow's own client, which shares the server's disk
	for _, name := range names {
		file := filepath.Join(m.folder(run), filepath.FromSlash(name))
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) && !tracker.IsEvaluationArtifact(name) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Size() >= bucket.LargeFile {
			m.o.Notice("sending %s (%.0f MB) to %s", name, float64(info.Size())/1e6, m.where())
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
			m.tell(run+"/"+name, "artifact %s of run %s stays in %s: %s refuses it: %s", name, tracker.ShortID(run), file,
				m.where(), tracker.Plain(serverFault(err)))
			continue // a refused file must not stop the run's other records
		}
		if err != nil {
			return fmt.Errorf("artifact %s: %w", name, err)
		}
	}
	return nil
}

// isRefusedFile reports whether a file can never be stored: it is too large for a proxy, for example, or the folder of
// artifacts is not writable.
func isRefusedFile(err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	if !ok {
		return isFileError(err)
	}
	return refused.Status >= 400 && !refused.Transient() && refused.Status != http.StatusUnauthorized
}

// uploadToBucket is upload for a server that keeps artifacts in a bucket. If the bucket cannot be used, they stay on
// this machine.
func (m *remote) uploadToBucket(ctx context.Context, run, uri string, names []string) error {
	at, err := bucket.Parse(uri)
	if err == nil {
		err = m.storage.Send(ctx, at, m.folder(run), names, m.o.Notice)
	}
	if storage.IsBucketError(err) && !bucket.Away.Is(err) {
		m.keepHere(run, "it keeps artifacts in a bucket: "+tracker.Plain(serverFault(err)))
		return nil
	}
	return err
}

// keepHere sends one notice per run that its artifacts stay on this machine.
func (m *remote) keepHere(run, why string) {
	m.tell(run, "the artifacts of run %s stay in %s: %s does not accept them here; %s", tracker.ShortID(run), m.folder(run), m.where(), why)
}

// tell sends a notice once.
func (m *remote) tell(about, format string, args ...any) {
	m.mu.Lock()
	told := m.told[about]
	m.told[about] = true
	m.mu.Unlock()
	if !told {
		m.o.Notice(format, args...)
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

// Fetch downloads artifacts of a run that this machine lacks: those with the given names, or all. It does nothing for a
// run that a program with this data directory writes.
func (m *remote) Fetch(ctx context.Context, run tracker.RunInfo, only ...string) error {
	if !isRemoteID(run.ID) || tracker.HasSpool(m.o.DataDir, run.ID) {
		return nil
	}
	var names []string
	err := m.retry(ctx, "listing the artifacts of run "+run.ID, func(ctx context.Context) (err error) {
		names, err = m.c.Artifacts(ctx, run.ID)
		return err
	})
	if err != nil {
		return err
	}
	return m.retry(ctx, "fetching the artifacts of run "+run.ID, func(ctx context.Context) error {
		return m.fetch(ctx, run.ID, slices.DeleteFunc(names, func(name string) bool {
			return len(only) > 0 && !slices.Contains(only, name)
		}))
	})
}

// fetch downloads artifacts that are not in the run's folder. It leaves out what the server does not have.
func (m *remote) fetch(ctx context.Context, run string, names []string) error {
	uri, err := m.uri(ctx, run)
	if err != nil {
		return err
	}
	if at, err := bucket.Parse(uri); err == nil && len(names) > 0 {
		return m.storage.Fetch(ctx, at, m.folder(run), false, m.o.Notice, names...)
	}
	for _, name := range names {
		file := m.file(run, name)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) || tracker.IsEvaluationArtifact(name) {
			continue // it is already here, or downloaded in another way
		}
		if _, err := m.fetchFile(ctx, run, name, file); err != nil {
			return err
		}
	}
	return nil
}

// fetchFile downloads an artifact to a file and reports whether the server has it.
func (m *remote) fetchFile(ctx context.Context, run, name, file string) (found bool, err error) {
	uri, err := m.uri(ctx, run)
	if err != nil {
		return false, err
	}
	direct, notFolder := tracker.FileFromURI(uri)
	if served, ok := rest.ServedFolder(uri); ok {
		if err = m.download(ctx, served, name, file); m.isMissingArtifact(ctx, run, name, err) {
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

// isMissingArtifact reports whether a download failed because the run has no such artifact. MLflow 2 answers that with
// the status of a failing server, for which the tracker would wait.
func (m *remote) isMissingArtifact(ctx context.Context, run, name string, err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	if !ok || refused.Status != http.StatusInternalServerError {
		return false
	}
	names, err := m.c.Artifacts(ctx, run)
	return err == nil && !slices.Contains(names, name)
}

// download writes a file once all of it has arrived.
func (m *remote) download(ctx context.Context, served, name, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".download-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) // the rename leaves no such file
	err = m.c.Download(ctx, served, name, part)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), file)
}
