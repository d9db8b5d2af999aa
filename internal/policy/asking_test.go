package policy

import (
	"testing"
	"time"
)

func TestHowTheOwnerIsAsked(t *testing.T) {
	for text, want := range map[string]Asking{
		"":                         {true, true, 45 * time.Second},
		`elicitation = "never"`:    {false, true, 45 * time.Second},
		`elicitation = "ask"`:      {true, true, 45 * time.Second},
		`elicitation = "perhaps"`:  {false, true, 45 * time.Second},
		`open_console = "never"`:   {true, false, 45 * time.Second},
		`open_console = true`:      {true, false, 45 * time.Second},
		`wait_seconds = 30`:        {true, true, 30 * time.Second},
		`wait_seconds = 0`:         {true, true, 0},
		`wait_seconds = -1`:        {true, true, 45 * time.Second},
		`wait_seconds = 4000`:      {true, true, 45 * time.Second},
		"profile = \"none\"":       {false, false, 45 * time.Second},
		`this is no configuration`: {false, false, 45 * time.Second},
	} {
		cfg, _ := ParseConfig("config.toml", []byte(text))
		profile, err := LoadProfile(ProfileName(Config{}, Run{}))
		if err != nil {
			t.Fatal(err)
		}
		p, _ := Compile(Env{Home: "/home/ann", GOOS: "linux"}, profile, cfg, Run{})
		if got := p.Asking(); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
