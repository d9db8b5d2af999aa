package guard

import "reeve/internal/pathname"

// relativeBase is the folder that relative paths start from.
func relativeBase(c pathname.Context) string {
	switch c.Style {
	case pathname.StyleAbsolute:
		return ""
	case pathname.StyleHome:
		return c.Home
	}
	return c.Base
}
