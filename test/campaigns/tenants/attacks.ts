import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { encodeSelector } from '../../flagd/flagd-fixture.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import { getRequest, patchRequest, postRequest, WireConnection } from '../wire-connection.ts';
import { cohortsOf, type HostileTenant, signIn, signInHead, signInRequest } from './tenants-installation.ts';

/** What an attack works with. */
export interface AttackStage extends Lifetime {
  readonly port: number;
  readonly flagdPort: number;
  readonly tenant: HostileTenant;
  readonly cohortsOfLargeFlag: number;
  readonly random: Random;
  /** The end of the attack. Its clients close soon after. */
  readonly isOver: () => boolean;
  /** A flag or an audience has another whole list, of which the audit log keeps both. */
  readonly wholeListStored: () => void;
}

/** @returns how many requests were sent, once the attack has ended */
type Attack = (stage: AttackStage) => Promise<number>;

const reopenMs = 10;
const unreadMs = 2000;
/** Fewer answers say nothing about an attack. */
const answersOfAttackMin = 20;

/** Decides at random whether all clients share one address, or each has its own. */
function addressesOf(random: Random): (client: number) => string {
  const isSpread = random.chance(0.5);
  const net = random.integer(1, 60);
  return (client) => (isSpread ? `127.${net}.${client >> 7}.${1 + (client & 127)}` : `127.${net}.0.1`);
}

interface Asking {
  readonly clients: number;
  readonly pauseMs: number;
  readonly requestOf: (turn: number) => string;
  /** The statuses of answers that the attack is about: 200 unless given. */
  readonly wanted?: readonly number[];
  /** @param body of an answer 200 */
  readonly learn?: (body: string) => void;
}

/**
 * A closed loop: each client sends its next request as soon as it has an answer.
 * @throws if none of many answers is the wanted one, and none was on its way at the end: then the attack was none
 */
async function keepAsking(
  stage: AttackStage,
  { clients, pauseMs, requestOf, wanted = [200], learn }: Asking,
): Promise<number> {
  const statuses = new Map<number, number>();
  const addressOf = addressesOf(stage.random);
  let turn = 0;
  /** Requests whose answer was still on its way at the end, or was cut: they cost the service something. */
  let unanswered = 0;
  const client = async (index: number): Promise<void> => {
    let connection: WireConnection | null = null;
    // At least one request: on a busy machine an attack that signs in first begins late.
    do {
      if (connection === null || connection.isLost) {
        connection?.destroy();
        connection = await WireConnection.open(stage.port, addressOf(index)).catch(() => null);
      }
      if (connection === null) {
        await setTimeout(reopenMs);
        continue;
      }
      turn += 1;
      const opened = connection;
      // A request that gets no answer any more ends with the attack.
      const answer = opened.ask(requestOf(turn)).catch(() => null);
      const answered = await Promise.race([answer, untilOver(stage)]);
      if (answered === null) unanswered += 1;
      else statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1);
      if (answered?.status === 200) learn?.(answered.body);
      if (pauseMs > 0) await setTimeout(pauseMs);
    } while (!stage.isOver());
    connection?.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const answered = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const isNone = unanswered === 0 && !wanted.some((status) => statuses.has(status));
  if (answered >= answersOfAttackMin && isNone) {
    throw new Error(`an attack got no ${wanted.join(' or ')}, but ${JSON.stringify([...statuses])}`);
  }
  return turn;
}

async function untilOver({ isOver }: AttackStage): Promise<null> {
  while (!isOver()) await setTimeout(100);
  return null;
}

/** Sockets that send and never read. They are opened anew when they are closed or have stood still for a while. */
async function neverRead(stage: AttackStage, sockets: number, bytes: Buffer): Promise<number> {
  const addressOf = addressesOf(stage.random);
  let sent = 0;
  const stand = async (index: number): Promise<void> => {
    // At least one, as in `keepAsking`.
    do {
      const socket = openQuietly(stage.port, addressOf(index));
      socket.pause();
      sent += 1;
      socket.write(bytes);
      const until = performance.now() + unreadMs;
      while (!stage.isOver() && !socket.destroyed && performance.now() < until) await setTimeout(50);
      socket.destroy();
    } while (!stage.isOver());
  };
  await Promise.all(Array.from({ length: sockets }, (_, index) => stand(index)));
  return sent;
}

