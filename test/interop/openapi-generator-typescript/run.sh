# needs: java, mvn
set -eu
rm -rf client out
sh ../openapi-generator.sh -g typescript-fetch -o client --additional-properties=importFileExtension=.js
node ../../node_modules/typescript/bin/tsc
node out/program.mjs
