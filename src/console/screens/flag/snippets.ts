import { placeWords } from '../../switching/effect-words.ts';
import type { ExampleCaller } from './example-caller.ts';

/** What a snippet asks for, and where. */
export interface SnippetInput {
  /** Of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** The project's name for callers without credentials: its id, or its public slug. */
  readonly project: string;
  /** Its name for callers with a token: its slug, if it has one. */
  readonly tokenProject: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
  readonly flagId: string;
  readonly flagName: string;
  /** The flag's key in an answer about all flags: its name, or its id if it does not answer to the name. */
  readonly flagKey: string;
  readonly caller: ExampleCaller;
}

/** How one kind of application asks for a flag. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  /** Where it evaluates, and what it needs. */
  readonly about: string;
  /** Adds the packages to a project; null: none are needed. */
  readonly install: string | null;
  readonly code: string;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** A string of JSON is one of JavaScript, Python, Go, Java and C# as well. */
const quoted = (text: string): string => JSON.stringify(text);

/** Everything of the caller but the targeting key. */
function attributesOf({ caller }: SnippetInput): Pairs {
  const cohort: Pairs = caller.cohort === null ? [] : [['cohort', caller.cohort]];
  return [...cohort, ...caller.attributes.map(({ name, value }) => [name, value] as const)];
}

/** In a path and in a shell's single quotes, which `encodeURIComponent` leaves as they are. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}

/** The base URL of an OFREP provider. */
function providerUrl({ baseUrl, project, environment }: SnippetInput): string {
  return `${baseUrl}/projects/${project}${environment === null ? '' : `/${encoded(environment)}`}`;
}

/** Why the answer is false now; nothing where it is true. */
function offWords({ caller, environment }: SnippetInput): string | null {
  if (caller.offBecause === null) return null;
  return `off for every caller${placeWords(environment)} now: ${caller.offBecause}`;
}

