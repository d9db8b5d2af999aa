// Command durable measures what a durable change costs beside the bare way of
// making one, and how much of the processor an edit takes.
//
//	durable [-rounds N] [-max-ratio X] [-max-cpu-ms X] [-only bare|do|edit]
//		[-profile FILE] [DIR]
//
// In DIR (a temporary folder if none is named) it replaces a file of 2 KB by
// turns: a temporary file, sync, rename, sync of the folder; and through the
// gate of a node, with history and record in the same file system. Then it
// edits one line of a file of 1 MB. The flags are goals; missing one is a
// failure (exit code 1).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"reeve"
	"reeve/node"
)

func main() {
	rounds := flag.Int("rounds", 300, "replaces of each kind; a third as many edits")
	maxRatio := flag.Float64("max-ratio", 0, "goal for the ratio of the medians (0: none)")
	maxCPU := flag.Float64("max-cpu-ms", 0, "goal for the processor time of an edit, in ms (0: none)")
	only := flag.String("only", "", "one of bare, do, edit: for looking at its system calls")
	profile := flag.String("profile", "", "write a processor profile here")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "durable:", err)
			os.Exit(1)
		}
	}
	err := run(*rounds, *maxRatio, *maxCPU, *only, flag.Arg(0))
	pprof.StopCPUProfile()
	if err != nil {
		fmt.Fprintln(os.Stderr, "durable:", err)
		os.Exit(1)
	}
}

func run(rounds int, maxRatio, maxCPU float64, only, dir string) error {
	base, err := os.MkdirTemp(dir, "reeve-durable-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	if base, err = filepath.Abs(base); err != nil {
		return err
	}
	yard := filepath.Join(base, "yard")
	if err := os.Mkdir(yard, 0o755); err != nil {
		return err
	}
	n, err := node.New(context.Background(), node.Config{ConfigFile: filepath.Join(base, "config.toml"), StateDir: filepath.Join(base, "state"),
		Home: filepath.Join(base, "home"), Profile: "lam", Approve: "allow", Folders: []node.Folder{{Path: yard, Access: reeve.ReadWrite}}})
	if err != nil {
		return err
	}
	defer n.Shutdown(context.Background())
	b := bench{n: n, yard: yard, only: only}
	return errors.Join(b.replaces(rounds, maxRatio), b.edits(max(rounds/3, 1), maxCPU))
}

type bench struct {
	n    *node.Node
	yard string
	only string
}

func (b bench) wants(what string) bool { return b.only == "" || b.only == what }

func (b bench) do(c reeve.Call) error {
	out, err := b.n.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Kind: reeve.Agent, Agent: "bench", Door: "library", Session: "s"}, Call: c})
	if err == nil && out.Result == nil {
		err = errors.New("it was asked")
	}
	return err
}

func (b bench) replaces(rounds int, maxRatio float64) error {
	text := func(i int) string {
		return strings.Repeat(fmt.Sprintf("line of round %06d, as long as such lines often are in texts\n", i), 33)[:2048]
	}
	ways := map[string]func(i int) error{
		"bare": func(i int) error { return bare(filepath.Join(b.yard, "bare.txt"), []byte(text(i))) },
		"do": func(i int) error {
			return b.do(&reeve.WriteFile{Path: filepath.Join(b.yard, "kept.txt"), Content: text(i)})
		},
	}
	took, cpu := map[string][]time.Duration{}, map[string]time.Duration{}
	for i := range rounds + 10 {
		for _, name := range []string{"bare", "do"} {
			if !b.wants(name) {
				continue
			}
			used, start := processor(), time.Now()
			if err := ways[name](i); err != nil {
				return err
			}
			if i >= 10 { // the first ones open files and make folders
				took[name] = append(took[name], time.Since(start))
				cpu[name] += processor() - used
			}
		}
	}
	for _, name := range []string{"bare", "do"} {
		if t := took[name]; len(t) > 0 {
			slices.Sort(t)
			fmt.Printf("durable replace of 2 KB, %-4s  median %6.0f µs, 90%% %6.0f µs, processor %5.0f µs\n", name,
				us(t[len(t)/2]), us(t[len(t)*9/10]), us(cpu[name]/time.Duration(len(t))))
		}
	}
	if b.only != "" {
		return nil
	}
	ratio := us(took["do"][rounds/2]) / us(took["bare"][rounds/2])
	fmt.Printf("ratio of the medians: %.2f\n", ratio)
	if maxRatio > 0 && ratio > maxRatio {
		return fmt.Errorf("the ratio %.2f is over the goal of %g", ratio, maxRatio)
	}
	return nil
}

func (b bench) edits(rounds int, maxCPU float64) error {
	if !b.wants("edit") {
		return nil
	}
	path := filepath.Join(b.yard, "large.txt")
	body := strings.Repeat("a line of sixty-four bytes, which is as long as lines often are\n", 1<<20/64)
	if err := os.WriteFile(path, []byte(body[:len(body)/2]+"needle 0\n"+body[len(body)/2:]), 0o644); err != nil {
		return err
	}
	edit := func(i int) error {
		return b.do(&reeve.EditFile{Path: path, Edits: []reeve.Edit{{Old: fmt.Sprintf("needle %d\n", i), New: fmt.Sprintf("needle %d\n", i+1)}}})
	}
	var took []time.Duration
	var used time.Duration
	for i := range rounds {
		cpu, start := processor(), time.Now()
		if err := edit(i); err != nil {
			return err
		}
		took, used = append(took, time.Since(start)), used+processor()-cpu
	}
	slices.Sort(took)
	ms := us(used/time.Duration(rounds)) / 1000
	fmt.Printf("edit of one line of 1 MB        median %6.0f µs, processor %.2f ms each\n", us(took[rounds/2]), ms)
	if maxCPU > 0 && ms > maxCPU {
		return fmt.Errorf("the processor time of an edit, %.2f ms, is over the goal of %g ms", ms, maxCPU)
	}
	return nil
}

// bare replaces a file durably with nothing beside it.
func bare(path string, data []byte) error {
	f, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
