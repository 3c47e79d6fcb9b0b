package config

// Checked is a config whose values have passed Check. It cannot be changed: a changed copy is a Config, and has to be
// checked itself. The trainer takes nothing else, so that no config is trained unchecked. The zero Checked is not one.
type Checked struct{ config *Config }

// Check returns a copy of the config as a Checked. It looks at everything that needs no graph; what needs one is looked
// at when the trainer is made. The ranges of the model and its training are those of sphere.Settings and
// sphere.Training. Errors are *Error and name where the value was set.
func (c *Config) Check() (Checked, error) {
	if err := c.validate(); err != nil {
		return Checked{}, err
	}
	return Checked{c.Clone()}, nil
}

// Config returns a copy of the values.
func (c Checked) Config() *Config { return c.config.Clone() }
