package repotest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
)

// Cost is what package initialisers allocate.
type Cost struct{ Bytes, Allocs int64 }

// InitCosts is the cost by package. Packages that allocate nothing are left out.
type InitCosts map[string]Cost

// Total sums all packages.
func (c InitCosts) Total() Cost {
	var t Cost
	for _, x := range c {
		t.Bytes += x.Bytes
		t.Allocs += x.Allocs
	}
	return t
}

// ParseInitTrace reads what GODEBUG=inittrace=1 makes a program write to its
// standard error. Other lines are passed over.
func ParseInitTrace(stderr []byte) (InitCosts, error) {
	line := regexp.MustCompile(`^init (\S+) @\S+ ms, \S+ ms clock, (\d+) bytes, (\d+) allocs$`)
	costs := InitCosts{}
	lines := 0
	for l := range strings.Lines(string(stderr)) {
		m := line.FindStringSubmatch(strings.TrimRight(l, "\r\n"))
		if m == nil {
			continue
		}
		lines++
		b, err1 := strconv.ParseInt(m[2], 10, 64)
		a, err2 := strconv.ParseInt(m[3], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("not a cost: %q", l)
		}
		if b > 0 || a > 0 {
			costs[m[1]] = Cost{b, a}
		}
	}
	if lines == 0 {
		return nil, fmt.Errorf("the program wrote no init lines")
	}
	return costs, nil
}

// MeasureInit builds a program and runs it once with the given arguments.
// Each figure is the least of three runs, since the runtime itself allocates
// a little now and then.
func MeasureInit(root, program, dir string, args ...string) (InitCosts, error) {
	exe := filepath.Join(dir, "program")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	build := exec.Command("go", "build", "-o", exe, program)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	var least InitCosts
	for range 3 {
		run := exec.Command(exe, args...)
		run.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var stderr bytes.Buffer
		run.Stderr = &stderr
		if err := run.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", run, err, stderr.Bytes())
		}
		costs, err := ParseInitTrace(stderr.Bytes())
		if err != nil {
			return nil, err
		}
		if least == nil {
			least = costs
			continue
		}
		for p, c := range costs {
			if o, ok := least[p]; ok {
				least[p] = Cost{min(c.Bytes, o.Bytes), min(c.Allocs, o.Allocs)}
			}
		}
	}
	return least, nil
}

// Budget is a stored measurement, and how far a new one may be above it.
type Budget struct {
	System  string // "go1.26 linux/amd64": figures of another are no measure
	Percent int64
	Costs   InitCosts
}

// System names the toolchain and computer that figures hold for.
func System() string {
	v := strings.SplitN(runtime.Version(), ".", 3)
	if len(v) > 2 {
		v = v[:2]
	}
	return strings.Join(v, ".") + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// ParseBudget reads the stored form: "system …", "percent N", then one line
// of package, bytes and allocations each.
func ParseBudget(b []byte) (Budget, error) {
	out := Budget{Costs: InitCosts{}}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		l := strings.TrimSpace(s.Text())
		if l == "" || l[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(l, " ")
		switch word {
		case "system":
			out.System = rest
			continue
		case "percent":
			n, err := strconv.ParseInt(rest, 10, 64)
			if err != nil {
				return out, fmt.Errorf("percent: %w", err)
			}
			out.Percent = n
			continue
		}
		var c Cost
		if _, err := fmt.Sscanf(rest, "%d %d", &c.Bytes, &c.Allocs); err != nil {
			return out, fmt.Errorf("%q: %w", l, err)
		}
		out.Costs[word] = c
	}
	if out.System == "" || len(out.Costs) == 0 || out.Percent <= 0 {
		return out, fmt.Errorf("a budget needs system, percent and at least one package")
	}
	return out, nil
}

// Format is the stored form of a budget.
func (b Budget) Format() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# What package initialisers of cmd/reeve allocate: package, bytes, allocations.\n")
	fmt.Fprintf(&w, "# Written by: REEVE_INIT_BUDGET=write go test ./internal/repotest -run InitBudget\n")
	fmt.Fprintf(&w, "system %s\npercent %d\n", b.System, b.Percent)
	for _, p := range b.Costs.packages() {
		fmt.Fprintf(&w, "%s %d %d\n", p, b.Costs[p].Bytes, b.Costs[p].Allocs)
	}
	return w.Bytes()
}

func (c InitCosts) packages() []string {
	var names []string
	for p := range c {
		names = append(names, p)
	}
	sort.Strings(names)
	return names
}

// Over compares totals and names the packages that grew, largest first.
func (b Budget) Over(now InitCosts) []Finding {
	was, is := b.Costs.Total(), now.Total()
	limit := func(n int64) int64 { return n + n*b.Percent/100 }
	if is.Bytes <= limit(was.Bytes) && is.Allocs <= limit(was.Allocs) {
		return nil
	}
	type growth struct {
		name string
		cost Cost
	}
	var grown []growth
	for p, c := range now {
		if d := (Cost{c.Bytes - b.Costs[p].Bytes, c.Allocs - b.Costs[p].Allocs}); d.Bytes > 0 || d.Allocs > 0 {
			grown = append(grown, growth{p, d})
		}
	}
	sort.Slice(grown, func(i, j int) bool {
		if grown[i].cost.Bytes != grown[j].cost.Bytes {
			return grown[i].cost.Bytes > grown[j].cost.Bytes
		}
		return grown[i].name < grown[j].name
	})
	out := []Finding{{"cmd/reeve", fmt.Sprintf("its initialisers allocate %d bytes in %d allocations; the budget is %d and %d plus %d %%. Every client starts its own reeve, and nothing heavy may run before it is needed", is.Bytes, is.Allocs, was.Bytes, was.Allocs, b.Percent)}}
	for _, g := range grown {
		out = append(out, Finding{g.name, fmt.Sprintf("grew by %d bytes and %d allocations", g.cost.Bytes, g.cost.Allocs)})
	}
	return out
}
