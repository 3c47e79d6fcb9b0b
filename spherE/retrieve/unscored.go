package retrieve

import "encoding/json"

// isUnscored reports whether a model gives an entity no score: its value is NaN, and it is in no set.
func isUnscored(value float32) bool { return value != value }

// MarshalJSON writes null for the numbers of an entity without a score.
func (m Member) MarshalJSON() ([]byte, error) {
	type plain Member
	if !isUnscored(m.Value) {
		return json.Marshal(plain(m))
	}
	return json.Marshal(struct {
		plain
		Distance *float32 `json:"distance"`
		Value    *float32 `json:"value"`
		Score    *float32 `json:"score"`
		Slack    *float32 `json:"slack"`
	}{plain: plain(m)})
}

// MarshalJSON writes null for the numbers of an entity without a score.
func (p Position) MarshalJSON() ([]byte, error) {
	type plain Position
	if !isUnscored(p.Value) {
		return json.Marshal(plain(p))
	}
	return json.Marshal(struct {
		plain
		Distance *float32 `json:"distance"`
		Value    *float32 `json:"value"`
		Slack    *float32 `json:"slack"`
	}{plain: plain(p)})
}

// MarshalJSON writes null for the distance of a fact without a score.
func (x *Explanation) MarshalJSON() ([]byte, error) {
	type plain Explanation
	if !isUnscored(x.Distance) {
		return json.Marshal((*plain)(x))
	}
	return json.Marshal(struct {
		*plain
		Distance *float32 `json:"distance"`
	}{plain: (*plain)(x)})
}
