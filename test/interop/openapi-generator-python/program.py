"""What a script does with the client that openapi-generator makes for Python."""

import json
import os

import burgee

url, token, flag = os.environ["URL"], os.environ["TOKEN"], os.environ["FLAG"]
client = burgee.ApiClient(burgee.Configuration(host=url, access_token=token))
management = burgee.ManagementAPIApi(client)

decision = burgee.EvaluationAPIApi(client).evaluate_flag(
    flag, env="production", targeting_key="user-42", attributes={"plan": "pro"}
)
flags = management.list_flags().flags
changed = management.patch_flag(
    flag, env="production", flag_patch_body=burgee.FlagPatchBody(trafficPercentage=7)
)
seen = {
    "attribute": decision.enabled,
    "flags": len(flags),
    "updatedAt": flags[0].actual_instance.updated_at,
    "trafficPercentage": changed.flag.actual_instance.traffic_percentage,
}
print(json.dumps(seen))
