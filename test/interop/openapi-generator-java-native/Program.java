import burgee.ApiClient;
import burgee.EvaluationApiApi;
import burgee.FlagPatchBody;
import burgee.ManagementApiApi;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/** What a program does with the client that openapi-generator makes for Java, with the library native. */
public final class Program {
    private static ApiClient connect() {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("URL"));
        return client;
    }

    public static void main(String[] args) throws Exception {
        String flag = System.getenv("FLAG");
        String authorization = "Bearer " + System.getenv("TOKEN");
        ApiClient client = connect().setRequestInterceptor(request -> request.header("Authorization", authorization));
        EvaluationApiApi evaluation = new EvaluationApiApi(connect());
        ManagementApiApi management = new ManagementApiApi(client);

        var decision = evaluation.evaluateFlag(flag, "production", "user-42", null, Map.of("plan", "pro"));
        var list = management.listFlags(null, null);
        var changed = management.patchFlag(flag, new FlagPatchBody().trafficPercentage(7), "production", null, null);

        // A flag has one of several forms: as JSON, each is read alike.
        ObjectMapper mapper = client.getObjectMapper();
        JsonNode first = mapper.valueToTree(list.getFlags().get(0));
        JsonNode flat = mapper.valueToTree(changed.getFlag());
        System.out.println(mapper.writeValueAsString(Map.of(
                "attribute", decision.getEnabled(),
                "flags", list.getFlags().size(),
                "updatedAt", first.get("updatedAt"),
                "trafficPercentage", flat.get("trafficPercentage"))));
    }
}
