import { postRequest } from '../wire-connection.ts';
import { type Attack, keepAsking, neverRead } from './attack.ts';
import { signIn, signInHead } from './tenants-installation.ts';

/* Hundreds of connections, each of which has a request in the same turns of a worker's event loop. */

/** One member's pages, each of which takes a worker a step of milliseconds. */
export const consoleCrowd: Attack = async (stage) => {
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

/** Bodies as long as they may be, from strangers: contexts of which nothing is of use. */
export const longContexts: Attack = (stage) => {
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
export const faultySignIns: Attack = (stage) => {
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
export const reopenedPages: Attack = async (stage) => {
  const cookie = await signIn(stage, stage.port, stage.tenant.email, '127.0.0.85');
  const request = `GET /console/api/events?since=0.0 HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
  return neverRead(stage, stage.random.integer(20, 100), Buffer.from(request));
};
