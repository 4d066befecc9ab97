import t from 'tap';
import { OpenIdFault, openIdFaultOf } from '../../../src/operations/sessions/open-id/open-id-fault.ts';

t.test('an error of openid-client is logged with messages and codes, never with its contents', async (t) => {
  const body = { access_token: 'the token', id_token: 'another' };
  const cause = Object.assign(new Error('unexpected ID Token "nonce" claim value'), { cause: { body } });
  const thrown = Object.assign(new Error('unexpected JWT claim value encountered', { cause }), {
    code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  });
  const fault = openIdFaultOf(thrown);
  t.equal(fault.refusal, 'provider-failed');
  t.equal(
    fault.message,
    'unexpected JWT claim value encountered: unexpected ID Token "nonce" claim value: OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  );
  t.equal(fault.cause, undefined);
  t.notMatch(JSON.stringify({ ...fault, stack: fault.stack }), /the token/);
});

t.test('faults are classified by who can fix them', async (t) => {
  const coded = (code: string, more: object = {}): Error => Object.assign(new Error('x'), { code, ...more });
  const response = (status: number): Error => {
    const cause = new Response(null, { status });
    return Object.assign(new Error('x', { cause }), { code: 'OAUTH_RESPONSE_IS_NOT_CONFORM' });
  };
  const cases = [
    [coded('OAUTH_AUTHORIZATION_RESPONSE_ERROR', { error: 'access_denied' }), 'denied'],
    [coded('OAUTH_AUTHORIZATION_RESPONSE_ERROR', { error: 'server_error' }), 'provider-failed'],
    [coded('OAUTH_RESPONSE_BODY_ERROR', { error: 'invalid_grant' }), 'provider-failed'],
    [coded('OAUTH_TIMEOUT'), 'provider-unreachable'],
    [new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }), 'provider-unreachable'],
    [response(503), 'provider-unreachable'],
    [response(400), 'provider-failed'],
    [new OpenIdFault('unavailable', 'too many'), 'unavailable'],
    ['no error at all', 'provider-unreachable'],
  ] as const;
  for (const [thrown, refusal] of cases) t.equal(openIdFaultOf(thrown).refusal, refusal);
  const long = openIdFaultOf(coded('OAUTH_RESPONSE_BODY_ERROR', { error_description: 'y'.repeat(5000) }));
  t.equal(long.message.length, 500);
});
