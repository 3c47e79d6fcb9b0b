package tracker

import (
	"context"
	"path/filepath"
)

// InBucket is RunInfo.InBucket for a run in progress.
func (r *Run) InBucket() bool { return r.inBucket }

// Publish sends files of ArtifactDir, by their paths in it and in this order, to a tracking server or a bucket. They
// are recorded first, so that they are sent some time if it is away now. Other files are where they belong already.
func (r *Run) Publish(ctx context.Context, names ...string) error {
	if !r.t.identity().Sends && !r.inBucket || len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return Errorf(CodeInvalid, nil, "the artifact %q is not below the run's folder", name)
		}
	}
	r.mu.Lock()
	err := r.record(entry{Kind: "files", Files: names})
	r.mu.Unlock()
	if err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil && !Transient(err) {
		return Wrap(err, "sending artifacts of run "+r.id)
	}
	return ctx.Err()
}

// Withdraw removes artifacts of a run, by their names, from its bucket.
func (r *Run) Withdraw(ctx context.Context, names ...string) error {
	if !r.inBucket {
		return nil
	}
	info, err := r.t.FindRun(ctx, r.id)
	if err != nil {
		return err
	}
	return r.t.retry(ctx, "removing artifacts of run "+r.id, func(ctx context.Context) error {
		return r.t.backend.Withdraw(ctx, info, names...)
	})
}
