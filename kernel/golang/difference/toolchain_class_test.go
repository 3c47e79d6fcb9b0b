package difference

// notApplicable are programs of the toolchain that look at what is the compiler's or the runtime's own.
var notApplicable = map[string][]string{
	"calls and lines of the runtime's own stack": {
		"devirtualization_nil_panics", "fixedbugs/bug347", "fixedbugs/bug348", "fixedbugs/issue14646",
		"fixedbugs/issue17381", "fixedbugs/issue18149", "fixedbugs/issue21879", "fixedbugs/issue22083",
		"fixedbugs/issue22662", "fixedbugs/issue27201", "fixedbugs/issue29504", "fixedbugs/issue33724",
		"fixedbugs/issue4562", "fixedbugs/issue58300", "fixedbugs/issue58300b", "fixedbugs/issue5856",
		"fixedbugs/issue7690", "inline_literal",
	},
	"counts of allocations, and when the collector finds what": {
		"closure", "finprofiled", "fixedbugs/issue15277", "fixedbugs/issue15281", "fixedbugs/issue24491b",
		"fixedbugs/issue27518b", "fixedbugs/issue32477", "fixedbugs/issue45045", "fixedbugs/issue4618",
		"fixedbugs/issue4667", "fixedbugs/issue46725", "fixedbugs/issue57823", "heapsampling", "stackobj", "stackobj3",
		"typeparam/chans",
	},
}

// classOf is why a program does not apply, "" if it does.
func classOf(program string) string {
	for class, list := range notApplicable {
		for _, name := range list {
			if program == name+".go" {
				return class
			}
		}
	}
	return ""
}
