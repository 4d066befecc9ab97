# needs: java, javac, mvn
set -eu
[ -d lib ] || mvn --quiet --batch-mode -Dmaven.repo.local=../maven \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=lib
rm -rf client classes
sh ../openapi-generator.sh -g java -o client --library native \
  --additional-properties=invokerPackage=burgee,apiPackage=burgee,modelPackage=burgee
find client/src/main/java -name '*.java' >sources.txt
javac -J-XX:TieredStopAtLevel=1 -nowarn -proc:none -cp 'lib/*' -d classes @sources.txt Program.java
java -XX:TieredStopAtLevel=1 -cp 'classes:lib/*' Program
