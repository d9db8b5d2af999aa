package capfs

const (
	separator  = `\`
	separators = `\/`
)
