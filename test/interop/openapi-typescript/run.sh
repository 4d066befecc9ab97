# needs: npm
set -eu
version=7.13.0
npm install --no-save --no-audit --no-fund --silent "openapi-typescript@$version" openapi-fetch@0.17.0
rm -rf burgee.d.ts out
node_modules/.bin/openapi-typescript "$OPENAPI" --output burgee.d.ts >&2
node_modules/.bin/tsc
node out/program.mjs
