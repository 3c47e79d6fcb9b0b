package kubernetes

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func manifest(t *testing.T) (text, image string) {
	t.Helper()
	source, err := os.ReadFile("../../docs/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindSubmatch(changes)
	if version == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	return string(source), "registry.example.org/spherelab:" + string(version[1])
}

// The manifest is what the API takes, and its objects find each other. The image is that of the changelog's version.
func TestManifest(t *testing.T) {
	t.Parallel()
	text, image := manifest(t)
	for _, fault := range faults([]byte(text), "spherelab", image) {
		t.Error(fault)
	}
	for _, want := range []string{`"--drain"`, `"serve"`, "SPHERELAB_ARTIFACTS: s3://", "\nkind: Job\n", "\nkind: ScaledObject\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the manifest does not have %s", want)
		}
	}
}

func TestManifestFindsFaults(t *testing.T) {
	t.Parallel()
	text, image := manifest(t)
	for _, c := range []struct{ old, new, want string }{
		{"terminationGracePeriodSeconds: 120", "terminationGracePeriod: 120", "unknown field"},
		{"parallelism: 4", "parallelism: four", "parallelism"},
		{"{cpu: \"2\", memory: 4Gi}", "{cpu: \"2\", memory: 4 gigabytes}", "quantities"},
		{"restartPolicy: Never", "restartPolicy: Always", "restart policy"},
		{"spherelab:0.1.0", "spherelab:latest", "image"},
		{"selector: {app: spherelab-tracker}", "selector: {app: other}", "no pod has the labels"},
		{"matchLabels: {app: spherelab-worker}", "matchLabels: {app: other}", "does not select"},
		{"secretRef: {name: spherelab}", "secretRef: {name: other}", "Secret other"},
		{"configMapRef: {name: spherelab}", "configMapRef: {name: other}", "ConfigMap other"},
		{"serviceAccountName: spherelab", "serviceAccountName: other", "ServiceAccount other"},
		{"scaleTargetRef: {name: spherelab-worker}", "scaleTargetRef: {name: other}", "Deployment other"},
		{"{name: tmp, mountPath: /tmp}", "{name: temp, mountPath: /tmp}", "no volume"},
		{"httpGet: {path: /healthz, port: http}", "httpGet: {path: /healthz, port: web}", "port web"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "root"},
		{"allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "privileged"},
		{"limits: {memory: 2Gi}", "limits: {cpu: \"2\"}", "limit of memory"},
		{"targetQueryValue", "targetQuery", "unknown field"},
		{"kind: Job", "kind: CronJob", "not checked"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("the manifest does not have %q", c.old)
			continue
		}
		got := strings.Join(faults([]byte(changed), "spherelab", image), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q, with %q for %q", got, c.want, c.new, c.old)
		}
	}
}
