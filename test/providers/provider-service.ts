import { bootServer, unlimited } from '../support/booted-server.ts';
import { expect } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { askEvaluationApi } from './evaluation-api.ts';
import type { Connection } from './provider-program.ts';
import { changingFlag, makeQuestions, provisionedDocument, type Question, targets } from './questions.ts';

/** A question, the key by which its flag is asked for, and what the Evaluation API answers to it. */
export interface RightAnswer {
  readonly question: Question;
  readonly key: string;
  readonly answers: ReadonlySet<boolean>;
}

/** A booted Burgee with everything that a provider is tried with. */
export interface ProviderService {
  /** One for each of `targets`. */
  readonly connections: readonly Connection[];
  readonly rightAnswers: readonly RightAnswer[];
  /** Turns the changing flag of a target on if it is off, and off if it is on. @returns whether it is on now */
  turn(target: number): Promise<boolean>;
}

const questionCount = 500;
/** Of the questions, so that every run asks the same. */
export const providerSeed = 20_261_123;
const host = '127.0.0.1';
const flagdSyncPort = /"flagdSyncPort":([1-9]\d*)/;

/** Provisions a data directory, boots a server on it and asks the Evaluation API every question. */
export async function bootProviderService(t: Lifetime, seed: number): Promise<ProviderService> {
  const dataDir = temporaryDirectory(t);
  const provisioned = await provision(dataDir, temporaryDirectory(t), provisionedDocument);
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_FLAGD_SYNC_PORT: '0' } });
  const flagdPort = Number(flagdSyncPort.exec(await server.line((line) => flagdSyncPort.test(line)))?.[1]);
  const api = createHttpClient(t, { port: server.port });
  const projects = targets.map(({ project }) => projectOf(provisioned, project));
  const projectAt = (target: number): (typeof projects)[number] => {
    const project = projects[target];
    if (project === undefined) throw new Error(`no project for target ${target}`);
    return project;
  };

  const connections = targets.map(({ environment }, target): Connection => {
    const project = projectAt(target);
    const url = `http://${host}:${server.port}`;
    const path = environment === null ? project.id : `${project.id}/${environment}`;
    return {
      ofrep: `${url}/projects/${path}`,
      flagd: { host, port: flagdPort, selector: path },
      burgee: { url, project: project.id, environment },
      token: tokenOf(project, 'ci').secret,
    };
  });

  const rightAnswers: RightAnswer[] = [];
  for (const question of makeQuestions(questionCount, seed)) {
    const id = idOf(projectAt(question.target).flags, question.flag);
    const environment = targets[question.target]?.environment ?? null;
    const answers = await askEvaluationApi(api, id, environment, question.context);
    rightAnswers.push({ question, key: question.isAskedById ? id : question.flag, answers });
  }

  const isOn = targets.map(() => false);
  const turn = async (target: number): Promise<boolean> => {
    const project = projectAt(target);
    const environment = targets[target]?.environment ?? null;
    const turned = !isOn[target];
    const { status, text } = await api.send({
      method: 'PATCH',
      path: `/api/v1/flags/${idOf(project.flags, changingFlag)}${environment === null ? '' : `?env=${environment}`}`,
      headers: bearer(tokenOf(project, 'ci').secret),
      body: JSON.stringify({ trafficPercentage: turned ? 100 : 0 }),
    });
    expect(status === 200, `the change: ${status} ${text}`);
    isOn[target] = turned;
    return turned;
  };
  return { connections, rightAnswers, turn };
}
