"""What a script does with the client that openapi-python-client generates."""

import json
import os

from client import AuthenticatedClient, Client
from client.api.evaluation_api import evaluate_flag
from client.api.management_api import list_flags, patch_flag
from client.models import EvaluateFlagAttributes, FlagPatchBody

url, token, flag = os.environ["URL"], os.environ["TOKEN"], os.environ["FLAG"]
management = AuthenticatedClient(base_url=url, token=token)

decision = evaluate_flag.sync(
    flag,
    client=Client(base_url=url),
    env="production",
    targeting_key="user-42",
    attributes=EvaluateFlagAttributes.from_dict({"plan": "pro"}),
)
flags = list_flags.sync(client=management).flags
changed = patch_flag.sync(
    flag, client=management, env="production", body=FlagPatchBody(traffic_percentage=7)
)
seen = {
    "attribute": decision.enabled,
    "flags": len(flags),
    "updatedAt": flags[0].updated_at,
    "trafficPercentage": changed.flag.traffic_percentage,
}
print(json.dumps(seen))
