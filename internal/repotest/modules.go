package repotest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Module is one third-party module with the texts of its licence files.
type Module struct {
	Path, Version string
	Licences      []string
}

// Linked lists the modules whose packages are compiled into a program, for
// one operating system.
func Linked(root, program, goos string) ([]Module, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", program)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	return modules(cmd, func(d *json.Decoder) (listedModule, error) {
		var p struct{ Module *listedModule }
		err := d.Decode(&p)
		if p.Module == nil {
			p.Module = &listedModule{}
		}
		return *p.Module, err
	})
}

// Graph lists every module of the build list, tests' included. Modules that
// were never downloaded have no licence text.
func Graph(root string) ([]Module, error) {
	cmd := exec.Command("go", "list", "-m", "-json", "all")
	cmd.Dir = root
	return modules(cmd, func(d *json.Decoder) (listedModule, error) {
		var m listedModule
		err := d.Decode(&m)
		return m, err
	})
}

type listedModule struct {
	Path, Version, Dir string
	Main               bool
}

func modules(cmd *exec.Cmd, next func(*json.Decoder) (listedModule, error)) ([]Module, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
	}
	seen := map[string]listedModule{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		m, err := next(d)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if m.Path != "" && !m.Main {
			seen[m.Path] = m
		}
	}
	var list []Module
	for _, m := range seen {
		var texts []string
		if m.Dir != "" {
			if texts, err = licenceTexts(m.Dir); err != nil {
				return nil, err
			}
		}
		list = append(list, Module{m.Path, m.Version, texts})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list, nil
}

func licenceTexts(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.Type().IsRegular() || !(strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "UNLICENSE")) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, string(b))
	}
	return all, nil
}

// LicenceName tells the family of one licence file, "" for one that it does
// not know, which a person has to read. Licences speak of each other; the one
// named first is the one given.
func LicenceName(text string) string {
	flat := strings.ToUpper(strings.Join(strings.Fields(text), " "))
	name, first := "", len(flat)
	for _, x := range [][2]string{
		{"AGPL", "GNU Affero General Public License"},
		{"LGPL", "GNU Lesser General Public License"},
		{"GPL", "GNU General Public License"},
		{"not free", "Server Side Public License"},
		{"not free", "Business Source License"},
		{"not free", "Commons Clause"},
		{"not free", "Elastic License"},
		{"Apache-2.0", "Apache License"},
		{"MPL-2.0", "Mozilla Public License"},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
		{"BSD", "Redistribution and use in source and binary forms"},
		{"public domain", "CC0"},
		{"public domain", "Creative Commons Legal Code"},
		{"public domain", "This is free and unencumbered software"},
	} {
		if i := strings.Index(flat, strings.ToUpper(x[1])); i >= 0 && i < first {
			name, first = x[0], i
		}
	}
	// Added clauses take back what the licence above them gives.
	if strings.Contains(flat, "COMMONS CLAUSE") {
		return "not free"
	}
	return name
}

// Licences checks what is linked: a licence file that is known and allows
// linking, and a line in docs/dependencies.md with path and version.
func Licences(linked, graph []Module, document string) []Finding {
	var out []Finding
	refused := map[string]string{
		"AGPL":     "the AGPL reaches everybody who runs Reeve as a service",
		"GPL":      "the GPL would have to hold for all of Reeve",
		"LGPL":     "a static Go program cannot give the LGPL's freedom to exchange the library",
		"not free": "its terms limit what the owner may do with Reeve",
	}
	for _, m := range graph {
		for _, text := range m.Licences {
			if name := LicenceName(text); name == "AGPL" || name == "not free" {
				out = append(out, Finding{m.Path, "is in the module graph under " + name + ": " + refused[name] + ", and a later import would link it unseen"})
			}
		}
	}
	for _, m := range linked {
		if len(m.Licences) == 0 {
			out = append(out, Finding{m.Path, "is linked and has no licence file: nobody may distribute it"})
		}
		for _, text := range m.Licences {
			switch name := LicenceName(text); {
			case name == "":
				out = append(out, Finding{m.Path, "is linked under a licence that LicenceName does not know: read it, and teach internal/repotest/modules.go"})
			case refused[name] != "":
				out = append(out, Finding{m.Path, "is linked under " + name + ": " + refused[name]})
			}
		}
		if !documented(document, m) {
			out = append(out, Finding{m.Path, fmt.Sprintf("is linked but docs/dependencies.md has no line with %s and %s: say there what it is for, its licence and its cost at the start", m.Path, m.Version)})
		}
	}
	return out
}

func documented(document string, m Module) bool {
	path := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(m.Path) + `($|[^\w./-])`)
	for line := range strings.Lines(document) {
		if path.MatchString(line) && strings.Contains(line, m.Version) {
			return true
		}
	}
	return false
}
