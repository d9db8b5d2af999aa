module reeve/bench

go 1.26.5

require reeve v0.0.0

require (
	github.com/aymanbagabas/go-udiff v0.4.2 // indirect
	github.com/gabriel-vasile/mimetype v1.4.16 // indirect
	github.com/klauspost/cpuid/v2 v2.0.12 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/zeebo/blake3 v0.2.4 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace reeve => ../
