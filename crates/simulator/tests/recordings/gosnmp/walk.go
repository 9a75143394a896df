// Walks devices with gosnmp. Each line of standard input is a job:
//
//	VERSION TRANSPORT ADDRESS PORT MOST
//
// The objects of a job are written as lines of .snmprec, and "# end" behind them.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"net"
	"os"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp"
)

var versions = map[string]gosnmp.SnmpVersion{"1": gosnmp.Version1, "2c": gosnmp.Version2c, "3": gosnmp.Version3}

func session(version, transport, address string, port uint16) *gosnmp.GoSNMP {
	return &gosnmp.GoSNMP{
		Target:        address,
		Port:          port,
		Transport:     transport,
		Community:     "public",
		Version:       versions[version],
		Timeout:       20 * time.Second,
		Retries:       1,
		MaxOids:       60,
		SecurityModel: gosnmp.UserSecurityModel,
		MsgFlags:      gosnmp.AuthPriv,
		SecurityParameters: &gosnmp.UsmSecurityParameters{
			UserName:                 "ops",
			AuthenticationProtocol:   gosnmp.SHA256,
			AuthenticationPassphrase: "maple syrup",
			PrivacyProtocol:          gosnmp.AES,
			PrivacyPassphrase:        "apple sauce",
		},
	}
}

// line is an object as a line of .snmprec.
func line(object gosnmp.SnmpPDU) string {
	opaque := func(kind byte, octets []byte) string {
		return fmt.Sprintf("68x|9f%02x%02x%x", kind, len(octets), octets)
	}
	value := ""
	switch content := object.Value.(type) {
	case nil:
		value = fmt.Sprintf("%d|", object.Type)
	case float32:
		value = opaque(0x78, binary.BigEndian.AppendUint32(nil, math.Float32bits(content)))
	case float64:
		value = opaque(0x79, binary.BigEndian.AppendUint64(nil, math.Float64bits(content)))
	case []byte:
		value = fmt.Sprintf("%dx|%x", object.Type, content)
	default:
		text := fmt.Sprint(content)
		if object.Type == gosnmp.ObjectIdentifier {
			text = strings.TrimPrefix(text, ".")
		}
		value = fmt.Sprintf("%d|%s", object.Type, text)
	}
	return strings.TrimPrefix(object.Name, ".") + "|" + value
}

// walk writes the objects of a device, at most so many.
func walk(session *gosnmp.GoSNMP, most int, output *bufio.Writer) error {
	if err := session.Connect(); err != nil {
		return err
	}
	defer session.Conn.Close()
	for name := ".0.0"; most > 0; {
		var response *gosnmp.SnmpPacket
		var err error
		if session.Version == gosnmp.Version1 {
			response, err = session.GetNext([]string{name})
		} else {
			response, err = session.GetBulk([]string{name}, 0, 40)
		}
		if err != nil {
			return fmt.Errorf("behind %s: %w", name, err)
		}
		if response.Error == gosnmp.NoSuchName && session.Version == gosnmp.Version1 {
			return nil
		}
		if response.Error != gosnmp.NoError || len(response.Variables) == 0 {
			return fmt.Errorf("behind %s: %s, %d objects", name, response.Error, len(response.Variables))
		}
		for _, object := range response.Variables {
			if object.Type == gosnmp.EndOfMibView || most == 0 {
				return nil
			}
			fmt.Fprintln(output, line(object))
			name = object.Name
			most--
		}
	}
	return nil
}

func main() {
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for jobs := bufio.NewScanner(os.Stdin); jobs.Scan(); {
		var version, transport, address string
		var port uint16
		var most int
		if _, err := fmt.Sscan(jobs.Text(), &version, &transport, &address, &port, &most); err != nil {
			log.Fatalf("%s: %v", jobs.Text(), err)
		}
		if net.ParseIP(address) == nil {
			log.Fatalf("%s: no address", address)
		}
		if err := walk(session(version, transport, address, port), most, output); err != nil {
			log.Fatalf("%s: %v", jobs.Text(), err)
		}
		fmt.Fprintln(output, "# end")
	}
}
