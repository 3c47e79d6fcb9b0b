package postgres

import (
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
)

// TestOwnLocation: below the server's own folder and bucket, whatever signs the folder's name has, and nowhere else.
func TestOwnLocation(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c# 100% ;?")
	tr := &Store{o: tracker.Options{DataDir: dir}, inBucket: true, place: bucket.Place{Bucket: "own", Prefix: "at"}}
	root := tr.ArtifactRoot()
	for uri, want := range map[string]string{
		tracker.FileURI(root) + "/mine": tracker.FileURI(root) + "/mine",
		"mlflow-artifacts:/mine/1":      tracker.FileURI(root) + "/mine/1",
		"s3://own/at/mine":              "s3://own/at/mine",
	} {
		if got, err := tr.OwnLocation(uri); err != nil || got != want {
			t.Errorf("%s is %s, %v", uri, got, err)
		}
		if err := checkFollowed(want); err != nil {
			t.Error(err)
		}
	}
	for _, uri := range []string{tracker.FileURI(root), tracker.FileURI(root) + "-not", "s3://own/at", "s3://own/other", "s3://other/at/mine",
		"s3://own/at/../x", "s3://own/at/%2e%2e/x", "s3://own/at/x?y", "s3://evil@own/at/x", "mlflow-artifacts:/..",
		"https://evil.example/at", tracker.FileURI(root) + "/a%00b"} {
		if got, err := tr.OwnLocation(uri); err == nil {
			t.Errorf("%s is taken as %s", uri, got)
		}
	}
}
