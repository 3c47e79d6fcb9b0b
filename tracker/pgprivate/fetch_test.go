package pgprivate

import (
	"context"
	"os"
	"testing"
)

// TestFetch downloads real server programs; it needs the network, so it runs only when asked for.
func TestFetch(t *testing.T) {
	if os.Getenv("SPHERELAB_TEST_DOWNLOAD") == "" {
		t.Skip("skipped: set SPHERELAB_TEST_DOWNLOAD=1 to download PostgreSQL programs from the network")
	}
	cache := t.TempDir()
	in, err := fetch(context.Background(), 0, cache, func(s string) { t.Log(s) })
	if err != nil {
		t.Fatal(err)
	}
	if in.Major < MinimumMajor || in.Source != "embedded" {
		t.Errorf("fetched %+v", in)
	}
	if again, err := fetch(context.Background(), 0, cache, func(string) { t.Error("fetched twice") }); err != nil || again != in {
		t.Errorf("the second time: %+v, %v", again, err)
	}
}
