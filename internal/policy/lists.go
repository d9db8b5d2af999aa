package policy

import (
	"fmt"
	"strings"
)

// ruleList is one embedded list of rules, one a line. Lines under [linux],
// [darwin] and [windows] are places of that system.
type ruleList struct {
	all     []string
	systems map[string][]string
	// backups: copies that editors and people leave count as the name.
	backups bool
}

func loadList(name string) (ruleList, error) {
	data, err := presets.ReadFile("lists/" + name + ".txt")
	if err != nil {
		return ruleList{}, err
	}
	return parseList(string(data))
}

func parseList(data string) (ruleList, error) {
	out := ruleList{systems: map[string][]string{}}
	section := ""
	for n := 1; data != ""; n++ {
		var line string
		line, data, _ = strings.Cut(data, "\n")
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			switch section = strings.Trim(line, "[]"); section {
			case "all", "linux", "darwin", "windows":
			case "backups":
				out.backups = true
			default:
				return ruleList{}, fmt.Errorf("line %d: no section is named %s", n, section)
			}
		case section == "all":
			out.all = append(out.all, line)
		case section == "" || section == "backups":
			return ruleList{}, fmt.Errorf("line %d: a rule stands in no section", n)
		default:
			out.systems[section] = append(out.systems[section], line)
		}
	}
	return out, nil
}
