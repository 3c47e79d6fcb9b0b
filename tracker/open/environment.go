package open

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// TokenVariable holds the token of a server, and with the suffix _FILE the path of a file with it.
const TokenVariable = "SPHERELAB_TOKEN"

// Home returns the absolute path of the folder for everything that the program keeps: dir, or if that is empty the one
// of SPHERELAB_HOME, of XDG_DATA_HOME, or of the system. lookup returns the value of an environment variable, as
// os.Getenv does.
func Home(dir string, lookup func(name string) string) (string, error) {
	return homeOn(runtime.GOOS, dir, lookup)
}

func homeOn(system, dir string, lookup func(name string) string) (string, error) {
	dir = cmp.Or(dir, lookup("SPHERELAB_HOME"))
	variable := "HOME"
	if system == "windows" { // some shells set HOME there, too
		variable = "LOCALAPPDATA"
	}
	base := lookup(variable)
	switch data := lookup("XDG_DATA_HOME"); {
	case dir != "":
	case filepath.IsAbs(data):
		dir = filepath.Join(data, "spherelab")
	case base == "":
		return "", fmt.Errorf("there is no data directory: neither %s nor SPHERELAB_HOME is set; set SPHERELAB_HOME", variable)
	case system == "windows":
		dir = filepath.Join(base, "spherelab")
	case system == "darwin":
		dir = filepath.Join(base, "Library", "Application Support", "spherelab")
	default:
		dir = filepath.Join(base, ".local", "share", "spherelab")
	}
	return filepath.Abs(dir)
}

// Token returns a server's token from a file, or if its path is empty from the environment; "" if there is none. It is
// never an argument, which every user of the machine can read.
func Token(file string, lookup func(name string) string) (string, error) {
	if file == "" {
		if token := lookup(TokenVariable); token != "" {
			return token, nil
		}
		if file = lookup(TokenVariable + "_FILE"); file == "" {
			return "", nil
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", fmt.Errorf("the file %s has no token", file)
	}
	return token, nil
}

// Options returns what a tracker of this user needs: the data directory, where artifacts are, the login that only
// reads, and the credentials for a tracking server, from our variables and those of MLflow's own clients.
func Options(home string, lookup func(name string) string) (tracker.Options, error) {
	token, err := Token("", lookup)
	login := tracker.Login{Token: cmp.Or(token, lookup("MLFLOW_TRACKING_TOKEN")),
		User: lookup("MLFLOW_TRACKING_USERNAME"), Password: lookup("MLFLOW_TRACKING_PASSWORD")}
	return tracker.Options{DataDir: home, ArtifactDir: lookup("SPHERELAB_ARTIFACTS"),
		ReaderURL: lookup("SPHERELAB_READER_URL"), Login: login}, err
}
