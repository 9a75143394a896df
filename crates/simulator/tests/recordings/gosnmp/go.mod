module walk

go 1.24.0

require github.com/gosnmp/gosnmp v1.47.0
