package kg

// namer assigns ids to the names of triples on a goroutine of its own, while the reader reads the following lines; both
// take about the same time. Ids do not depend on it, because names are looked up in the order in which they were added.
type namer struct {
	filling     nameBatch
	full        chan nameBatch // to the goroutine
	empty       chan nameBatch // from the goroutine
	finished    chan []Triple
	count       int
	isDelivered bool
}

// nameBatch has the names of some triples in sequence. ends has the end positions of the names, three per triple.
type nameBatch struct {
	text []byte
	ends []int32
}

const (
	batchText = 1 << 16 // bytes after which a batch is handed over
	batches   = 4
)

// namer starts a namer. Its user must call triples or stop; until then nothing else may use the names of the builder.
func (b *builder) namer() *namer {
	n := &namer{
		full: make(chan nameBatch, batches), empty: make(chan nameBatch, batches), finished: make(chan []Triple, 1),
	}
	for range batches {
		n.empty <- nameBatch{}
	}
	n.filling = <-n.empty
	go func() {
		var all []Triple
		for batch := range n.full {
			from := int32(0)
			var names [3][]byte
			for i, end := range batch.ends {
				names[i%3] = batch.text[from:end]
				from = end
				if i%3 == 2 {
					all = append(all, b.triple(names[0], names[1], names[2]))
				}
			}
			n.empty <- nameBatch{batch.text[:0], batch.ends[:0]}
		}
		n.finished <- all
	}()
	return n
}

// add adds a triple. It copies the names.
func (n *namer) add(head, relation, tail []byte) {
	f := &n.filling
	for _, name := range [3][]byte{head, relation, tail} {
		f.text = append(f.text, name...)
		f.ends = append(f.ends, int32(len(f.text)))
	}
	n.count++
	if len(f.text) >= batchText {
		n.full <- n.filling
		n.filling = <-n.empty
	}
}

// len returns the number of added triples.
func (n *namer) len() int { return n.count }

// triples returns all triples in the order of add, once they have ids.
func (n *namer) triples() []Triple {
	n.full <- n.filling
	n.stop()
	return <-n.finished
}

// stop ends the goroutine; after triples it does nothing.
func (n *namer) stop() {
	if !n.isDelivered {
		n.isDelivered = true
		close(n.full)
	}
}