/** An older name may have characters that would end the comment, or reverse the text. */
function comment(mark: string, input: SnippetInput): string {
  const name = input.flagName.replace(/[\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');
  const off = offWords(input);
  return `${mark} ${name}${off === null ? '' : `: ${off}`}`;
}

function javaScriptContext(input: SnippetInput): string {
  const isPlain = (name: string) => /^[A-Za-z_]\w*$/.test(name);
  const pairs: Pairs = [['targetingKey', input.caller.targetingKey], ...attributesOf(input)];
  const shown = pairs.map(([name, value]) => `${isPlain(name) ? name : quoted(name)}: ${quoted(value)}`);
  return `{ ${shown.join(', ')} }`;
}

function curl(input: SnippetInput): Snippet {
  const { baseUrl, flagId, environment, caller } = input;
  const pairs: Pairs = [
    ...(environment === null ? [] : [['env', environment] as const]),
    ['targetingKey', caller.targetingKey],
    ...attributesOf(input),
  ];
  const query = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return {
    id: 'curl',
    title: 'curl',
    about: 'The Evaluation API. No credentials.',
    install: null,
    code: `${offWords(input) === null ? '' : `${comment('#', input)}\n`}curl '${baseUrl}/v1/flags/${flagId}?${query}'`,
  };
}

function burgeeClient(input: SnippetInput): Snippet {
  const { baseUrl, tokenProject, environment, flagId } = input;
  const named = environment === null ? '' : `\n  environment: ${quoted(environment)},`;
  return {
    id: 'burgee-client',
    title: 'burgee-client',
    about:
      'Node.js. Evaluates in your process, and follows changes by a stream. Needs a token of this project.',
    // A file, which stays the same when the service is upgraded: a lockfile has its hash.
    install: `curl -O ${baseUrl}/docs/burgee-client.tgz && npm install ./burgee-client.tgz`,
    code: `import { connect } from "burgee-client";

const flags = await connect({
  url: ${quoted(baseUrl)},
  project: ${quoted(tokenProject)},${named}
  token: process.env.BURGEE_TOKEN,
});

${comment('//', input)}
const isOn = flags.isOn(${quoted(flagId)}, ${javaScriptContext(input)}, false);`,
  };
}

function openFeatureServer(input: SnippetInput): Snippet {
  return {
    id: 'node',
    title: 'Node.js',
    about: 'OpenFeature’s server SDK. Each evaluation is a request. No credentials.',
    install: 'npm install @openfeature/server-sdk @openfeature/ofrep-provider',
    code: `import { OpenFeature } from "@openfeature/server-sdk";
import { OFREPProvider } from "@openfeature/ofrep-provider";

await OpenFeature.setProviderAndWait(new OFREPProvider({
  baseUrl: ${quoted(providerUrl(input))},
}));
const client = OpenFeature.getClient();

${comment('//', input)}
const isOn = await client.getBooleanValue(${quoted(input.flagId)}, false, ${javaScriptContext(input)});`,
  };
}

function openFeatureWeb(input: SnippetInput): Snippet {
  return {
    id: 'web',
    title: 'Browser',
    about:
      'OpenFeature’s web SDK. Reads all flags of its user at once, and again when they change. No credentials.',
    install: 'npm install @openfeature/web-sdk @openfeature/ofrep-web-provider',
    code: `import { OpenFeature } from "@openfeature/web-sdk";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";

await OpenFeature.setContext(${javaScriptContext(input)});
await OpenFeature.setProviderAndWait(new OFREPWebProvider({
  baseUrl: ${quoted(providerUrl(input))},
}));

${comment('//', input)}
const isOn = OpenFeature.getClient().getBooleanValue(${quoted(input.flagKey)}, false);`,
  };
}

function python(input: SnippetInput): Snippet {
  const pairs = attributesOf(input).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  const attributes = pairs.length === 0 ? '' : `, attributes={${pairs.join(', ')}}`;
  return {
    id: 'python',
    title: 'Python',
    about: 'OpenFeature’s SDK. Each evaluation is a request. No credentials.',
    install: 'pip install openfeature-sdk openfeature-provider-ofrep',
    code: `from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(OFREPProvider(${quoted(providerUrl(input))}))
client = api.get_client()

${comment('#', input)}
context = EvaluationContext(targeting_key=${quoted(input.caller.targetingKey)}${attributes})
is_on = client.get_boolean_value(${quoted(input.flagId)}, False, context)`,
  };
}

function go(input: SnippetInput): Snippet {
  const pairs = attributesOf(input).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  return {
    id: 'go',
    title: 'Go',
    about: 'OpenFeature’s SDK. Each evaluation is a request. No credentials.',
    install: 'go get github.com/open-feature/go-sdk github.com/open-feature/go-sdk-contrib/providers/ofrep',
    code: `package main

import (
	"context"
	"fmt"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

func main() {
	provider := ofrep.NewProvider(${quoted(providerUrl(input))})
	if err := openfeature.SetProviderAndWait(provider); err != nil {
		panic(err)
	}
	client := openfeature.NewClient("my-app")

	${comment('//', input)}
	caller := openfeature.NewEvaluationContext(${quoted(input.caller.targetingKey)}, map[string]any{${pairs.join(', ')}})
	isOn, _ := client.BooleanValue(context.Background(), ${quoted(input.flagId)}, false, caller)
	fmt.Println(isOn)
}`,
  };
}

function java(input: SnippetInput): Snippet {
  const sets = attributesOf(input).map(
    ([name, value]) => `\n        context.add(${quoted(name)}, ${quoted(value)});`,
  );
  return {
    id: 'java',
    title: 'Java',
    about: 'OpenFeature’s SDK. Each evaluation is a request. No credentials.',
    install: `<!-- pom.xml -->
<dependency>
  <groupId>dev.openfeature</groupId>
  <artifactId>sdk</artifactId>
  <version>1.21.0</version>
</dependency>
<dependency>
  <groupId>dev.openfeature.contrib.providers</groupId>
  <artifactId>ofrep</artifactId>
  <version>0.0.2</version>
</dependency>`,
    code: `import dev.openfeature.contrib.providers.ofrep.OfrepProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProviderOptions;
import dev.openfeature.sdk.MutableContext;
import dev.openfeature.sdk.OpenFeatureAPI;

public class Main {
    public static void main(String[] arguments) {
        var options = OfrepProviderOptions.builder()
            .baseUrl(${quoted(providerUrl(input))})
            .build();
        var api = OpenFeatureAPI.getInstance();
        api.setProviderAndWait(OfrepProvider.constructProvider(options));

        ${comment('//', input)}
        var context = new MutableContext(${quoted(input.caller.targetingKey)});${sets.join('')}
        boolean isOn = api.getClient().getBooleanValue(${quoted(input.flagId)}, false, context);
        System.out.println(isOn);
    }
}`,
  };
}

/** The provider drops the path of its address: the header says which project and environment. */
function dotNet(input: SnippetInput): Snippet {
  const { baseUrl, project, environment, caller, flagId } = input;
  const sets = attributesOf(input).map(([name, value]) => `\n    .Set(${quoted(name)}, ${quoted(value)})`);
  const key = environment === null ? project : `${project}/${environment}`;
  return {
    id: 'dotnet',
    title: '.NET',
    about:
      'OpenFeature’s SDK. Each evaluation is a request. No credentials: the header names project and environment.',
    install: 'dotnet add package OpenFeature\ndotnet add package OpenFeature.Providers.Ofrep',
    code: `using OpenFeature;
using OpenFeature.Model;
using OpenFeature.Providers.Ofrep;
using OpenFeature.Providers.Ofrep.Configuration;

var options = new OfrepOptions(${quoted(baseUrl)})
{
    Headers = new Dictionary<string, string> { ["X-API-Key"] = ${quoted(key)} },
};
await Api.Instance.SetProviderAsync(new OfrepProvider(options));
var client = Api.Instance.GetClient();

${comment('//', input)}
var context = EvaluationContext.Builder()
    .SetTargetingKey(${quoted(caller.targetingKey)})${sets.join('')}
    .Build();
var isOn = await client.GetBooleanValueAsync(${quoted(flagId)}, false, context);`,
  };
}

/** Every way to ask for a flag, the simplest first. */
export function snippetsOf(input: SnippetInput): readonly Snippet[] {
  const makers = [curl, burgeeClient, openFeatureServer, openFeatureWeb, python, go, java, dotNet];
  return makers.map((make) => make(input));
}
