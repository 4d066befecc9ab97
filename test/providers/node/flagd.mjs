import { FlagdProvider } from '@openfeature/flagd-provider';
import { serve } from './serve.mjs';

await serve(
  ({ flagd: { host, port, selector }, token }) =>
    // It sends no metadata but the selector, which therefore holds the token.
    new FlagdProvider({ resolverType: 'in-process', host, port, selector: `${selector},token=${token}` }),
);