function openQuietly(port: number, localAddress: string): Socket {
  const socket = connectSocket({ port, host: '127.0.0.1', localAddress, noDelay: true });
  socket.on('error', () => socket.destroy());
  return socket;
}

/** A message of gRPC: a flag, its length, and its bytes. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** @returns the selector for all flags of a project without environments */
export const selectorOf = (projectId: string, secret: string): string => `${projectId},token=${secret}`;

/** Opens a connection to flagd's port. @param localAddress any of 127.0.0.0/8 */
function openFlagdSession(port: number, localAddress: string): ClientHttp2Session {
  const createConnection = () => connectSocket({ port, host: '127.0.0.1', localAddress });
  const session = connect(`http://127.0.0.1:${port}`, { createConnection });
  session.on('error', () => session.destroy());
  return session;
}

/** Begins a call of flagd's sync. Nothing is read of it before `resume`. */
function beginFlagdCall(
  session: ClientHttp2Session,
  method: 'SyncFlags' | 'FetchAllFlags',
  selector: string,
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/flagd.sync.v1.FlagSyncService/${method}`,
    te: 'trailers',
    'content-type': 'application/grpc',
  });
  stream.on('error', () => stream.destroy());
  stream.end(framed(encodeSelector(selector)));
  return stream;
}

/** A kept connection to flagd's port, which asks for whole configurations, one time after another. */
export class FlagdConnection {
  readonly #session: ClientHttp2Session;
  #isLost = false;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
    session.once('close', () => {
      this.#isLost = true;
    });
  }

  /** Rejects when nothing listens. */
  static open(port: number, localAddress: string): Promise<FlagdConnection> {
    return new Promise((resolve, reject) => {
      const session = openFlagdSession(port, localAddress);
      session.once('connect', () => resolve(new FlagdConnection(session)));
      session.once('error', reject);
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** @returns status 200 for gRPC's OK. Rejects when the connection is lost */
  ask(
    selector: string,
  ): Promise<{ readonly status: number; readonly body: string; readonly durationMs: number }> {
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      const stream = beginFlagdCall(this.#session, 'FetchAllFlags', selector);
      let status = '';
      let body = '';
      // A refusal has its status in the head, as it has no message.
      for (const event of ['response', 'trailers'] as const)
        stream.on(event, (headers) => {
          status = String(headers['grpc-status'] ?? status);
          body = String(headers['grpc-message'] ?? body);
        });
      stream.once('close', () => {
        if (status === '') reject(new Error('the call ended without a status'));
        else
          resolve({
            status: status === '0' ? 200 : Number(status),
            body,
            durationMs: performance.now() - askedAt,
          });
      });
      stream.resume();
    });
  }

  destroy(): void {
    this.#session.destroy();
  }
}

const flagdUnreadMs = 2000;
const callsOfSession = 16;

/** Streams of a long project, which are opened again and again, and never read. */
const flagdStreams: Attack = async (stage) => {
  const addressOf = addressesOf(stage.random);
  const selector = selectorOf(stage.tenant.longProjectId, stage.tenant.longSecret);
  const sessions = stage.random.integer(4, 32);
  let sent = 0;
  const stand = async (index: number): Promise<void> => {
    while (!stage.isOver()) {
      const session = openFlagdSession(stage.flagdPort, addressOf(index));
      const closed = once(session, 'close');
      for (let call = 0; call < callsOfSession; call += 1) {
        beginFlagdCall(session, 'SyncFlags', selector).pause();
        sent += 1;
      }
      await Promise.race([closed, untilOver(stage), setTimeout(flagdUnreadMs)]);
      session.destroy();
    }
  };
  await Promise.all(Array.from({ length: sessions }, (_, index) => stand(index)));
  return sent;
};

/** Whole configurations of a project whose flags have long lists, one call after another on each connection. */
const flagdCalls: Attack = async (stage) => {
  const addressOf = addressesOf(stage.random);
  const selector = selectorOf(stage.tenant.largeProjectId, stage.tenant.largeSecret);
  const clients = stage.random.integer(4, 32);
  let sent = 0;
  const client = async (index: number): Promise<void> => {
    while (!stage.isOver()) {
      const session = openFlagdSession(stage.flagdPort, addressOf(index));
      const isClosed = once(session, 'close');
      while (!stage.isOver() && !session.destroyed && !session.closed) {
        const call = beginFlagdCall(session, 'FetchAllFlags', selector);
        call.resume();
        sent += 1;
        await Promise.race([once(call, 'close'), isClosed, untilOver(stage)]);
      }
      session.destroy();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return sent;
};

/**
 * Changes the long list of an audience that thousands of flags apply, while clients evaluate them: the writer searches
 * the flags each time, and the workers read the list again.
 */
const audienceChanges: Attack = async (stage) => {
  const { email, reachedProjectId } = stage.tenant;
  const cookie = await signIn(stage, stage.port, email, '127.0.0.83');
  const path = `/console/api/projects/${reachedProjectId}/audiences`;
  const place = `127.0.0.1:${stage.port}`;
  const head = `Host: ${place}\r\nOrigin: http://${place}\r\nX-Burgee-Console: 1\r\n${cookie}`;
  const lists = ['second', 'third'].map((kind) =>
    JSON.stringify([{ attribute: 'a', values: cohortsOf(Math.ceil(stage.cohortsOfLargeFlag / 4), kind) }]),
  );
  let audience: { readonly id: string; readonly revision: number } | null = null;
  const learn = (body: string): void => {
    // A list is sent in chunks, an audience as a whole: in both, its id comes first and its revision last.
    const id = /"id":"([^"]+)"/.exec(body)?.[1];
    const revision = /"revision":(\d+)/.exec(body)?.[1];
    if (audience !== null) stage.wholeListStored();
    if (id !== undefined && revision !== undefined) audience = { id, revision: Number(revision) };
  };
  const change = (turn: number): string => {
    if (audience === null) return `GET ${path} HTTP/1.1\r\n${head}\r\n`;
    const body = `{"revision":${audience.revision},"rules":${lists[turn % lists.length]}}`;
    return `PATCH ${path}/${audience.id} HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const evaluate = (turn: number): string =>
    getRequest(`/v1/flags/project/${reachedProjectId}?targetingKey=${turn}&a=${turn}`);
  const sent = await Promise.all([
    keepAsking(stage, { clients: stage.random.integer(1, 4), pauseMs: 20, requestOf: change, learn }),
    keepAsking(stage, { clients: stage.random.integer(1, 8), pauseMs: 10, requestOf: evaluate }),
  ]);
  return sent.reduce((sum, count) => sum + count, 0);
};

/* Hundreds of connections, each of which has a request in the same turns of a worker's event loop. */

/** One member's pages, each of which takes a worker a step of milliseconds. */
const consoleCrowd: Attack = async (stage) => {
  const { email, groupProjectId, largeProjectId, largeFlags } = stage.tenant;
  const cookie = await signIn(stage, stage.port, email, '127.0.0.84');
  const place = `127.0.0.1:${stage.port}`;
  const head = `Host: ${place}\r\nOrigin: http://${place}\r\nX-Burgee-Console: 1\r\n${cookie}`;
  const flag = `/projects/${largeProjectId}/flags/${largeFlags[3]}`;
  const trial = JSON.stringify({ environmentNumber: 0, targetingKey: 'somebody', cohort: 'none' });
  const requests = [
    ...[`/projects/${groupProjectId}/tokens`, `${flag}/evaluations`, '/invitations', '/members'].map(
      (path) => `GET /console/api${path} HTTP/1.1\r\n${head}\r\n`,
    ),
    `POST /console/api${flag}/trial HTTP/1.1\r\n${head}Content-Length: ${trial.length}\r\n\r\n${trial}`,
  ];
  return keepAsking(stage, {
    clients: stage.random.integer(100, 400),
    pauseMs: stage.random.pick([0, 500]),
    requestOf: (turn) => requests[turn % requests.length] ?? '',
  });
};

