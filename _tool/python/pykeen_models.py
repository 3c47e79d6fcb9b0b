"""Trains models of PyKEEN briefly on the graph in the folder argv[1], saves each into a folder of argv[2] by
save_to_directory, and prints what PyKEEN reports: by folder the filtered MRR of the test triples, a rank being the mean of
the best and the worst of a tie. For TestPyKEENItself of experiments/foreign."""
import json, sys, torch
from pykeen.pipeline import pipeline
from pykeen.triples import TriplesFactory

graph, to = sys.argv[1:]
torch.set_num_threads(1)  # of models this small, more only wait for each other
train = TriplesFactory.from_path(f"{graph}/train.txt")
valid, test = (TriplesFactory.from_path(f"{graph}/{split}.txt", entity_to_id=train.entity_to_id,
                                        relation_to_id=train.relation_to_id) for split in ("valid", "test"))
reported = {}
for folder, model, options in [("transe", "TransE", {"scoring_fct_norm": 1}), ("transe-l2", "TransE", {"scoring_fct_norm": 2}),
                               ("distmult", "DistMult", {}), ("complex", "ComplEx", {}), ("rotate", "RotatE", {}),
                               ("rescal", "RESCAL", {}), ("tucker", "TuckER", {"relation_dim": 4}),
                               ("tucker-plain", "TuckER", {"relation_dim": 4, "apply_batch_normalization": False})]:
    result = pipeline(training=train, validation=valid, testing=test, model=model, model_kwargs={"embedding_dim": 6, **options},
                      training_kwargs={"num_epochs": 5, "use_tqdm": False, "batch_size": 9}, evaluation_kwargs={"use_tqdm": False},
                      optimizer_kwargs={"lr": 0.05}, random_seed=7, device="cpu")
    result.save_to_directory(f"{to}/{folder}")
    reported[folder] = result.get_metric("both.realistic.inverse_harmonic_mean_rank")
print(json.dumps(reported))
