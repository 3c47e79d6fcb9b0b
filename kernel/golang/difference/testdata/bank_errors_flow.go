package main

import (
	"errors"
	"fmt"
)

type InsufficientFunds struct{ Need, Have float64 }

func (e *InsufficientFunds) Error() string {
	return fmt.Sprintf("need %.2f, have %.2f", e.Need, e.Have)
}

var ErrFrozen = errors.New("frozen")

type Account struct {
	Owner   string
	balance float64
	frozen  bool
	history []func() string
}

func (a *Account) Withdraw(n float64) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("withdraw from %s: %w", a.Owner, err)
		}
	}()
	switch {
	case a.frozen:
		return ErrFrozen
	case n > a.balance:
		return &InsufficientFunds{n, a.balance}
	}
	a.balance -= n
	a.history = append(a.history, func() string { return fmt.Sprintf("-%g=%g", n, a.balance) })
	return nil
}

func main() {
	acc := &Account{Owner: "ann", balance: 100}
	for _, n := range []float64{30, 80, 20} {
		err := acc.Withdraw(n)
		var inf *InsufficientFunds
		switch {
		case errors.As(err, &inf):
			fmt.Println(err, inf.Need-inf.Have)
		case err == nil:
			fmt.Println("ok", acc.balance)
		}
	}
	acc.frozen = true
	err := acc.Withdraw(1)
	fmt.Println(err, errors.Is(err, ErrFrozen), errors.Unwrap(err) == ErrFrozen)
	for _, h := range acc.history {
		fmt.Print(h(), " ")
	}
	fmt.Println()
}
