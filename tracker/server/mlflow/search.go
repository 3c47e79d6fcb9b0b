package mlflow

import (
	"encoding/json"

	"github.com/spherelab/spherelab/tracker/filter"
)

// search is what requests for lists of experiments and of runs have in common, and what parse reads in it.
type search struct {
	Filter     string
	MaxResults *integer `json:"max_results"`
	OrderBy    []string `json:"order_by"`
	Token      string   `json:"page_token"`

	limit, offset int
	stages        []string
	conditions    []filter.Comparison
	orders        []filter.Order
}

// parse reads the texts of a request; view is its view type.
func (s *search) parse(view json.RawMessage, words filter.Words) (err error) {
	if s.limit, err = pageSize(s.MaxResults, 1000, 50000); err != nil {
		return err
	}
	if s.offset, err = readToken(s.Token); err != nil {
		return err
	}
	if s.stages, err = stages(view); err != nil {
		return err
	}
	if s.conditions, err = filter.Parse(s.Filter, words); err != nil {
		return err
	}
	s.orders, err = parseOrders(s.OrderBy, words)
	return err
}

func parseOrders(texts []string, words filter.Words) ([]filter.Order, error) {
	if len(texts) > 50 {
		return nil, invalid("order_by has %d items; at most 50 are read", len(texts))
	}
	orders := make([]filter.Order, len(texts))
	for i, text := range texts {
		var err error
		if orders[i], err = filter.ParseOrder(text, words); err != nil {
			return nil, err
		}
	}
	return orders, nil
}
