package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Tags and the file by which MLflow's pages know a run's model and how it was started.
const (
	tagModels   = "mlflow.log-model.history"
	modelFolder = "model"
)

// publish sends the run's files to a tracking server, except for those that only this machine needs. names are the
// files; without names all are sent.
func (s *session) publish(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		root := s.run.ArtifactDir()
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			name, err := filepath.Rel(root, file)
			name = filepath.ToSlash(name)
			if name != answer.StateFile && name != answer.BestFile && !strings.HasPrefix(entry.Name(), ".") {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("listing the run's files: %w", err)
		}
	}
	return s.run.Publish(ctx, names...)
}

// datasets describes the graph for MLflow's pages, which show what a run was trained on.
func datasets(g *kg.Graph) []tracker.Dataset {
	digest := g.Digest()
	text := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil { // a programming error: the values are of our own types
			panic(err)
		}
		return string(raw)
	}
	var columns []map[string]string
	for _, name := range []string{"head", "relation", "tail"} {
		columns = append(columns, map[string]string{"name": name, "type": "string"})
	}
	kind, source := "local", map[string]string{"uri": g.Source}
	if g.Source == "" {
		kind, source = "code", map[string]string{"graph": g.Name}
	}
	return []tracker.Dataset{{Name: g.Name, Digest: digest[:min(len(digest), 32)], SourceType: kind,
		Source: text(source), Schema: text(map[string]any{"mlflow_colspec": columns}),
		Profile: text(map[string]int{"num_rows": len(g.Train), "valid": len(g.Valid), "test": len(g.Test),
			"entities": g.Entities.Len(), "relations": g.Relations.Len()}),
		Tags: map[string]string{"mlflow.data.context": "training"}}}
}

// describeModel writes what MLflow calls a model: a folder with a file MLmodel, which a tag of the run names. Python
// reads the tensors with safetensors. There is no flavour that MLflow itself could load.
func (s *session) describeModel(digest string) error {
	flavour := map[string]string{"data": "../" + answer.ModelFile, "config": "../" + answer.ConfigFile, "entities": "../" + answer.EntitiesFile,
		"relations": "../" + answer.RelationsFile, "checkpoint_digest": digest, "model": s.cfg.Model, "variant": s.cfg.Variant}
	flavours := map[string]any{"spherelab": flavour}
	made := time.Now().UTC().Format("2006-01-02 15:04:05.000000")
	description := map[string]any{"artifact_path": modelFolder, "flavors": flavours, "run_id": s.run.ID(),
		"utc_time_created": made, "model_uuid": s.run.ID()}
	raw, err := json.MarshalIndent(description, "", "  ") // JSON is valid YAML
	if err != nil {
		return fmt.Errorf("description of the model: %w", err)
	}
	if err := s.write(path.Join(modelFolder, "MLmodel"), append(raw, '\n')); err != nil {
		return err
	}
	history, err := json.Marshal([]any{description})
	if err != nil {
		return fmt.Errorf("description of the model: %w", err)
	}
	return s.run.SetTags(map[string]string{tagModels: string(history)})
}
