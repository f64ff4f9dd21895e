// A Diameter node by go-diameter that does what its standard input says and tells what it sees.
//
//	peer -role server|client -network tcp|sctp -address HOST:PORT -host NAME -watchdog 500ms
//
// A server answers each CCR with 2001 and the CC-Time it was started with (-grant). Lines in:
// "CCR session type number seconds", "RAR session", "DPR cause", "close". Lines out are JSON:
// {"event": …} with the AVPs that tests look at. Handshake and watchdog are go-diameter's own; DPR
// it leaves to its user.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/fiorix/go-diameter/v4/diam"
	"github.com/fiorix/go-diameter/v4/diam/avp"
	"github.com/fiorix/go-diameter/v4/diam/datatype"
	"github.com/fiorix/go-diameter/v4/diam/dict"
	"github.com/fiorix/go-diameter/v4/diam/sm"
	"github.com/fiorix/go-diameter/v4/diam/sm/smpeer"
)

const creditControl = 4

// What reading a connection that we have closed ends with: over TCP, and over SCTP, whose library
// may be about to read.
var closed = []string{"use of closed network connection", "bad file descriptor"}

type node struct {
	settings *sm.Settings
	machine  *sm.StateMachine
	grant    uint
	out      sync.Mutex
}

func main() {
	role := flag.String("role", "server", "server or client")
	network := flag.String("network", "tcp", "tcp or sctp")
	address := flag.String("address", "127.0.0.1:3868", "to listen on or to connect to")
	host := flag.String("host", "go.example.net", "Origin-Host")
	watchdog := flag.Duration("watchdog", 0, "interval of a client's DWR, 0: none")
	grant := flag.Uint("grant", 60, "CC-Time that a server grants")
	flag.Parse()
	n := &node{grant: *grant, settings: &sm.Settings{
		OriginHost:  datatype.DiameterIdentity(*host),
		OriginRealm: datatype.DiameterIdentity("example.net"),
		VendorID:    0,
		ProductName: "go-diameter",
	}}
	n.machine = sm.New(n.settings)
	n.machine.HandleFunc("CCR", n.onCCR)
	n.machine.HandleFunc("CCA", n.onAnswer("CCA"))
	n.machine.HandleFunc("RAR", n.onRAR)
	n.machine.HandleFunc("RAA", n.onAnswer("RAA"))
	n.machine.HandleFunc("DPR", n.onDPR)
	n.machine.HandleFunc("DPA", n.onAnswer("DPA"))
	go func() {
		for report := range n.machine.ErrorReports() {
			if !byUs(report.Error) {
				n.tell("error", map[string]any{"text": report.Error.Error()})
			}
		}
	}()
	if *role == "client" {
		n.commands(n.dial(*network, *address, *watchdog))
		return
	}
	connections := make(chan diam.Conn, 1)
	go func() {
		for c := range n.machine.HandshakeNotify() {
			n.up(c)
			connections <- c
		}
	}()
	listener, err := diam.MultistreamListen(*network, *address)
	if err != nil {
		log.Fatal(err)
	}
	n.tell("listening", map[string]any{"address": listener.Addr().String()})
	server := &diam.Server{Network: *network, Handler: n.machine, Dict: dict.Default}
	go func() { log.Fatal(server.Serve(listener)) }()
	n.commands(<-connections)
}

func (n *node) dial(network, address string, watchdog time.Duration) diam.Conn {
	client := &sm.Client{
		Handler:            n.machine,
		RetransmitInterval: 60 * time.Second, // for an answer of a daemon on a busy machine
		EnableWatchdog:     watchdog > 0,
		WatchdogInterval:   watchdog,
		AuthApplicationID: []*diam.AVP{
			diam.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(creditControl)),
		},
	}
	c, err := client.DialNetwork(network, address)
	if err != nil {
		n.tell("refused", map[string]any{"text": err.Error()})
		os.Exit(1)
	}
	n.up(c)
	return c
}

func byUs(err error) bool {
	for _, text := range closed {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return errors.Is(err, net.ErrClosed)
}

// tell writes one line.
func (n *node) tell(event string, fields map[string]any) {
	fields["event"] = event
	line, err := json.Marshal(fields)
	if err != nil {
		log.Fatal(err)
	}
	n.out.Lock()
	defer n.out.Unlock()
	fmt.Println(string(line))
}

func (n *node) up(c diam.Conn) {
	fields := map[string]any{}
	if peer, ok := smpeer.FromContext(c.Context()); ok {
		fields["host"], fields["realm"] = string(peer.OriginHost), string(peer.OriginRealm)
		fields["applications"] = peer.Applications
	}
	// Asked for before anybody hears that it is up: the library tells only who has asked in time.
	gone := c.(diam.CloseNotifier).CloseNotify()
	n.tell("up", fields)
	go func() {
		<-gone
		n.tell("closed", map[string]any{})
	}()
}

func (n *node) commands(c diam.Conn) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var command, session string
		var kind, number, seconds uint32
		fmt.Sscan(lines.Text(), &command)
		switch command {
		case "CCR":
			fmt.Sscan(lines.Text(), &command, &session, &kind, &number, &seconds)
			n.send(c, n.ccr(session, kind, number, seconds))
		case "RAR":
			fmt.Sscan(lines.Text(), &command, &session)
			n.send(c, n.rar(c, session))
		case "DPR":
			fmt.Sscan(lines.Text(), &command, &kind)
			m := diam.NewRequest(diam.DisconnectPeer, 0, dict.Default)
			n.origin(m)
			m.NewAVP(avp.DisconnectCause, avp.Mbit, 0, datatype.Enumerated(kind))
			n.send(c, m)
		case "close":
			c.Close()
		}
	}
}

