# needs: npm
set -eu
version=0.92.3
npm install --no-save --no-audit --no-fund --silent "@hey-api/openapi-ts@$version"
rm -rf client out
node_modules/.bin/openapi-ts --input "$OPENAPI" --output client
node_modules/.bin/tsc
node out/program.mjs
