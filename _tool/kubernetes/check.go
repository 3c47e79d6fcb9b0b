// Package kubernetes checks docs/kubernetes.yaml with the types of Kubernetes' own API. It is a module of its own, so
// that these do not reach other tools.
package kubernetes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// scaledObject and triggerAuthentication are the part of KEDA's types that the manifest uses. KEDA's own package would
// bring its controller.
type scaledObject struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount int `json:"minReplicaCount"`
		MaxReplicaCount int `json:"maxReplicaCount"`
		CooldownPeriod  int `json:"cooldownPeriod"`
		Triggers        []struct {
			Type              string `json:"type"`
			AuthenticationRef struct {
				Name string `json:"name"`
			} `json:"authenticationRef"`
			Metadata struct {
				Query            string `json:"query"`
				TargetQueryValue string `json:"targetQueryValue"`
			} `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

type triggerAuthentication struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		SecretTargetRef []struct {
			Parameter string `json:"parameter"`
			Name      string `json:"name"`
			Key       string `json:"key"`
		} `json:"secretTargetRef"`
	} `json:"spec"`
}

// checker collects the objects of a manifest and what is wrong with them.
type checker struct {
	faults    []string
	image     string // that of every container
	named     map[string]bool
	labels    []map[string]string // of pods
	selectors []map[string]string // of services
	refs      []string            // kind and name of objects that others name
}

var kinds = map[string]func() any{
	"v1/ServiceAccount":                      func() any { return new(core.ServiceAccount) },
	"v1/ConfigMap":                           func() any { return new(core.ConfigMap) },
	"v1/Service":                             func() any { return new(core.Service) },
	"apps/v1/Deployment":                     func() any { return new(apps.Deployment) },
	"batch/v1/Job":                           func() any { return new(batch.Job) },
	"keda.sh/v1alpha1/ScaledObject":          func() any { return new(scaledObject) },
	"keda.sh/v1alpha1/TriggerAuthentication": func() any { return new(triggerAuthentication) },
}

// faults decodes every document strictly by its kind, then compares the names by which they refer to each other.
// Secrets are made by hand and are known by the name secret. Every container has the image.
func faults(manifest []byte, secret, image string) []string {
	c := &checker{image: image, named: map[string]bool{"Secret " + secret: true}}
	for documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(manifest))); ; {
		text := make([]byte, len(manifest))
		n, err := documents.Read(text)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			c.fault("%v", err)
			break
		}
		c.document(text[:n])
	}
	for _, ref := range c.refs {
		if !c.named[ref] {
			c.fault("%s is named, and not in the manifest", ref)
		}
	}
	for _, selector := range c.selectors {
		found := false
		for _, labels := range c.labels {
			found = found || contains(labels, selector)
		}
		if !found {
			c.fault("no pod has the labels %v", selector)
		}
	}
	return c.faults
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) document(text []byte) {
	var head struct {
		meta.TypeMeta `json:",inline"`
		Metadata      meta.ObjectMeta `json:"metadata"`
	}
	if err := strict.Unmarshal(text, &head); err != nil {
		c.fault("%v", err)
		return
	}
	newObject, known := kinds[head.APIVersion+"/"+head.Kind]
	if !known {
		c.fault("%s of %s is a kind that is not checked", head.Kind, head.APIVersion)
		return
	}
	object := newObject()
	if err := strict.UnmarshalStrict(text, object); err != nil {
		c.fault("%s %s: %v", head.Kind, head.Metadata.Name, err)
		return
	}
	c.named[head.Kind+" "+head.Metadata.Name] = true
	switch o := object.(type) {
	case *core.Service:
		c.selectors = append(c.selectors, o.Spec.Selector)
	case *apps.Deployment:
		if o.Spec.Selector == nil || !contains(o.Spec.Template.Labels, o.Spec.Selector.MatchLabels) {
			c.fault("%s does not select its own pods", o.Name)
		}
		c.pod(o.Name, o.Spec.Template)
	case *batch.Job:
		if policy := o.Spec.Template.Spec.RestartPolicy; policy != core.RestartPolicyNever &&
			policy != core.RestartPolicyOnFailure {
			c.fault("%s: a Job may not have the restart policy %q", o.Name, policy)
		}
		c.pod(o.Name, o.Spec.Template)
	case *scaledObject:
		c.refs = append(c.refs, "Deployment "+o.Spec.ScaleTargetRef.Name)
		for _, t := range o.Spec.Triggers {
			c.refs = append(c.refs, "TriggerAuthentication "+t.AuthenticationRef.Name)
		}
	case *triggerAuthentication:
		for _, ref := range o.Spec.SecretTargetRef {
			c.refs = append(c.refs, "Secret "+ref.Name)
		}
	}
}

var isPinned = regexp.MustCompile(`^[^:@]+:\d+\.\d+\.\d+$`)

// pod checks the template of a pod.
func (c *checker) pod(name string, template core.PodTemplateSpec) {
	c.labels = append(c.labels, template.Labels)
	spec := template.Spec
	c.refs = append(c.refs, "ServiceAccount "+spec.ServiceAccountName)
	if spec.SecurityContext == nil || spec.SecurityContext.RunAsNonRoot == nil || !*spec.SecurityContext.RunAsNonRoot {
		c.fault("%s may run as root", name)
	}
	volumes := map[string]bool{}
	for _, v := range spec.Volumes {
		volumes[v.Name] = true
	}
	for _, container := range append(spec.InitContainers, spec.Containers...) {
		if container.Image != c.image || !isPinned.MatchString(container.Image) {
			c.fault("%s: image %s, not %s", name, container.Image, c.image)
		}
		s := container.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
			c.fault("%s: container %s may become privileged", name, container.Name)
		}
		if container.Resources.Limits.Memory().IsZero() {
			c.fault("%s: container %s has no limit of memory", name, container.Name)
		}
		for _, mount := range container.VolumeMounts {
			if !volumes[mount.Name] {
				c.fault("%s: the mount %s has no volume", name, mount.Name)
			}
		}
		for _, from := range container.EnvFrom {
			if from.ConfigMapRef != nil {
				c.refs = append(c.refs, "ConfigMap "+from.ConfigMapRef.Name)
			}
			if from.SecretRef != nil {
				c.refs = append(c.refs, "Secret "+from.SecretRef.Name)
			}
		}
		c.probes(name, container)
	}
}

// probes compares the ports of probes with those that the container names.
func (c *checker) probes(name string, container core.Container) {
	ports := map[string]bool{}
	for _, p := range container.Ports {
		ports[p.Name] = true
	}
	if len(ports) > 0 && (container.ReadinessProbe == nil || container.LivenessProbe == nil) {
		c.fault("%s: container %s serves without probes", name, container.Name)
	}
	for _, probe := range []*core.Probe{container.StartupProbe, container.ReadinessProbe, container.LivenessProbe} {
		switch {
		case probe == nil:
		case probe.HTTPGet != nil && !ports[probe.HTTPGet.Port.String()]:
			c.fault("%s: a probe asks port %s", name, probe.HTTPGet.Port.String())
		case probe.TCPSocket != nil && !ports[probe.TCPSocket.Port.String()]:
			c.fault("%s: a probe asks port %s", name, probe.TCPSocket.Port.String())
		}
	}
}

// contains reports whether all has every pair of some, and some has any.
func contains(all, some map[string]string) bool {
	for key, value := range some {
		if all[key] != value {
			return false
		}
	}
	return len(some) > 0
}
