import type { ConsoleOperationId } from '../../src/operations/console-routes.ts';
import type { ConsoleClient } from './console-client.ts';
import { password, secretIn } from './console-fixture.ts';

/** An organisation of the test, and the session that prepares what a request needs. */
export interface Site {
  readonly owner: ConsoleClient;
  readonly projectId: string;
  /** The Owner's personal project. */
  readonly personalProjectId: string;
  /** @returns the id of a member that no other case uses. @throws when none is left */
  spareMember(): string;
  /** A separate session of the requesting member. */
  signIn(email: string): Promise<ConsoleClient>;
}

/** The parts of a request beside the operation's method and path. */
export interface Wanted {
  /** Path parameters other than the project. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The status for Viewer, Editor, Admin, Owner and a signed-out client; null if such a request is impossible. */
export type Statuses = readonly [
  viewer: number | null,
  editor: number | null,
  admin: number | null,
  owner: number | null,
  signedOut: number,
];

export interface AuthorisationCase {
  readonly statuses: Statuses;
  /** Makes a valid request. @param email the requesting member's */
  readonly want?: (site: Site, email: string) => Wanted | Promise<Wanted>;
  /** An id outside the path: where it comes from, and where it is put. */
  readonly mentions?: {
    readonly idOf: (site: Site) => Promise<string>;
    readonly put: (wanted: Wanted, id: string) => Wanted;
  };
}

let made = 0;
function unique(what: string): string {
  made += 1;
  return `${what}-${made}`;
}

/** @returns the body of an answer 200 or 201 */
async function make(client: ConsoleClient, path: string, body?: unknown) {
  const answer = await client.send('POST', path, body);
  if (answer.status > 201) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.json;
}

const rules = [{ attribute: 'plan', values: ['pro'] }];
const inProject = ({ projectId }: Site): string => `/projects/${projectId}`;

async function environmentOf(site: Site): Promise<{ readonly number: string; readonly name: string }> {
  const name = unique('stage');
  const { project } = await make(site.owner, `${inProject(site)}/environments`, { name });
  const found = project.environments.find((environment: { name: string }) => environment.name === name);
  return { name, number: String(found.number) };
}

async function environmentsRevision(site: Site): Promise<number> {
  return (await site.owner.send('GET', inProject(site))).json.environmentsRevision;
}

async function flagOf(site: Site): Promise<string> {
  return (await make(site.owner, `${inProject(site)}/flags`, { name: unique('flag') })).id;
}

async function audienceOf(site: Site): Promise<string> {
  return (await make(site.owner, `${inProject(site)}/audiences`, { name: unique('audience'), rules })).id;
}

function tokenBody() {
  return { name: unique('token'), permission: 'read', environments: null, expiryDays: 30 };
}

async function tokenBy(client: ConsoleClient, site: Site): Promise<string> {
  return (await make(client, `${inProject(site)}/tokens`, tokenBody())).token.id;
}

async function invite(site: Site): Promise<{ readonly id: string; readonly url: string }> {
  return make(site.owner, '/invitations', { email: `${unique('guest')}@example.test`, role: 'viewer' });
}

async function otherSession(site: Site, email: string): Promise<string> {
  const { sessions } = (await (await site.signIn(email)).send('GET', '/sessions')).json;
  return sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).id;
}

async function personOf(site: Site): Promise<string> {
  return (await site.owner.send('GET', '/session')).json.member.id;
}

const everybody: Statuses = [200, 200, 200, 200, 200];
const members: Statuses = [200, 200, 200, 200, 401];
const flagParams = async (site: Site): Promise<Wanted> => ({ params: { flagId: await flagOf(site) } });
const audienceParams = async (site: Site): Promise<Wanted> => ({
  params: { audienceId: await audienceOf(site) },
});
const tokenParams = async (site: Site): Promise<Wanted> => ({
  params: { tokenId: await tokenBy(site.owner, site) },
});
const ownTokenParams = async (site: Site, email: string): Promise<Wanted> => ({
  params: { tokenId: await tokenBy(await site.signIn(email), site) },
});
const memberParams = (site: Site): Wanted => ({ params: { memberId: site.spareMember() } });

const flagOfQuery = {
  idOf: flagOf,
  put: (wanted: Wanted, flag: string): Wanted => ({ ...wanted, query: { ...wanted.query, flag } }),
};
const projectOfQuery = {
  idOf: async ({ projectId }: Site) => projectId,
  put: (wanted: Wanted, project: string): Wanted => ({ ...wanted, query: { ...wanted.query, project } }),
};
const actorOfQuery = {
  idOf: personOf,
  put: (wanted: Wanted, id: string): Wanted => ({
    ...wanted,
    query: { ...wanted.query, actor: `member:${id}` },
  }),
};
const audienceOfBody = {
  idOf: audienceOf,
  put: ({ body, ...wanted }: Wanted, audienceId: string): Wanted => ({
    ...wanted,
    body: { ...(body as object), states: { 1: { audienceId } } },
  }),
};

