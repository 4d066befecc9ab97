import { getRequest } from '../wire-connection.ts';
import { type Attack, keepAsking } from './attack.ts';
import { cohortsOf, signIn } from './tenants-installation.ts';

/**
 * Changes the long list of an audience that thousands of flags apply, while clients evaluate them: the writer searches
 * the flags each time, and the workers read the list again.
 */
export const audienceChanges: Attack = async (stage) => {
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
