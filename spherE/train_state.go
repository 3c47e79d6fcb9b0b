package sphere

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strconv"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Keys of a training state's metadata.
const (
	trainingKey = "training"
	graphKey    = "graph_digest"
	stepKey     = "step"
	sumKey      = "loss_sum_bits"
)

// Names under which Adam's moments are stored, before the name of the parameter.
var momentPrefix = [2]string{"adam.first.", "adam.second."}

// squarePrefix is that of Adagrad's sums of squares.
const squarePrefix = "adagrad."

func (t *Trainer) tensors() []tensor {
	all := t.model.tensors()
	if t.all != nil {
		s := t.all.squares
		return append(all, t.model.parts(squarePrefix, s)...)
	}
	for i, prefix := range momentPrefix {
		all = append(all, t.model.parts(prefix, t.moment[i])...)
	}
	return all
}

// NotFiniteError is the error for a model with a parameter that is NaN or infinite. The last state that Save wrote is
// still good.
type NotFiniteError struct {
	Epoch  int    // finished epochs
	Tensor string // the first such tensor, for example "entity.center"
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("after epoch %d the model holds values in %s that are not finite numbers", e.Epoch, e.Tensor)
}

// Save writes everything that ResumeTrainer needs to continue with the same bits, atomically: a safetensors file with
// the model's tensors, Adam's moments, the step and the settings. It refuses a model that diverged (*DivergedError) or
// holds NaN or an infinity (*NotFiniteError), so that a bad state never replaces a good one. Errors are
// *CheckpointError and wrap these.
func (t *Trainer) Save(path string) error {
	if t.diverged != nil {
		return &CheckpointError{path, fmt.Errorf("was not written: %w", t.diverged)}
	}
	if name := t.model.notFinite(); name != "" {
		return &CheckpointError{path, fmt.Errorf("was not written: %w", &NotFiniteError{Epoch: t.Done(), Tensor: name})}
	}
	metadata, err := t.model.metadata()
	if err != nil {
		return err
	}
	settings, err := json.Marshal(t.settings)
	if err != nil {
		return err
	}
	all := t.tensors()
	maps.Copy(metadata, map[string]string{
		digestKey: t.model.Digest(), trainingKey: string(settings), graphKey: t.digest,
		stepKey: strconv.FormatUint(t.step, 10), sumKey: strconv.FormatUint(math.Float64bits(t.sum), 16),
	})
	metadata[fileDigest] = digestOfFile(all, metadata)
	return writeTensors(path, all, metadata)
}

// ResumeTrainer continues from a file that Save wrote. Graph and settings must be those of the saved run. Only Epochs,
// Threads and SIMD may differ; they do not change a bit.
func ResumeTrainer(path string, g *kg.Graph, t Training) (*Trainer, error) {
	f, err := openTensors(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := f.model()
	if err != nil {
		return nil, err
	}
	if t, err = t.On(g); err != nil {
		return nil, err
	}
	if err := f.compatible(g, t); err != nil {
		return nil, &CheckpointError{path, err}
	}
	trainer, err := NewTrainer(m, g, t)
	if err != nil {
		return nil, err
	}
	if err := trainer.restore(f); err != nil {
		trainer.Close()
		return nil, err
	}
	return trainer, nil
}

// LoadState returns the model of a file that Trainer.Save wrote, for answering questions, and the number of finished
// steps.
func LoadState(path string) (m *Model, steps uint64, err error) {
	f, err := openTensors(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if m, err = f.model(); err != nil {
		return nil, 0, err
	}
	var settings Training
	if err := json.Unmarshal([]byte(f.metadata[trainingKey]), &settings); err != nil {
		return nil, 0, &CheckpointError{path, fmt.Errorf("metadata %s: %w", trainingKey, err)}
	}
	t := &Trainer{model: m} // the moments are read too, because the file's digest covers them
	if settings.Loss == OneVsAll {
		t.all = &oneVsAll{squares: m.newMoments(1)}
	} else {
		for i := range t.moment {
			t.moment[i] = m.newMoments(1 + i)
		}
	}
	if err := t.restore(f); err != nil {
		return nil, 0, err
	}
	return m, t.step, nil
}

func (f *tensorFile) compatible(g *kg.Graph, t Training) error {
	if d := f.metadata[graphKey]; d != g.Digest() {
		return fmt.Errorf("was trained on another graph (digest %.12s) than %s (%.12s)", d, g.Name, g.Digest())
	}
	var saved Training
	if err := json.Unmarshal([]byte(f.metadata[trainingKey]), &saved); err != nil {
		return fmt.Errorf("metadata %s: %w", trainingKey, err)
	}
	saved.Epochs, saved.Threads, saved.SIMD = t.Epochs, t.Threads, t.SIMD
	saved.Loss = cmp.Or(saved.Loss, SelfAdversarial) // states of versions without a choice of loss
	if saved != t {
		field, was, is := firstDifference(saved, t)
		return fmt.Errorf("was trained with %s %v, not %v: resume with the saved settings", field, was, is)
	}
	return nil
}

func firstDifference(a, b Training) (field string, was, is any) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !x.Field(i).Equal(y.Field(i)) {
			return x.Type().Field(i).Name, x.Field(i).Interface(), y.Field(i).Interface()
		}
	}
	return "", nil, nil
}

func (t *Trainer) restore(f *tensorFile) error {
	all := t.tensors()
	if err := f.read(all); err != nil {
		return err
	}
	if err := f.verify(all); err != nil {
		return err
	}
	step, err := strconv.ParseUint(f.metadata[stepKey], 10, 56)
	if err != nil {
		return &CheckpointError{f.path, fmt.Errorf("metadata %s: %w", stepKey, err)}
	}
	bits, err := strconv.ParseUint(f.metadata[sumKey], 16, 64)
	if err != nil {
		return &CheckpointError{f.path, fmt.Errorf("metadata %s: %w", sumKey, err)}
	}
	t.step, t.sum = step, math.Float64frombits(bits)
	t.model.prepareAll()
	return nil
}