type ConsoleCases = { readonly [Id in ConsoleOperationId]: readonly AuthorisationCase[] };

/** Every operation of the console; one without a case does not compile. */
export const authorisationCases: ConsoleCases = {
  // No provider is configured here; test/console/open-id.test.ts has one.
  'start-open-id': [{ statuses: [404, 404, 404, 404, 404], want: () => ({ body: {} }) }],
  'finish-open-id': [{ statuses: [303, 303, 303, 303, 303], want: () => ({ query: { state: 'none' } }) }],
  'read-session': [{ statuses: everybody }],
  'sign-in': [
    {
      statuses: everybody,
      want: (_, email) => ({ body: { email, password } }),
      mentions: {
        idOf: personOf,
        put: ({ body }, memberId) => ({ body: { ...(body as object), memberId } }),
      },
    },
  ],
  'sign-out': [{ statuses: [204, 204, 204, 204, 401] }],
  'list-sessions': [{ statuses: members }],
  'end-session': [
    {
      statuses: [204, 204, 204, 204, 401],
      want: async (site, email) => ({ params: { sessionId: await otherSession(site, email) } }),
    },
  ],
  'change-password': [
    { statuses: [204, 204, 204, 204, 401], want: () => ({ body: { current: password, password } }) },
  ],
  'inspect-link': [
    { statuses: everybody, want: async (site) => ({ body: { secret: secretIn((await invite(site)).url) } }) },
  ],
  'use-link': [
    {
      statuses: everybody,
      want: async (site) => ({
        body: { secret: secretIn((await invite(site)).url), name: 'Guest', password },
      }),
    },
  ],

  'read-organisation': [{ statuses: members }],
  'edit-organisation': [
    {
      statuses: [403, 403, 403, 200, 401],
      want: async ({ owner }) => {
        const { revision } = (await owner.send('GET', '/organisation')).json;
        return { body: { revision, name: unique('acme') } };
      },
    },
  ],
  'read-mail-state': [{ statuses: [403, 403, 200, 200, 401] }],
  'list-sync-streams': [{ statuses: members }],
  'list-nodes': [{ statuses: [403, 403, 403, 404, 401] }],
  'list-members': [{ statuses: members }],
  'edit-member': [
    {
      statuses: [403, 403, 200, 200, 401],
      want: (site) => ({ ...memberParams(site), body: { revision: 1, name: 'Renamed' } }),
    },
  ],
  'list-member-tokens': [{ statuses: [403, 403, 200, 200, 401], want: memberParams }],
  'edit-own-name': [
    { statuses: [200, 200, 200, 200, 401], want: () => ({ body: { name: unique('Self') } }) },
  ],
  'remove-member': [{ statuses: [403, 403, 204, 204, 401], want: memberParams }],
  'make-sign-in-link': [{ statuses: [403, 403, 201, 201, 401], want: memberParams }],
  'list-invitations': [{ statuses: [403, 403, 200, 200, 401] }],
  'invite-member': [
    {
      statuses: [403, 403, 201, 201, 401],
      want: () => ({ body: { email: `${unique('guest')}@example.test`, role: 'viewer' } }),
    },
  ],
  'withdraw-invitation': [
    {
      statuses: [403, 403, 204, 204, 401],
      want: async (site) => ({ params: { linkId: (await invite(site)).id } }),
    },
  ],

  'list-projects': [{ statuses: members }],
  'search-console': [
    { statuses: members, want: () => ({ query: { q: 'shop' } }) },
    {
      statuses: members,
      want: ({ projectId }) => ({ query: { q: 'shop', project: projectId } }),
      mentions: {
        idOf: async ({ projectId }) => projectId,
        put: (wanted, id) => ({ ...wanted, query: { project: id } }),
      },
    },
    {
      statuses: [404, 404, 404, 404, 401],
      want: ({ personalProjectId }) => ({ query: { project: personalProjectId } }),
    },
  ],
  'create-project': [
    {
      statuses: [403, 403, 201, 201, 401],
      want: () => ({ body: { name: unique('project'), isMultiEnvironment: false } }),
    },
    {
      statuses: [201, 201, 201, 201, 401],
      want: () => ({ body: { name: unique('project'), isMultiEnvironment: false, isPersonal: true } }),
    },
  ],
  'read-project': [{ statuses: members }],
  'edit-project': [
    {
      statuses: [403, 403, 200, 200, 401],
      want: async (site) => {
        const { revision } = (await site.owner.send('GET', inProject(site))).json;
        return { body: { revision, name: unique('project') } };
      },
    },
  ],
  'create-environment': [
    { statuses: [403, 403, 201, 201, 401], want: () => ({ body: { name: unique('stage') } }) },
  ],
  'preview-environment': [
    {
      statuses: [403, 403, 200, 200, 401],
      want: async (site) => ({
        params: { number: (await environmentOf(site)).number },
        query: { name: unique('stage') },
      }),
    },
  ],
  'edit-environment': [
    {
      statuses: [403, 403, 200, 200, 401],
      want: async (site) => {
        const { number } = await environmentOf(site);
        const revision = await environmentsRevision(site);
        return { params: { number }, body: { revision, name: unique('stage') } };
      },
    },
  ],
  'delete-environment': [
    {
      statuses: [403, 403, 200, 200, 401],
      want: async (site) => {
        const { number, name } = await environmentOf(site);
        return { params: { number }, body: { revision: await environmentsRevision(site), name } };
      },
    },
  ],
  'watch-organisation': [{ statuses: members }],
  'watch-project': [{ statuses: members }],

  'list-console-flags': [{ statuses: members }],
  'find-name': [{ statuses: members, want: () => ({ query: { name: 'checkout' } }) }],
  'create-console-flag': [
    {
      statuses: [403, 201, 201, 201, 401],
      want: () => ({ body: { name: unique('flag') } }),
      mentions: audienceOfBody,
    },
  ],
  'read-console-flag': [{ statuses: members, want: flagParams }],
  'edit-flag': [
    {
      statuses: [403, 200, 200, 200, 401],
      want: async (site) => ({ ...(await flagParams(site)), body: { revision: 1, name: unique('flag') } }),
      mentions: audienceOfBody,
    },
  ],
  'delete-flag': [
    {
      statuses: [403, 204, 204, 204, 401],
      want: async (site) => {
        const name = unique('flag');
        const { id: flagId, revision } = await make(site.owner, `${inProject(site)}/flags`, { name });
        return { params: { flagId }, body: { revision, name } };
      },
    },
  ],
  'try-flag': [
    {
      statuses: members,
      want: async (site) => ({ ...(await flagParams(site)), body: { environmentNumber: 1 } }),
    },
  ],
  'count-evaluations': [{ statuses: members, want: flagParams }],

  'list-audiences': [{ statuses: members }],
  'create-audience': [
    { statuses: [403, 201, 201, 201, 401], want: () => ({ body: { name: unique('audience'), rules } }) },
  ],
  'read-audience': [{ statuses: members, want: audienceParams }],
  'edit-audience': [
    {
      statuses: [403, 200, 200, 200, 401],
      want: async (site) => ({ ...(await audienceParams(site)), body: { revision: 1, rules } }),
    },
  ],
  'delete-audience': [
    {
      statuses: [403, 204, 204, 204, 401],
      want: async (site) => ({ ...(await audienceParams(site)), body: { revision: 1 } }),
    },
  ],

  'list-tokens': [{ statuses: members }],
  'create-token': [{ statuses: [403, 201, 201, 201, 401], want: () => ({ body: tokenBody() }) }],
  'read-token-activity': [{ statuses: members, want: tokenParams }],
  /** Allowed to the creator and to any Admin: once for another member's, once for the member's own. */
  'revoke-console-token': [
    { statuses: [403, 403, 200, 200, 401], want: tokenParams },
    { statuses: [null, 200, 200, 200, 401], want: ownTokenParams },
  ],
  'rotate-token': [
    { statuses: [403, 403, 201, 201, 401], want: tokenParams },
    { statuses: [null, 201, 201, 201, 401], want: ownTokenParams },
  ],

  'list-audit': [
    { statuses: members, mentions: flagOfQuery },
    { statuses: members, mentions: projectOfQuery },
    { statuses: members, mentions: actorOfQuery },
  ],
  'export-audit': [
    { statuses: members, want: () => ({ query: { format: 'ndjson' } }), mentions: flagOfQuery },
    { statuses: members, want: () => ({ query: { format: 'csv' } }), mentions: projectOfQuery },
    { statuses: members, want: () => ({ query: { format: 'csv' } }), mentions: actorOfQuery },
  ],
  'list-project-audit': [
    { statuses: members, mentions: flagOfQuery },
    { statuses: members, mentions: projectOfQuery },
    { statuses: members, mentions: actorOfQuery },
  ],
  'export-project-audit': [
    { statuses: members, want: () => ({ query: { format: 'ndjson' } }), mentions: flagOfQuery },
    { statuses: members, want: () => ({ query: { format: 'csv' } }), mentions: projectOfQuery },
  ],
};
