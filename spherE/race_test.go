//go:build race

package sphere

// manyEpochs are fewer under the race detector: races show in the first steps, and it makes each many times slower.
const manyEpochs = 3
