// Speaks the line protocol of provider-program.ts for Go's providers: `providers ofrep` or `providers flagd`.
package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	flagd "github.com/open-feature/go-sdk-contrib/providers/flagd/pkg"
	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

type connection struct {
	Ofrep string
	Flagd struct {
		Host     string
		Port     uint16
		Selector string
	}
	Token string
}

type question struct {
	Flag     string
	Context  map[string]any
	Fallback bool
}

type answer struct {
	Value   bool    `json:"value"`
	Variant *string `json:"variant"`
	Error   *string `json:"error"`
}

func newProvider(way string, to connection) (openfeature.FeatureProvider, error) {
	if way == "ofrep" {
		return ofrep.NewProvider(to.Ofrep), nil
	}
	return flagd.NewProvider(
		flagd.WithInProcessResolver(),
		flagd.WithHost(to.Flagd.Host),
		flagd.WithPort(to.Flagd.Port),
		flagd.WithSelector(to.Flagd.Selector+",token="+to.Token),
	)
}

func ask(client *openfeature.Client, asked question) answer {
	key, _ := asked.Context["targetingKey"].(string)
	delete(asked.Context, "targetingKey")
	evaluated := openfeature.NewEvaluationContext(key, asked.Context)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	details, err := client.BooleanValueDetails(ctx, asked.Flag, asked.Fallback, evaluated)
	answered := answer{Value: details.Value, Variant: &details.Variant}
	if err != nil {
		message := err.Error()
		answered.Error = &message
	}
	return answered
}

func run() error {
	lines, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var to connection
	if err := lines.Decode(&to); err != nil {
		return err
	}
	provider, err := newProvider(os.Args[1], to)
	if err != nil {
		return err
	}
	if err := openfeature.SetProviderAndWait(provider); err != nil {
		return err
	}
	client := openfeature.NewDefaultClient()
	if err := answers.Encode(map[string]bool{"ready": true}); err != nil {
		return err
	}
	for lines.More() {
		var asked question
		if err := lines.Decode(&asked); err != nil {
			return err
		}
		if err := answers.Encode(ask(client, asked)); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
