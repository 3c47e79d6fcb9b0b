//go:build !race

package sphere

// manyEpochs of small trainings are 200 steps.
const manyEpochs = 50
