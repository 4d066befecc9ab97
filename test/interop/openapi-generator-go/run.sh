# needs: java, mvn, go
set -eu
rm -rf burgee
sh ../openapi-generator.sh -g go -o burgee --additional-properties=packageName=burgee,withGoMod=false
go run .
