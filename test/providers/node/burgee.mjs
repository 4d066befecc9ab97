import { BurgeeProvider } from 'burgee-client/openfeature';
import { serve } from './serve.mjs';

await serve(({ burgee, token }) => new BurgeeProvider({ ...burgee, token }));
