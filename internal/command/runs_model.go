package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/foreign"
	"github.com/spherelab/spherelab/experiments/results"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsExportModelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export-model RUN DIR",
		Short: "Write a run's model into a folder for other programs: tensors, names, a card",
		Long: `Write the trained model of RUN into the folder DIR, which is made: model.safetensors with its tensors, entities.tsv and
relations.tsv with the names of their rows, pykeen.safetensors for PyKEEN's model of the same name (TransE of both norms,
DistMult, ComplEx, RESCAL without reciprocal relations, RotatE of variant paper), and README.md with data, config, metrics, the
meaning of each tensor and how to score a triple. docs/python.md scores the files in Python; runs import-model reads them back.

Models that count facts and those with the weights of other graphs have no tensors. Of a stack export the runs that it
combines.`,
		Example: `  spherelab runs export-model last umls-rotate`,
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), args[0], nil, func(_ context.Context, run *answer.Run) error {
				if err := results.ExportModel(run, args[1]); err != nil {
					return err
				}
				fmt.Fprintln(a.stdout, args[1])
				return nil
			})
		},
	}
	a.addDataFlag(cmd)
	return cmd
}

// importFlags are the flags of runs import-model.
type importFlags struct {
	options       foreign.Options
	graph, format string
	set           []string
	file          func() []config.FlagValue
}

func (a *app) runsImportModelCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import-model PATH --graph GRAPH",
		Short: "Log a model that another program has trained, and measure it",
		Long: `Log a model that another program has trained on GRAPH as a run, measure it as a training does at its end, and print the
table of eval. From then on it answers, is stacked and stands in tables like other runs.

PATH is a folder, or a file of tensors in one:

  trained_model.pkl    PyKEEN's save_to_directory: TransE, DistMult, ComplEx, RotatE, RESCAL, TuckER. Names are
                       read from training_triples/. No code of the pickle is run.
  *.pt                 a checkpoint or package of LibKGE: TransE, RotatE, DistMult, ComplEx, Rescal, RelationalTucker3,
                       the last four also with reciprocal relations. A package has the names; those of a checkpoint
                       are in entity_ids.del and relation_ids.del of the data set: copy them, or name its folder with
                       --names.
  config.json          of RotatE's authors, next to checkpoint or entity_embedding.npy: TransE, DistMult, ComplEx, RotatE;
                       of HousE's authors: HousE_r. Names are read from entities.dict and relations.dict.
  config.json          of DGL-KE, next to its arrays: TransE, DistMult, ComplEx, RotatE, RESCAL. entities.tsv and
                       relations.tsv are read as DGL-KE writes them, or entities.dict and relations.dict.
  *.ckpt               OpenKE's save_checkpoint: TransE, DistMult, ComplEx, RotatE. The file does not say whether it
                       has TransE (of p_norm 1 transe, of 2 transe-l2) or DistMult, which --model says, nor the norm_flag
                       of TransE, which --norm-flag says.
                       Names are read from entity2id.txt and relation2id.txt.
  model.safetensors    what runs export-model has written, of any model; or two tensors, entity and relation
  model.npz            two arrays, entity and relation

Next to tensors the files entities.tsv and relations.tsv have the names of the rows: columns id and name, tab separated.
Two plain tensors need --model. Their shapes are [rows, D], of complex numbers [rows, D, 2]; relations of RotatE may also be
angles in radians, [rows, D], and those of RESCAL are matrices, [rows, D, D]. A TuckER becomes a rescal with the same scores.

A margin moves no rank, but sets at cut margin depend on it: --gamma is what the model was trained with (default: that
of the file, or 6).`,
		Example: `  spherelab runs import-model pykeen-rotate --graph umls
  spherelab runs import-model checkpoint_best.pt --graph umls --names kge/data/umls
  spherelab runs import-model model.npz --graph umls --model transe --gamma 9`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSIMD(); err != nil {
				return err
			}
			return a.importModel(cmd.Context(), args[0], &f)
		},
	}
	flags, variants := cmd.Flags(), []string{sphere.Clean, sphere.Paper}
	flags.StringVar(&f.graph, "graph", "", "the `GRAPH` that the model was trained on: a name, a file or a folder")
	flags.Var(choice(&f.options.Model, "", foreign.Models(), foreign.Models()), "model", "which `MODEL` tensors are of: "+
		strings.Join(foreign.Models(), ", "))
	flags.Var(choice(&f.options.Variant, "", variants, variants), "variant",
		"of RotatE: clean sums the lengths of blocks, paper has the 2-norm of the vector (default: clean, of PyKEEN paper, of LibKGE by its l_norm)")
	flags.Float64Var(&f.options.Gamma, "gamma", 0, "the margin, in units of distance (default: that of the file, or 6)")
	flags.Var(choice(&f.options.NormFlag, "", []string{"true", "false"}, []string{"true", "false"}), "norm-flag",
		"the norm_flag of OpenKE's TransE: true if it scores rows of length 1, OpenKE's default, or false")
	flags.StringVar(&f.options.Names, "names", "", "the `FOLDER` with the names of the rows (default: that of the model)")
	flags.StringArrayVar(&f.set, "set", nil,
		"set a config key of the evaluation or of the split of a file, `key=value`, as for train; may be repeated")
	f.file = addFileFlags(cmd)
	addFormatFlag(cmd, &f.format, nil)
	a.addDataFlag(cmd)
	_ = cmd.MarkFlagRequired("graph") // the flag exists
	return cmd
}

// importModel reads a model for a graph, logs it and writes its report.
func (a *app) importModel(ctx context.Context, path string, f *importFlags) error {
	dirs, err := a.dataDirs()
	if err != nil {
		return err
	}
	g, err := a.readDivided(f.graph, dirs, f.set, f.file())
	if err != nil {
		return err
	}
	m, err := foreign.Open(path, g, f.options)
	if err != nil {
		return err
	}
	if m.Note != "" {
		fmt.Fprintln(a.stderr, "note: "+m.Note)
	}
	data, _ := config.FindGraph(f.graph, dirs)
	checked, err := experiments.ImportConfig(config.Layers{Env: a.env, Set: f.set, Flags: f.file()}, data, m.Settings())
	if err != nil {
		return err
	}
	return a.withTracker(ctx, func(t *tracker.Tracker) error {
		progress, end := a.progress(false)
		r := &experiments.Runner{Tracker: t, DataDirs: dirs, Environment: a.environment(ctx), Progress: progress}
		done := a.interrupts.register(r.Abandon)
		result, err := r.ImportModel(ctx, checked, g, m.Model, m.From)
		done()
		end()
		if err != nil {
			return err
		}
		run, err := answer.Open(ctx, t, result.RunID, dirs)
		if err != nil || result.Report == nil {
			return err
		}
		return a.writeGrid(results.ReportTable(run, result.Report).Grid(f.format), f.format)
	})
}
