module peer

go 1.19

require github.com/fiorix/go-diameter/v4 v4.0.4

require (
	github.com/ishidawataru/sctp v0.0.0-20190922091402-408ec287e38c // indirect
	golang.org/x/net v0.0.0-20191007182048-72f939374954 // indirect
)
