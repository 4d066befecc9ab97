import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { evaluationOperations } from '../../src/contracts/evaluation/evaluation-operations.ts';
import { problemTable } from '../../src/contracts/problem-table.ts';
import { problemCodes } from '../../src/domain/problem.ts';
import { managementOperations } from '../../src/operations/management-operations.ts';
import { openApiDocument, operations } from '../../src/operations/openapi.ts';
import { repositoryRoot } from '../support/repository-root.ts';

interface Described {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const root = repositoryRoot();
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const text = JSON.stringify(openApiDocument(version), null, 2);
const document = JSON.parse(text) as Document;

function described(path: string, method: string): Described {
  const found = document.paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is missing`);
  return found;
}

t.test('every route that programs use is there, and no other', async (t) => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  t.same(routes.sort(), [
    'get /api/v1/flags',
    'get /api/v1/flags/{id}',
    'get /api/v1/token',
    'get /health',
    'get /projects/{project_id}/ofrep/v1/events',
    'get /projects/{project_id}/{environment}/ofrep/v1/events',
    'get /sync/v1/{project_id}',
    'get /sync/v1/{project_id}/{environment}',
    'get /v1/flags/project/{project_id}',
    'get /v1/flags/{flag_id}',
    'patch /api/v1/flags/{id}',
    'post /api/v1/flags',
    'post /projects/{project_id}/ofrep/v1/evaluate/flags',
    'post /projects/{project_id}/ofrep/v1/evaluate/flags/{key}',
    'post /projects/{project_id}/{environment}/ofrep/v1/evaluate/flags',
    'post /projects/{project_id}/{environment}/ofrep/v1/evaluate/flags/{key}',
    'post /sync/v1/usage/{project_id}',
    'post /sync/v1/usage/{project_id}/{environment}',
  ]);
  t.equal(Object.keys(managementOperations).length, 5);
  t.equal(evaluationOperations.length, 3);
});

t.test('each route has exactly the statuses of its problems and of its success', async (t) => {
  for (const operation of operations) {
    const expected = new Set([
      ...operation.answers.map(({ status }) => String(status)),
      ...operation.problems.map((code) => String(problemTable[code].status)),
    ]);
    const { responses } = described(operation.path, operation.method);
    t.same(Object.keys(responses).sort(), [...expected].sort(), operation.id);
  }
});

t.test('every problem is an answer of a route', async (t) => {
  const told = new Set(operations.flatMap(({ problems }) => problems));
  t.same(
    problemCodes.filter((code) => !told.has(code)),
    [],
  );
});

t.test('every error body names the titles it may have', async (t) => {
  for (const operation of operations) {
    const { responses } = described(operation.path, operation.method);
    for (const code of operation.problems) {
      const { status, title } = problemTable[code];
      const isPlain = code === 'too-many-requests' && operation.tag === 'Management API';
      const content = responses[status]?.content ?? {};
      if (isPlain) t.ok('text/plain' in content, `${operation.id} ${status} is plain text too`);
      else t.match(JSON.stringify(content), `"${title}"`, `${operation.id} ${status} ${title}`);
    }
  }
});

t.test('only sync and the Management API need a token, and path parameters are declared', async (t) => {
  for (const { path, method, tag, requestBody } of operations) {
    const operation = described(path, method);
    const needsToken = tag === 'Management API' || tag === 'Sync';
    t.same(operation.security, needsToken ? [{ bearerToken: [] }] : [], path);
    t.equal(operation.requestBody !== undefined, requestBody !== null, path);
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    t.same(
      inPath.map(({ name }) => `{${name}}`),
      path.match(/\{\w+\}/g) ?? [],
    );
  }
});

t.test('parameters are declared as they are sent', async (t) => {
  const parameter = (path: string, method: string, wanted: string) =>
    described(path, method).parameters.find(({ name }) => name === wanted);
  for (const path of ['/v1/flags/{flag_id}', '/v1/flags/project/{project_id}']) {
    // As `plan=pro`: an attribute is a query parameter of its own.
    t.match(parameter(path, 'get', 'attributes'), { in: 'query', style: 'form', explode: true });
  }
  for (const [path, method] of [
    ['/api/v1/flags', 'post'],
    ['/api/v1/flags/{id}', 'patch'],
  ] as const)
    t.same(parameter(path, method, 'dryRun')?.schema, { type: 'boolean' });
});

t.test('every reference leads to a component, and every component is referenced', async (t) => {
  const references = new Set(text.match(/#\/components\/schemas\/\w+/g));
  const components = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  t.same([...references].sort(), components.sort());
});

t.test('responses are open to new fields, requests are not', async (t) => {
  const isClosed = (name: string) =>
    JSON.stringify(document.components.schemas[name]).includes('"additionalProperties":false');
  const names = Object.keys(document.components.schemas);
  const closed = ['FlagPatchBody', 'GroupFlagCreateBody', 'SingleFlagCreateBody', 'SyncUsage'];
  t.same(names.filter(isClosed).sort(), closed);
});

t.test('integers that may need more than 32 bits say so, for generators of clients', async (t) => {
  const integers: { readonly maximum?: number; readonly format?: string }[] = [];
  JSON.parse(text, (_key, value) => {
    if (value?.type === 'integer') integers.push(value);
    return value;
  });
  t.ok(integers.some(({ maximum }) => maximum === 100));
  for (const { maximum = Number.POSITIVE_INFINITY, format } of integers) {
    t.equal(format, maximum < 2 ** 31 ? undefined : 'int64');
  }
});

t.test('docs/openapi.json is generated from these contracts', async (t) => {
  t.equal(readFileSync(join(root, 'docs/openapi.json'), 'utf8'), `${text}\n`, 'run npm run build');
});

t.test("a repeated request's headers and answers are described", async (t) => {
  const namesOf = (path: string, method: string, place: string) =>
    described(path, method)
      .parameters.filter((parameter) => parameter.in === place)
      .map(({ name }) => name);
  t.same(namesOf('/api/v1/flags', 'post', 'header'), ['Idempotency-Key']);
  t.same(namesOf('/api/v1/flags', 'post', 'query'), ['dryRun']);
  t.same(namesOf('/api/v1/flags/{id}', 'get', 'header'), ['If-None-Match']);
  t.same(namesOf('/api/v1/flags/{id}', 'patch', 'header'), ['If-Match']);
  t.same(namesOf('/api/v1/flags/{id}', 'patch', 'query'), ['env', 'dryRun']);
  const tagged = new Set(['create-flag', 'patch-flag', 'read-flag', 'ofrep-flags', 'sync']);
  for (const { id, path, method, tag } of operations) {
    for (const [status, response] of Object.entries(described(path, method).responses)) {
      const names = Object.keys((response as { headers?: object }).headers ?? {});
      const hasTag = tagged.has(id.replace(/-single$/, '')) && Number(status) < 400;
      t.equal(names.includes('ETag'), hasTag, `${method} ${path} ${status}`);
      // OFREP has no 503: its clients take it for malformed.
      const later = tag === 'OFREP' ? ['429', '500'] : ['429', '503'];
      t.equal(names.includes('Retry-After'), later.includes(status), `${method} ${path} ${status}`);
    }
  }
});