/** Bodies as long as they may be, from anonymous clients: contexts of which nothing is used. */
const longContexts: Attack = (stage) => {
  const path = `/projects/${stage.tenant.longProjectId}/ofrep/v1/evaluate/flags/${stage.tenant.flags[0]}`;
  const bodies = [
    { context: { targetingKey: 'é'.repeat(30_000) } },
    { context: {}, rest: new Array(20_000).fill({}) },
    { context: Object.fromEntries(Array.from({ length: 250 }, (_, index) => [index, 'x'.repeat(240)])) },
  ];
  const requests = bodies.map((body) => postRequest(path, body));
  return keepAsking(stage, {
    clients: stage.random.integer(50, 300),
    pauseMs: 0,
    requestOf: (turn) => requests[turn % requests.length] ?? '',
    wanted: [200, 404],
  });
};

/** Sign-ins whose bodies are nothing but faults, each of which is worded. */
const faultySignIns: Attack = (stage) => {
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`mail${index}`, 1])),
  );
  const request = signInHead(stage.port, body.length) + body;
  return keepAsking(stage, {
    clients: stage.random.integer(50, 300),
    pauseMs: 0,
    requestOf: () => request,
    wanted: [400],
  });
};

/** Pages that begin to follow the changes since the first one, and go away. */
const reopenedPages: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.85');
  const request = `GET /console/api/events?since=0.0 HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  return neverRead(stage, stage.random.integer(20, 100), Buffer.from(request));
};

/** Evaluates more flags than a cache holds, from clients without credentials. */
const coldFlags: Attack = (stage) => {
  const { largeFlags } = stage.tenant;
  const requestOf = (turn: number): string =>
    getRequest(`/v1/flags/${largeFlags[turn % largeFlags.length]}?targetingKey=${turn}&cohort=${turn}`);
  return keepAsking(stage, { clients: stage.random.pick([8, 40, 120]), pauseMs: 0, requestOf });
};

/** The same by OFREP with several cohorts, which are worth an index of each flag's list. */
const coldIndexes: Attack = (stage) => {
  const { largeFlags, largeProjectId } = stage.tenant;
  const cohort = Array.from({ length: 12 }, (_, index) => `none ${index}`);
  const requestOf = (turn: number): string => {
    const path = `/projects/${largeProjectId}/ofrep/v1/evaluate/flags/${largeFlags[turn % largeFlags.length]}`;
    return postRequest(path, { context: { targetingKey: `user ${turn}`, cohort } });
  };
  return keepAsking(stage, { clients: stage.random.pick([8, 40, 120]), pauseMs: 0, requestOf });
};

const wholeProjects: Attack = (stage) => {
  const path = `/v1/flags/project/${stage.tenant.longProjectId}`;
  const requestOf = (turn: number): string => getRequest(`${path}?targetingKey=${turn}`);
  return keepAsking(stage, { clients: stage.random.integer(2, 16), pauseMs: 0, requestOf });
};

const listsByName: Attack = (stage) => {
  const requestOf = (turn: number): string =>
    getRequest(`/api/v1/flags?name=long%20${turn}`, stage.tenant.longSecret);
  return keepAsking(stage, { clients: stage.random.integer(4, 32), pauseMs: 20, requestOf });
};

const unreadLists: Attack = (stage) =>
  neverRead(stage, 68, Buffer.from(getRequest('/api/v1/flags', stage.tenant.longSecret)));

/** A list of half a megabyte, shown once for each of many environments. */
const groupFlags: Attack = (stage) => {
  const { groupFlags: flags, groupSecret } = stage.tenant;
  const paths = [...flags.map((id) => `/api/v1/flags/${id}`), '/api/v1/flags'];
  const requestOf = (turn: number): string => getRequest(paths[turn % paths.length] ?? '', groupSecret);
  return keepAsking(stage, { clients: stage.random.integer(2, 8), pauseMs: 0, requestOf });
};

const unreadFlags: Attack = (stage) => {
  const { groupFlags: flags, groupSecret } = stage.tenant;
  const path = `/api/v1/flags/${stage.random.pick([...flags])}`;
  return neverRead(stage, 68, Buffer.from(getRequest(path, groupSecret)));
};

/** Leaves the answers of changes unread. Such an answer is made as a whole, and has the long list of its flag. */
const unreadChanges: Attack = (stage) => {
  const { largeFlags, largeSecret } = stage.tenant;
  const path = `/api/v1/flags/${largeFlags[1]}`;
  return neverRead(stage, 16, Buffer.from(patchRequest(path, largeSecret, { enabled: true })));
};

const unreadPipelines: Attack = (stage) => {
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
const longFlags: Attack = (stage) => {
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

/** Gives the same flag two lists alternately. */
const writeStorm: Attack = (stage) => {
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
const nearlyEqualLists: Attack = (stage) => {
  const { largeFlags, largeSecret } = stage.tenant;
  const kept = cohortsOf(cohortsOfChange(stage), 'fourth');
  const bodies = ['last', 'another last'].map((last) =>
    patchRequest(`/api/v1/flags/${largeFlags[2]}`, largeSecret, { cohorts: [...kept, last] }),
  );
  const requestOf = (turn: number): string => bodies[turn % bodies.length] ?? '';
  return keepAsking(stage, { clients: stage.random.integer(1, 8), pauseMs: 50, requestOf });
};

/** One member searches and exports the audit log. */
const auditStorm: Attack = async (stage) => {
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
const signInStorm: Attack = (stage) => {
  const requestOf = (turn: number): string =>
    signInRequest(stage.port, `somebody${turn}@hostile.example`, `wrong ${turn}`);
  return keepAsking(stage, { clients: stage.random.integer(8, 64), pauseMs: 0, requestOf, wanted: [401] });
};

/** The right password, by a member of the hostile tenant: each sign-in also begins a session, which is a change. */
const memberSignIns: Attack = (stage) =>
  keepAsking(stage, {
    clients: stage.random.integer(8, 64),
    pauseMs: 0,
    requestOf: () => signInRequest(stage.port, stage.tenant.email),
  });

/** Bodies in pieces of one byte, from clients without a token. */
const tinyChunks: Attack = (stage) => {
  const head = 'POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  const bytes = Buffer.from(head + '1\r\na\r\n'.repeat(400_000));
  return neverRead(stage, stage.random.integer(2, 8), bytes);
};

/** Begins bodies of OFREP, which needs no credentials, and does not end them. */
const heldBodies: Attack = (stage) => {
  const head =
    'POST /ofrep/v1/evaluate/flags/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n{';
  const sent = stage.random.pick([0, 1000, 60_000]);
  return neverRead(stage, stage.random.integer(100, 800), Buffer.from(head + ' '.repeat(sent)));
};

/** Sign-ins whose bodies never come. */
const heldSignIns: Attack = (stage) =>
  neverRead(stage, stage.random.integer(100, 800), Buffer.from(signInHead(stage.port, 100)));

/**
 * All flags of a long project by OFREP, for a different user each time. Many at once would keep more for their
 * answers than they may, and then OFREP answers 500 where other APIs answer 503.
 */
const ofrepLists: Attack = (stage) => {
  const path = `/projects/${stage.tenant.longProjectId}/ofrep/v1/evaluate/flags`;
  const requestOf = (turn: number): string =>
    postRequest(path, { context: { targetingKey: `user ${turn}` } });
  const clients = stage.random.integer(2, 16);
  return keepAsking(stage, { clients, pauseMs: 0, requestOf, wanted: [200, 500] });
};

/** Streams of a long project, which are opened again and again and never read. */
const syncStreams: Attack = (stage) => {
  const { longProjectId, longSecret } = stage.tenant;
  const request = getRequest(`/sync/v1/${longProjectId}`, longSecret);
  const stream = request.replace('\r\n\r\n', '\r\nAccept: text/event-stream\r\n\r\n');
  return neverRead(stage, stage.random.integer(16, 128), Buffer.from(stream));
};

/** Sync of an environment that the token may not use: nothing limits its rate, and each refusal may be recorded. */
const refusedSync: Attack = (stage) => {
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
const manyValues: Attack = (stage) => {
  const values = Array.from({ length: 250 }, (_, index) => `a=${index}`).join('&');
  const path = `/v1/flags/project/${stage.tenant.ruledProjectId}?${values}&a=last`;
  return keepAsking(stage, {
    clients: stage.random.integer(4, 32),
    pauseMs: 0,
    requestOf: () => getRequest(path),
  });
};

/** One member searches all flags. */
const searches: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.82');
  const requestOf = (turn: number): string =>
    `GET /console/api/search?q=long%20${turn % 100} HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  return keepAsking(stage, { clients: stage.random.integer(4, 24), pauseMs: 0, requestOf });
};

/** The same where each flag has a long list: to rank them, a search reads their records. */
const longSearches: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.83');
  const request = `GET /console/api/search?q=large HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  const clients = stage.random.integer(4, 24);
  return keepAsking(stage, { clients, pauseMs: 0, requestOf: () => request });
};

/** Changes whose query may hide a misspelt `dryRun` in thousands of places, for which the writer would look. */
const manyNames: Attack = (stage) => {
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
const usageReports: Attack = (stage) => {
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
