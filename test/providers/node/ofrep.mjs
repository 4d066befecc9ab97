import { OFREPProvider } from '@openfeature/ofrep-provider';
import { serve } from './serve.mjs';

await serve(({ ofrep }) => new OFREPProvider({ baseUrl: ofrep }));
