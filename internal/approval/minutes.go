package approval

// MaxMinutes is the longest that a yes may hold for the same file.
const MaxMinutes = maxMinutes
