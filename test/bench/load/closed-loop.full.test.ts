import t from 'tap';
import { runClosedLoop } from '../../../bench/load/closed-loop.ts';
import type { BenchRequest } from '../../../bench/load/request-list.ts';
import { debianPrograms } from '../../support/debian-programs.ts';
import { startLoadServer } from './load-server.ts';

const seconds = 0.2;
const { skip: skipWrk } = debianPrograms('wrk');

function gets(count: number, status = 200): readonly BenchRequest[] {
  return Array.from({ length: count }, (_unused, index) => ({ path: `/${index}`, status }));
}

for (const driver of ['wrk', 'autocannon'] as const) {
  const skip = driver === 'wrk' && skipWrk;

  t.test(`${driver} sends a list's requests in order, repeatedly`, { skip }, async (t) => {
    const seen: string[] = [];
    const origin = await startLoadServer(t, (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        const { method, url, headers } = request;
        seen.push(`${method} ${url} ${headers['authorization']} ${headers['content-type']} ${body}`);
        response.writeHead(url === '/gone' ? 404 : 200).end('x');
      });
    });
    const requests: readonly BenchRequest[] = [
      { path: '/a?x=%20', status: 200 },
      { path: '/b', status: 200, method: 'PATCH', body: '{"name":"ü"}' },
      { path: '/gone', status: 404 },
    ];
    const expected = [
      'GET /a?x=%20 Bearer x undefined ',
      'PATCH /b Bearer x application/json {"name":"ü"}',
      'GET /gone Bearer x undefined ',
    ];
    const list = { origin, requests, headers: { authorization: 'Bearer x' } };
    const result = await runClosedLoop(driver, { list, connections: 1, seconds });
    t.ok(result.requests >= 3 && seen.length >= result.requests, `${result.requests}`);
    t.same(
      seen.filter((request, index) => request !== expected[index % 3]),
      [],
    );
    t.ok(result.requestsPerSecond > 0 && result.meanUs > 0 && result.p50Us <= result.p99Us);
  });

  t.test(`${driver} fails when answers turn wrong, with their count`, { skip }, async (t) => {
    let answered = 0;
    const origin = await startLoadServer(t, (_request, response) => {
      answered += 1;
      response.writeHead(answered > 300 && answered % 7 === 0 ? 503 : 200).end('x');
    });
    await t.rejects(
      runClosedLoop(driver, { list: { origin, requests: gets(20) }, connections: 4, seconds: 1 }),
      { message: /of [1-9]\d+ requests, [1-9]\d* answered (503 instead of 200|with a status over 399)/ },
    );
  });

  t.test(
    `${driver} fails when a status is not the expected one, though none is an error`,
    { skip },
    async (t) => {
      const origin = await startLoadServer(t, (_request, response) => {
        response.writeHead(204).end();
      });
      await t.rejects(
        runClosedLoop(driver, { list: { origin, requests: gets(20) }, connections: 4, seconds }),
        {
          message: /20 answered 204 instead of 200 \(first: GET \/\d+\)|answered 204 instead of 200/,
        },
      );
    },
  );

  t.test(`${driver} fails when expected errors do not come`, { skip }, async (t) => {
    let answered = 0;
    const origin = await startLoadServer(t, (request, response) => {
      answered += 1;
      const isGone = request.url === '/gone' && answered < 100;
      response.writeHead(isGone ? 404 : 200).end('x');
    });
    const requests = [...gets(3), { path: '/gone', status: 404 }];
    await t.rejects(runClosedLoop(driver, { list: { origin, requests }, connections: 2, seconds: 1 }), {
      message: /answered/,
    });
  });

  t.test(`${driver} fails when connections close without an answer`, { skip }, async (t) => {
    let asked = 0;
    const origin = await startLoadServer(t, (request, response) => {
      asked += 1;
      if (asked > 100 && asked % 10 === 0) request.socket.destroy();
      else response.end('x');
    });
    await t.rejects(
      runClosedLoop(driver, { list: { origin, requests: gets(20) }, connections: 2, seconds: 1 }),
      {
        message: /not answered|connection errors|read errors/,
      },
    );
  });
}
