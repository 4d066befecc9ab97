import burgee.ApiClient;
import burgee.EvaluationApiApi;
import burgee.FlagPatchBody;
import burgee.JSON;
import burgee.ManagementApiApi;
import com.google.gson.JsonObject;
import java.util.Map;

/** What a program does with the client that openapi-generator makes for Java, with its default library. */
public final class Program {
    private static ApiClient connect() {
        return new ApiClient().setBasePath(System.getenv("URL"));
    }

    public static void main(String[] args) throws Exception {
        String flag = System.getenv("FLAG");
        ApiClient client = connect();
        client.setBearerToken(System.getenv("TOKEN"));
        EvaluationApiApi evaluation = new EvaluationApiApi(connect());
        ManagementApiApi management = new ManagementApiApi(client);

        var decision = evaluation.evaluateFlag(flag, "production", "user-42", null, Map.of("plan", "pro"));
        var list = management.listFlags(null, null);
        var changed = management.patchFlag(flag, new FlagPatchBody().trafficPercentage(7), "production", null, null);

        // A flag has one of several forms: as JSON, each is read alike.
        JsonObject first = JSON.getGson().toJsonTree(list.getFlags().get(0)).getAsJsonObject();
        JsonObject flat = JSON.getGson().toJsonTree(changed.getFlag()).getAsJsonObject();
        System.out.println(JSON.serialize(Map.of(
                "attribute", decision.getEnabled(),
                "flags", list.getFlags().size(),
                "updatedAt", first.get("updatedAt"),
                "trafficPercentage", flat.get("trafficPercentage"))));
        System.exit(0);
    }
}
