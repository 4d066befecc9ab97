# needs: java, javac, mvn
set -eu
rm -rf client classes lib
sh ../openapi-generator.sh -g java -o client --library native \
  --additional-properties=invokerPackage=burgee,apiPackage=burgee,modelPackage=burgee
mvn --quiet --batch-mode -Dmaven.repo.local="$PWD/../maven" -f client/pom.xml \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  -DincludeScope=compile -DoutputDirectory="$PWD/lib" >&2
find client/src/main/java -name '*.java' >sources.txt
javac -J-XX:TieredStopAtLevel=1 -nowarn -proc:none -cp 'lib/*' -d classes @sources.txt Program.java
java -XX:TieredStopAtLevel=1 -cp 'classes:lib/*' Program
