import type { Topic } from '../conformance-case.ts';
import { anyone, anyText, ci, on } from '../steps.ts';

export const health: Topic = {
  'decisions.md: Evaluation API': {
    '`GET /health` answers 200 `{"status":"ok"}` while the process can evaluate': {
      health: anyone.get('/health').exactly(200, { status: 'ok' }),
    },
    'Any other method or path: 404.': {
      'health-other-method': [
        anyone.post('/health').is(404),
        anyone.send('DELETE', '/health').is(404),
        anyone.get('/health/').is(404),
      ],
    },
  },
  'service.md: Evaluation API': {
    '**GET /health**: returns 200 when the service is healthy.': {
      'health-with-a-query': anyone.get('/health?probe=1').exactly(200, { status: 'ok' }),
    },
    'No credentials.': {
      'health-without-credentials': anyone
        .get('/health', { authorization: 'Bearer nonsense' })
        .exactly(200, { status: 'ok' }),
    },
  },
  'decisions.md: Management API: the order of checks': {
    'Paths under `/api/v1` count, OPTIONS too, and no others.': {
      'health-while-limited': on(
        'small-limits',
        ci.token().is(200).times(6),
        ci.token().text(429, anyText),
        anyone.get('/health').exactly(200, { status: 'ok' }),
      ),
    },
  },
};
