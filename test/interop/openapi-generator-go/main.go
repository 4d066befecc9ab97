// What a program does with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"os"

	"interop/burgee"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	flag := os.Getenv("FLAG")
	configuration := burgee.NewConfiguration()
	configuration.Servers = burgee.ServerConfigurations{{URL: os.Getenv("URL")}}
	client := burgee.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), burgee.ContextAccessToken, os.Getenv("TOKEN"))

	decision, _, err := client.EvaluationAPIAPI.EvaluateFlag(ctx, flag).
		Env("production").TargetingKey("user-42").Attributes(map[string]string{"plan": "pro"}).Execute()
	must(decision, err)
	list, _, err := client.ManagementAPIAPI.ListFlags(ctx).Execute()
	must(list, err)
	patch := burgee.FlagPatchBody{TrafficPercentage: burgee.PtrInt32(7)}
	changed, _, err := client.ManagementAPIAPI.PatchFlag(ctx, flag).Env("production").FlagPatchBody(patch).Execute()
	must(changed, err)

	// A flat flag has the fields of each form that it may be in.
	var flat struct{ TrafficPercentage int32 }
	must(0, json.Unmarshal(must(json.Marshal(changed.Flag)), &flat))
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"attribute":         decision.Enabled,
		"flags":             len(list.Flags),
		"updatedAt":         list.Flags[0].GroupFlag.UpdatedAt,
		"trafficPercentage": flat.TrafficPercentage,
	})
}
