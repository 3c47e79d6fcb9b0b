package tracker

import "testing"

func TestRedact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no address here":                                    "no address here",
		"postgres://h/db":                                    "postgres://h/db",
		"postgres://bob@h/db":                                "postgres://bob@h/db",
		"x postgres://bob:p@h/db: y":                         "x postgres://bob:***@h/db: y",
		"postgres://bob:p@p:p@h/db":                          "postgres://bob:***@h/db",
		"postgres://h/db?password=p":                         "postgres://h/db?password=***",
		"postgres://h/db?PassWord=p:1":                       "postgres://h/db?PassWord=***",
		"postgres://h/db?password=p&sslpassword=q&a=b":       "postgres://h/db?password=***&sslpassword=***&a=b",
		`parse "postgres://b:c@h/db?password=p": bad escape`: `parse "postgres://b:***@h/db?password=*** bad escape`,
		"host=h password=p&q port=1":                         "host=h password=*** port=1",
		"host=h password = 'p q\\' r' port=1":                "host=h password = *** port=1",
		"PGPASSWORD=p psql":                                  "PGPASSWORD=*** psql",
		"password=":                                          "password=***",
		`password authentication failed for user "b"`:        `password authentication failed for user "b"`,
	} {
		got := Redact(text)
		if got != want {
			t.Errorf("%s\nbecame %s\nnot    %s", text, got, want)
		}
		if again := Redact(got); again != got {
			t.Errorf("%s became %s the second time", got, again)
		}
	}
}
