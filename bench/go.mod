module reeve/bench

go 1.26.5
