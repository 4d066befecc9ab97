import { getRequest, patchRequest, postRequest } from '../wire-connection.ts';
import { type Attack, type AttackStage, keepAsking, neverRead } from './attack.ts';
import { audienceChanges } from './audience-attack.ts';
import { consoleCrowd, faultySignIns, longContexts, reopenedPages } from './crowd-attacks.ts';
import { flagdCalls, flagdStreams } from './flagd-attacks.ts';
import { cohortsOf, signIn, signInHead, signInRequest } from './tenants-installation.ts';

/** Evaluates more flags than a cache holds, from clients without credentials. */
export const coldFlags: Attack = (stage) => {
  const { largeFlags } = stage.tenant;
  const requestOf = (turn: number): string =>
    getRequest(`/v1/flags/${largeFlags[turn % largeFlags.length]}?targetingKey=${turn}&cohort=${turn}`);
  return keepAsking(stage, { clients: stage.random.pick([8, 40, 120]), pauseMs: 0, requestOf });
};

/** The same by OFREP with several cohorts, which are worth an index of each flag's list. */
export const coldIndexes: Attack = (stage) => {
  const { largeFlags, largeProjectId } = stage.tenant;
  const cohort = Array.from({ length: 12 }, (_, index) => `none ${index}`);
  const requestOf = (turn: number): string => {
    const path = `/projects/${largeProjectId}/ofrep/v1/evaluate/flags/${largeFlags[turn % largeFlags.length]}`;
    return postRequest(path, { context: { targetingKey: `user ${turn}`, cohort } });
  };
  return keepAsking(stage, { clients: stage.random.pick([8, 40, 120]), pauseMs: 0, requestOf });
};

export const wholeProjects: Attack = (stage) => {
  const path = `/v1/flags/project/${stage.tenant.longProjectId}`;
  const requestOf = (turn: number): string => getRequest(`${path}?targetingKey=${turn}`);
  return keepAsking(stage, { clients: stage.random.integer(2, 16), pauseMs: 0, requestOf });
};

export const listsByName: Attack = (stage) => {
  const requestOf = (turn: number): string =>
    getRequest(`/api/v1/flags?name=long%20${turn}`, stage.tenant.longSecret);
  return keepAsking(stage, { clients: stage.random.integer(4, 32), pauseMs: 20, requestOf });
};

export const unreadLists: Attack = (stage) =>
  neverRead(stage, 68, Buffer.from(getRequest('/api/v1/flags', stage.tenant.longSecret)));

/** A list of half a megabyte, shown once for each of many environments. */
export const groupFlags: Attack = (stage) => {
  const { groupFlags: flags, groupSecret } = stage.tenant;
  const paths = [...flags.map((id) => `/api/v1/flags/${id}`), '/api/v1/flags'];
  const requestOf = (turn: number): string => getRequest(paths[turn % paths.length] ?? '', groupSecret);
  return keepAsking(stage, { clients: stage.random.integer(2, 8), pauseMs: 0, requestOf });
};

export const unreadFlags: Attack = (stage) => {
  const { groupFlags: flags, groupSecret } = stage.tenant;
  const path = `/api/v1/flags/${stage.random.pick([...flags])}`;
  return neverRead(stage, 68, Buffer.from(getRequest(path, groupSecret)));
};

/** Leaves the answers of changes unread. Such an answer is made as a whole, and has the long list of its flag. */
export const unreadChanges: Attack = (stage) => {
  const { largeFlags, largeSecret } = stage.tenant;
  const path = `/api/v1/flags/${largeFlags[1]}`;
  return neverRead(stage, 16, Buffer.from(patchRequest(path, largeSecret, { enabled: true })));
};

