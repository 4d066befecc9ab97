import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.openfeature.contrib.providers.flagd.Config;
import dev.openfeature.contrib.providers.flagd.FlagdOptions;
import dev.openfeature.contrib.providers.flagd.FlagdProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProviderOptions;
import dev.openfeature.sdk.Client;
import dev.openfeature.sdk.FeatureProvider;
import dev.openfeature.sdk.FlagEvaluationDetails;
import dev.openfeature.sdk.ImmutableContext;
import dev.openfeature.sdk.OpenFeatureAPI;
import dev.openfeature.sdk.Value;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;

/** Speaks the line protocol of provider-program.ts for Java's providers: `AskProvider ofrep` or `AskProvider flagd`. */
public final class AskProvider {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static FeatureProvider makeProvider(String way, JsonNode connection) {
        if (way.equals("ofrep")) {
            String url = connection.get("ofrep").asText();
            return OfrepProvider.constructProvider(
                    OfrepProviderOptions.builder().baseUrl(url).build());
        }
        JsonNode flagd = connection.get("flagd");
        String token = connection.get("token").asText();
        return new FlagdProvider(FlagdOptions.builder()
                .resolverType(Config.Resolver.IN_PROCESS)
                .host(flagd.get("host").asText())
                .port(flagd.get("port").asInt())
                .selector(flagd.get("selector").asText() + ",token=" + token)
                .deadline(10_000)
                .build());
    }

    private static Map<String, Object> ask(Client client, JsonNode question) {
        Map<String, Object> fields = JSON.convertValue(question.get("context"), Map.class);
        Object targetingKey = fields.remove("targetingKey");
        Map<String, Value> attributes = new HashMap<>();
        fields.forEach((name, value) -> attributes.put(name, Value.objectToValue(value)));
        ImmutableContext context = targetingKey == null
                ? new ImmutableContext(attributes)
                : new ImmutableContext((String) targetingKey, attributes);
        FlagEvaluationDetails<Boolean> details = client.getBooleanDetails(
                question.get("flag").asText(), question.get("fallback").asBoolean(), context);
        Map<String, Object> answer = new HashMap<>();
        answer.put("value", details.getValue());
        answer.put("variant", details.getVariant());
        answer.put("error", details.getErrorCode() == null
                ? null : details.getErrorCode() + ": " + details.getErrorMessage());
        return answer;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream answers = new PrintStream(System.out, true, "UTF-8");
        OpenFeatureAPI api = OpenFeatureAPI.getInstance();
        api.setProviderAndWait(makeProvider(args[0], JSON.readTree(lines.readLine())));
        Client client = api.getClient();
        answers.println("{\"ready\":true}");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.println(JSON.writeValueAsString(ask(client, JSON.readTree(line))));
        }
        api.shutdown();
        System.exit(0);
    }
}
