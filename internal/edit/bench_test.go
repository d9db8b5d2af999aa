package edit

import (
	"fmt"
	"strings"
	"testing"
)

// megabyte is a file of 1 MB in lines of about 60 bytes.
func megabyte(ending string) []byte {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "\tvalue[%d] = compute(value[%d], options) // step %d%s", i, i+1, i, ending)
	}
	return []byte(b.String())
}

func benchmark(b *testing.B, file []byte, edits []Edit) {
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Apply(file, edits, loose()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOneLine(b *testing.B) {
	benchmark(b, megabyte("\n"), one("// step 9000\n", "// step nine\n"))
}

func BenchmarkOneLineCRLF(b *testing.B) {
	benchmark(b, megabyte("\r\n"), one("// step 9000\n\tvalue[9001]", "// step nine\n\tvalue[9001]"))
}

func BenchmarkOneLineUTF16(b *testing.B) {
	benchmark(b, []byte(utf16(string(megabyte("\r\n")), false)), one("// step 9000\n\tvalue[9001]", "// step nine\n\tvalue[9001]"))
}

func BenchmarkAll(b *testing.B) {
	benchmark(b, megabyte("\n"), []Edit{{"compute", "calculate", true}})
}

func BenchmarkTenEdits(b *testing.B) {
	var edits []Edit
	for i := range 10 {
		edits = append(edits, Edit{Old: fmt.Sprintf("// step %d\n", 9000+i), New: fmt.Sprintf("// now %d\n", i)})
	}
	benchmark(b, megabyte("\n"), edits)
}

func BenchmarkNoMatch(b *testing.B) {
	for name, old := range map[string]string{"alike": "    value[900] = compute(value[901], options)  // step 900\n", "similar": "the value is computed with other options in this step"} {
		b.Run(name, func(b *testing.B) {
			file := megabyte("\n")
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				if _, err := Apply(file, one(old, "x"), loose()); err == nil {
					b.Fatal("found")
				}
			}
		})
	}
}

func BenchmarkDiff(b *testing.B) {
	p := mustApply(b, string(megabyte("\n")), one("// step 9000\n", "// step nine\n")...)
	for b.Loop() {
		p.Diff(0)
	}
}
