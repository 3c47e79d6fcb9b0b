"""Writes Parquet files of the scores of scores.tsv, and some that are not read. Made with pyarrow 19.0.1."""
import csv, os
import pyarrow as pa, pyarrow.parquet as pq

folder = os.path.dirname(os.path.abspath(__file__))
rows = list(csv.DictReader(open(os.path.join(folder, "scores.tsv"), encoding="utf-8", newline=""), delimiter="\t"))
names = {name: pa.array([row[name] for row in rows]) for name in ("side", "head", "relation", "tail")}
score = pa.array([float(row["score"]) for row in rows])


def write(name, table, **options):
    pq.write_table(pa.table(table), os.path.join(folder, name + ".parquet"), **options)


write("snappy", {**names, "score": score})  # pyarrow's defaults: dictionaries, pages of version 1
write("zstd", {"score": score, "note": pa.array(range(len(rows))), **names}, compression="zstd", data_page_version="2.0", row_group_size=3,
      use_dictionary=False)
write("gzip", {"score": score.cast(pa.float32()), **names}, compression="gzip", row_group_size=2)
categories = {name: array.dictionary_encode() for name, array in names.items()}
write("category", {**categories, "score": score}, compression="none")
write("no-score", names)
write("text-score", {**names, "score": score.cast(pa.string())})
write("null-head", {**names, "head": pa.array(["Ann", "Ann", None, "Bob", "Ann", "Cid", "tea"]), "score": score})
write("null-score", {**names, "score": pa.array([1.0, None, 2.0, 3.0, 4.0, 5.0, 6.0])})
write("twice", {name: pa.concat_arrays([array, array[4:5]]) for name, array in {**names, "score": score}.items()})
