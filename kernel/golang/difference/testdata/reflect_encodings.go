package main

import (
	"bytes"
	"encoding/asn1"
	"encoding/gob"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

type Level int

func (l Level) MarshalText() ([]byte, error) { return []byte(strings.Repeat("*", int(l))), nil }

func (l *Level) UnmarshalText(text []byte) error {
	if len(text) > 5 {
		return fmt.Errorf("level %d is too high", len(text))
	}
	*l = Level(len(text))
	return nil
}

type Shape interface{ Area() float64 }

type Square struct{ Side float64 }

func (s Square) Area() float64 { return s.Side * s.Side }

type Disc struct{ R float64 }

func (d *Disc) Area() float64 { return 3 * d.R * d.R }

type Item struct {
	XMLName xml.Name `xml:"item"`
	ID      int      `xml:"id,attr"`
	Level   Level    `xml:"level"`
	Tags    []string `xml:"tags>tag"`
	Note    string   `xml:",comment"`
	Inner   *Item    `xml:"inner>item,omitempty"`
	hidden  int
}

type Stamp time.Time

func (s Stamp) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(time.Time(s).UTC().Format("2006"), start)
}

func (s *Stamp) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	var text string
	if err := d.DecodeElement(&text, &start); err != nil {
		return err
	}
	t, err := time.Parse("2006", text)
	*s = Stamp(t)
	return err
}

type Log struct {
	At    Stamp
	Items []Item `xml:"item"`
}

type Drawing struct {
	Title  string
	Shapes []Shape
	By     map[string]Level
	Next   *Drawing
}

type Secret struct{ plain string }

func (s Secret) GobEncode() ([]byte, error) { return []byte(strings.ToUpper(s.plain)), nil }

func (s *Secret) GobDecode(b []byte) error {
	s.plain = string(b) + "!"
	return nil
}

type Point struct {
	X, Y int
	Name string `asn1:"utf8"`
}

func main() {
	log := Log{At: Stamp(time.Unix(0, 0)), Items: []Item{{ID: 1, Level: 2, Tags: []string{"a", "b"}, Note: "n",
		Inner: &Item{ID: 2}}, {ID: 3}}}
	text, err := xml.MarshalIndent(log, "", " ")
	fmt.Println(string(text), err)
	var back Log
	err = xml.Unmarshal(text, &back)
	fmt.Printf("%v %+v\n", err, back.Items[0].Tags)
	fmt.Println(time.Time(back.At).Year(), back.Items[0].Level, back.Items[0].Inner.ID, back.Items[1].Inner)
	err = xml.Unmarshal([]byte("<Log><item><level>*******</level></item></Log>"), &back)
	fmt.Println(err)
	_, err = xml.Marshal(map[string]Item{})
	fmt.Println(err)

	gob.Register(Square{})
	gob.Register(&Disc{})
	var b bytes.Buffer
	drawing := Drawing{"one", []Shape{Square{2}, &Disc{1}}, map[string]Level{"x": 4}, &Drawing{Title: "two"}}
	fmt.Println(gob.NewEncoder(&b).Encode(drawing))
	var read Drawing
	fmt.Println(gob.NewDecoder(&b).Decode(&read))
	fmt.Println(read.Title, read.Shapes[0].Area(), read.Shapes[1].Area(), read.By, read.Next.Title)
	fmt.Printf("%T %T\n", read.Shapes[0], read.Shapes[1])
	b.Reset()
	fmt.Println(gob.NewEncoder(&b).Encode(map[string]Secret{"k": {"abc"}}))
	var secrets map[string]Secret
	fmt.Println(gob.NewDecoder(&b).Decode(&secrets), secrets)
	fmt.Println(gob.NewEncoder(&b).Encode(struct{ f func() }{}))

	der, err := asn1.Marshal(Point{1, 2, "p"})
	fmt.Println(der, err)
	var p Point
	rest, err := asn1.Unmarshal(der, &p)
	fmt.Println(p, rest, err)
}