func (n *node) send(c diam.Conn, m *diam.Message) {
	if _, err := m.WriteTo(c); err != nil {
		n.tell("error", map[string]any{"text": err.Error()})
	}
}

func (n *node) origin(m *diam.Message) {
	m.NewAVP(avp.OriginHost, avp.Mbit, 0, n.settings.OriginHost)
	m.NewAVP(avp.OriginRealm, avp.Mbit, 0, n.settings.OriginRealm)
}

func (n *node) ccr(session string, kind, number, seconds uint32) *diam.Message {
	m := diam.NewRequest(diam.CreditControl, creditControl, dict.Default)
	m.NewAVP(avp.SessionID, avp.Mbit, 0, datatype.UTF8String(session))
	n.origin(m)
	m.NewAVP(avp.DestinationRealm, avp.Mbit, 0, n.settings.OriginRealm)
	m.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(creditControl))
	m.NewAVP(avp.ServiceContextID, avp.Mbit, 0, datatype.UTF8String("32251@3gpp.org"))
	m.NewAVP(avp.CCRequestType, avp.Mbit, 0, datatype.Enumerated(kind))
	m.NewAVP(avp.CCRequestNumber, avp.Mbit, 0, datatype.Unsigned32(number))
	time := diam.NewAVP(avp.CCTime, avp.Mbit, 0, datatype.Unsigned32(seconds))
	m.NewAVP(avp.RequestedServiceUnit, avp.Mbit, 0, &diam.GroupedAVP{AVP: []*diam.AVP{time}})
	return m
}

func (n *node) rar(c diam.Conn, session string) *diam.Message {
	m := diam.NewRequest(diam.ReAuth, creditControl, dict.Default)
	m.NewAVP(avp.SessionID, avp.Mbit, 0, datatype.UTF8String(session))
	n.origin(m)
	if peer, ok := smpeer.FromContext(c.Context()); ok {
		m.NewAVP(avp.DestinationRealm, avp.Mbit, 0, peer.OriginRealm)
		m.NewAVP(avp.DestinationHost, avp.Mbit, 0, peer.OriginHost)
	}
	m.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(creditControl))
	m.NewAVP(avp.ReAuthRequestType, avp.Mbit, 0, datatype.Enumerated(0))
	return m
}

// seen returns the AVPs of a message that tests look at, as go-diameter reads them.
func seen(m *diam.Message) map[string]any {
	found := map[string]any{}
	for _, name := range []string{
		"Session-Id", "Origin-Host", "Service-Context-Id", "CC-Request-Type", "CC-Request-Number",
		"Result-Code", "Disconnect-Cause",
	} {
		if one, err := m.FindAVP(name, 0); err == nil {
			found[name] = value(one.Data)
		}
	}
	for _, unit := range []string{
		"Requested-Service-Unit", "Used-Service-Unit", "Granted-Service-Unit",
	} {
		path := []any{unit, "CC-Time"}
		if all, err := m.FindAVPsWithPath(path, 0); err == nil && len(all) > 0 {
			found[unit] = value(all[0].Data)
		}
	}
	return found
}

func value(data datatype.Type) any {
	switch one := data.(type) {
	case datatype.UTF8String:
		return string(one)
	case datatype.DiameterIdentity:
		return string(one)
	case datatype.Unsigned32:
		return uint32(one)
	case datatype.Enumerated:
		return int32(one)
	}
	return data.String()
}

func (n *node) onCCR(c diam.Conn, m *diam.Message) {
	n.tell("CCR", seen(m))
	a := m.Answer(diam.Success)
	if session, err := m.FindAVP(avp.SessionID, 0); err == nil {
		a.InsertAVP(session)
	}
	n.origin(a)
	a.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(creditControl))
	for _, code := range []uint32{avp.CCRequestType, avp.CCRequestNumber} {
		if one, err := m.FindAVP(code, 0); err == nil {
			a.AddAVP(one)
		}
	}
	time := diam.NewAVP(avp.CCTime, avp.Mbit, 0, datatype.Unsigned32(n.grant))
	a.NewAVP(avp.GrantedServiceUnit, avp.Mbit, 0, &diam.GroupedAVP{AVP: []*diam.AVP{time}})
	n.send(c, a)
}

func (n *node) onRAR(c diam.Conn, m *diam.Message) {
	n.tell("RAR", seen(m))
	a := m.Answer(diam.Success)
	if session, err := m.FindAVP(avp.SessionID, 0); err == nil {
		a.InsertAVP(session)
	}
	n.origin(a)
	n.send(c, a)
}

func (n *node) onDPR(c diam.Conn, m *diam.Message) {
	n.tell("DPR", seen(m))
	a := m.Answer(diam.Success)
	n.origin(a)
	n.send(c, a)
}

func (n *node) onAnswer(name string) diam.HandlerFunc {
	return func(c diam.Conn, m *diam.Message) { n.tell(name, seen(m)) }
}