export const unreadPipelines: Attack = (stage) => {
  const flag = stage.tenant.flags[0];
  const paths = ['/docs', '/health', `/v1/flags/${flag}?targetingKey=1`];
  const ofrep = `POST /ofrep/v1/evaluate/flags/${flag} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
  const request = stage.random.pick([...paths.map((path) => getRequest(path)), ofrep]);
  return neverRead(stage, stage.random.integer(4, 20), Buffer.from(request.repeat(3000)));
};

/**
 * Dry runs, and patches that change nothing, of a flag with long lists in many environments: no quota counts them, and
 * the writer reads all lists each time.
 */
export const longFlags: Attack = (stage) => {
  const { groupFlags: flags, groupSecret } = stage.tenant;
  const requestOf = (turn: number): string => {
    const path = `/api/v1/flags/${flags[1]}?env=environment-${turn % 20}`;
    return patchRequest(turn % 2 === 0 ? path : `${path}&dryRun=true`, groupSecret, { enabled: false });
  };
  return keepAsking(stage, { clients: stage.random.integer(2, 16), pauseMs: 0, requestOf });
};

/** So many that they fit into a body of 1 MiB. */
function cohortsOfChange({ cohortsOfLargeFlag }: AttackStage): number {
  return Math.floor(0.9 * cohortsOfLargeFlag);
}

/** Gives the same flag one list and another in turns. */
export const writeStorm: Attack = (stage) => {
  const { largeFlags, largeSecret } = stage.tenant;
  const lists = ['second', 'third'].map((kind) => cohortsOf(cohortsOfChange(stage), kind));
  const bodies = lists.map((cohorts) =>
    patchRequest(`/api/v1/flags/${largeFlags[0]}`, largeSecret, { cohorts }),
  );
  const requestOf = (turn: number): string => bodies[turn % bodies.length] ?? '';
  const clients = stage.random.integer(1, 8);
  return keepAsking(stage, { clients, pauseMs: 50, requestOf, learn: stage.wholeListStored });
};

/** The same with another last one each time: the record is as long, and the audit entry short. */
export const nearlyEqualLists: Attack = (stage) => {
  const { largeFlags, largeSecret } = stage.tenant;
  const kept = cohortsOf(cohortsOfChange(stage), 'fourth');
  const bodies = ['last', 'another last'].map((last) =>
    patchRequest(`/api/v1/flags/${largeFlags[2]}`, largeSecret, { cohorts: [...kept, last] }),
  );
  const requestOf = (turn: number): string => bodies[turn % bodies.length] ?? '';
  return keepAsking(stage, { clients: stage.random.integer(1, 8), pauseMs: 50, requestOf });
};

/** One member searches and exports the audit log. */
export const auditStorm: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.81');
  const paths = [
    '/audit',
    '/audit?action=flag.delete',
    '/audit/export?format=ndjson',
    '/audit/export?format=csv',
  ];
  const requestOf = (turn: number): string =>
    `GET /console/api${paths[turn % paths.length]} HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  return keepAsking(stage, { clients: stage.random.integer(4, 24), pauseMs: 10, requestOf });
};

/** Wrong passwords, each of which costs a hash. */
export const signInStorm: Attack = (stage) => {
  const requestOf = (turn: number): string =>
    signInRequest(stage.port, `somebody${turn}@hostile.example`, `wrong ${turn}`);
  return keepAsking(stage, { clients: stage.random.integer(8, 64), pauseMs: 0, requestOf, wanted: [401] });
};

/** The right password, by a member of the hostile tenant: each sign-in also begins a session, which is a change. */
export const memberSignIns: Attack = (stage) =>
  keepAsking(stage, {
    clients: stage.random.integer(8, 64),
    pauseMs: 0,
    requestOf: () => signInRequest(stage.port, stage.tenant.email),
  });

/** Bodies in pieces of one byte, from clients without a token. */
export const tinyChunks: Attack = (stage) => {
  const head = 'POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  const bytes = Buffer.from(head + '1\r\na\r\n'.repeat(400_000));
  return neverRead(stage, stage.random.integer(2, 8), bytes);
};

/** Begins bodies of OFREP, which needs no credentials, and does not end them. */
export const heldBodies: Attack = (stage) => {
  const head =
    'POST /ofrep/v1/evaluate/flags/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n{';
  const sent = stage.random.pick([0, 1000, 60_000]);
  return neverRead(stage, stage.random.integer(100, 800), Buffer.from(head + ' '.repeat(sent)));
};

/** Sign-ins whose bodies never come. */
export const heldSignIns: Attack = (stage) =>
  neverRead(stage, stage.random.integer(100, 800), Buffer.from(signInHead(stage.port, 100)));

/**
 * All flags of a long project by OFREP, for a different user each time. Many at once would keep more for their
 * answers than they may, and then OFREP answers 500 where other APIs answer 503.
 */
export const ofrepLists: Attack = (stage) => {
  const path = `/projects/${stage.tenant.longProjectId}/ofrep/v1/evaluate/flags`;
  const requestOf = (turn: number): string =>
    postRequest(path, { context: { targetingKey: `user ${turn}` } });
  const clients = stage.random.integer(2, 16);
  return keepAsking(stage, { clients, pauseMs: 0, requestOf, wanted: [200, 500] });
};

