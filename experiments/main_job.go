package experiments

import "context"

// mainJob are the configs that train without a config runs, in this order.
var mainJob = []string{"bundled/rotate", "bundled/sphere-2d"}

// MainJob loads the configs of the main job with the layers over each. A layer that chooses the model leaves one config.
func MainJob(l Layers) ([]*Config, error) {
	var configs []*Config
	for _, name := range mainJob {
		l.Config = name
		c, err := LoadConfig(l)
		if err != nil {
			return nil, err
		}
		if len(configs) > 0 && c.Model == configs[len(configs)-1].Model {
			configs = configs[:len(configs)-1]
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// TrainAll runs the configs one after the other and stops at the first that does not finish.
func (r *Runner) TrainAll(ctx context.Context, configs []*Config) ([]*Result, error) {
	var results []*Result
	for _, c := range configs {
		result, err := r.Train(ctx, c)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}
