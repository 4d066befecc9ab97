# Runs openapi-generator with the given arguments. The first use downloads it beside this file.
set -eu
version=7.25.0
here=$(cd "$(dirname "$0")" && pwd)
jar="$here/openapi-generator-cli-$version.jar"
if [ ! -f "$jar" ]; then
  mvn --quiet --batch-mode -Dmaven.repo.local="$here/maven" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact=org.openapitools:openapi-generator-cli:$version -DoutputDirectory="$here"
fi
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -jar "$jar" generate --input-spec "$OPENAPI" \
  --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false "$@"
