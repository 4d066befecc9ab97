// A function that lives for seconds: it asks for the configuration once for each instance, and never holds a request up
// for longer than half a second. A file that the deployment brought along stands in while Burgee is away.
import { connect } from 'burgee-client';

let connected;

/** The configuration is fetched with the first request, and kept for the next ones of this instance. */
function flagsOf(environment) {
  connected ??= connect({
    url: environment.BURGEE_URL,
    project: environment.BURGEE_PROJECT,
    environment: environment.BURGEE_ENVIRONMENT,
    token: environment.BURGEE_TOKEN,
    mode: 'once',
    startTimeoutMs: 500,
    bootstrap: environment.BURGEE_BOOTSTRAP,
  });
  return connected;
}

export async function handler(event) {
  const flags = await flagsOf(process.env);
  const isNew = flags.isOn('checkout', { targetingKey: event.user, country: event.country }, false);
  return { statusCode: 200, body: isNew ? 'the new checkout' : 'the old checkout' };
}
