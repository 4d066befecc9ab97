import { alphaCohort, newestEnvironment } from './demo-provision.ts';

export interface WelcomeFacts {
  /** Where the service will answer. */
  readonly url: string;
  /** Signs the demo's Owner in to the console, once. */
  readonly ownerUrl: string;
  readonly dataDir: string;
  readonly readSecret: string;
  readonly writeSecret: string;
  /** Ids of flags to try things on. */
  readonly percentageFlagId: string;
  readonly cohortFlagId: string;
  readonly audienceFlagId: string;
}

/**
 * What a new user sees once. Each `curl` line stands alone, with nothing that a shell would have to fill in, so that it can
 * be pasted as it is.
 */
export function welcomeText(facts: WelcomeFacts): string {
  const { url, dataDir, readSecret, writeSecret } = facts;
  const environment = `env=${newestEnvironment}`;
  const flagUrl = `${url}/v1/flags`;
  return `
Burgee will answer at ${url} in a moment. Its documentation: ${url}/docs

${dataDir} was empty, so it now holds a demo: Kubernetes' feature gates, and a small website.
Open the console with this link; it works once, within 24 hours. The next start prints another one:

  ${facts.ownerUrl}

Two tokens of the project "kubernetes", shown this once:

  read   ${readSecret}
  write  ${writeSecret}

Is a beta gate on for this targeting key? It is for 10 % of all keys, always the same ones.
curl '${flagUrl}/${facts.percentageFlagId}?${environment}&targetingKey=node-1'

Is an alpha gate on for this cohort? It is for no other.
curl '${flagUrl}/${facts.cohortFlagId}?${environment}&cohort=${alphaCohort}'

Is a flag of the website on for customers of this plan? Try plan=free.
curl '${flagUrl}/${facts.audienceFlagId}?targetingKey=visitor-1&plan=pro'

List the gates of one version:
curl -H 'Authorization: Bearer ${readSecret}' '${url}/api/v1/flags?${environment}'

Turn the beta gate on for everybody, then ask for it again:
curl -X PATCH -H 'Authorization: Bearer ${writeSecret}' -H 'Content-Type: application/json' -d '{"trafficPercentage": 100}' '${url}/api/v1/flags/${facts.percentageFlagId}?${environment}'

`;
}