/** Streams of a long project, which are opened again and again and never read. */
export const syncStreams: Attack = (stage) => {
  const { longProjectId, longSecret } = stage.tenant;
  const request = getRequest(`/sync/v1/${longProjectId}`, longSecret);
  const stream = request.replace('\r\n\r\n', '\r\nAccept: text/event-stream\r\n\r\n');
  return neverRead(stage, stage.random.integer(16, 128), Buffer.from(stream));
};

/** Sync of an environment that the token may not use: nothing limits its rate, and each refusal may be recorded. */
export const refusedSync: Attack = (stage) => {
  const { groupProjectId, limitedSecret } = stage.tenant;
  const request = getRequest(`/sync/v1/${groupProjectId}/environment-1`, limitedSecret);
  return keepAsking(stage, {
    clients: stage.random.integer(8, 64),
    pauseMs: 10,
    requestOf: () => request,
    wanted: [403],
  });
};

/** As many values as a query may have, each of which is compared with every rule of an audience. */
export const manyValues: Attack = (stage) => {
  const values = Array.from({ length: 250 }, (_, index) => `a=${index}`).join('&');
  const path = `/v1/flags/project/${stage.tenant.ruledProjectId}?${values}&a=last`;
  return keepAsking(stage, {
    clients: stage.random.integer(4, 32),
    pauseMs: 0,
    requestOf: () => getRequest(path),
  });
};

/** One member searches all flags. */
export const searches: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.82');
  const requestOf = (turn: number): string =>
    `GET /console/api/search?q=long%20${turn % 100} HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  return keepAsking(stage, { clients: stage.random.integer(4, 24), pauseMs: 0, requestOf });
};

/** The same where each flag has a long list: to rank them, a search reads their records. */
export const longSearches: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.83');
  const request = `GET /console/api/search?q=large HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  const clients = stage.random.integer(4, 24);
  return keepAsking(stage, { clients, pauseMs: 0, requestOf: () => request });
};

/** Changes whose query may hide a misspelt `dryRun` in thousands of places, for which the writer would look. */
export const manyNames: Attack = (stage) => {
  const { flags, secret } = stage.tenant;
  const query = stage.random.pick([
    `x=1${';'.repeat(8000)}`,
    'p&'.repeat(4000),
    `x=1${';dryRu'.repeat(1000)}`,
  ]);
  const requestOf = (turn: number): string =>
    patchRequest(`/api/v1/flags/${flags[turn % flags.length]}?${query}`, secret, {});
  const clients = stage.random.integer(8, 64);
  return keepAsking(stage, { clients, pauseMs: 0, requestOf, wanted: [400, 429] });
};

/** As many flags as a report may have, for which the worker looks up each one. */
export const usageReports: Attack = (stage) => {
  const { flags, longProjectId, longSecret } = stage.tenant;
  // Ids of another project: each is looked up, and none is counted.
  const ids = Array.from({ length: 1000 }, (_, index) => flags[index % flags.length] ?? '');
  const head = `POST /sync/v1/usage/${longProjectId} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${longSecret}`;
  const reported = JSON.stringify(ids.map((id) => ({ id, on: 1, off: 1 })));
  const requestOf = (turn: number): string => {
    const body = `{"reportId":"${stage.random.integer(0, 1e9)}-${turn}","flags":${reported}}`;
    return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  return keepAsking(stage, { clients: stage.random.integer(8, 64), pauseMs: 0, requestOf });
};

export const attacks: Readonly<Record<string, Attack>> = {
  'cold flags': coldFlags,
  'whole projects': wholeProjects,
  'lists by name': listsByName,
  'unread lists': unreadLists,
  'group flags': groupFlags,
  'unread flags': unreadFlags,
  'unread changes': unreadChanges,
  'unread pipelines': unreadPipelines,
  'large changes': writeStorm,
  'nearly equal lists': nearlyEqualLists,
  'changes of long flags': longFlags,
  'audit pages': auditStorm,
  'sign-ins': signInStorm,
  'tiny chunks': tinyChunks,
  'held bodies': heldBodies,
  'held sign-ins': heldSignIns,
  'lists by OFREP': ofrepLists,
  'streams of sync': syncStreams,
  'refused sync': refusedSync,
  'many values': manyValues,
  searches,
  'searches of long flags': longSearches,
  'changes with many names': manyNames,
  'cold indexes': coldIndexes,
  'sign-ins of members': memberSignIns,
  'reports of usage': usageReports,
  'changes of an audience': audienceChanges,
  'streams of flagd': flagdStreams,
  'calls of flagd': flagdCalls,
  'crowds of the console': consoleCrowd,
  'long contexts': longContexts,
  'faulty sign-ins': faultySignIns,
  'reopened pages': reopenedPages,
};
