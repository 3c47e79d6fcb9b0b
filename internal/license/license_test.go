package license

import (
	"strings"
	"testing"
)

func TestNotice(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"spherelab\n\nMIT License", "Go standard library\n", "Apache License", "SIL OPEN FONT LICENSE",
		"The FreeType Project LICENSE", "MinIO Cloud Storage"} {
		if !strings.Contains(Notice(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	if strings.ContainsAny(Notice(), "\r\f") {
		t.Error("the text has line ends of other systems")
	}
}
